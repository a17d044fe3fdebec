// A client of the service with nothing but Node: node client.mjs <address of a document>
// It converts the document to text and posts the first line, and prints it.
import { createHash } from "node:crypto";
import http from "node:http";

const { WEBOFFICE_BASE_URL, WEBOFFICE_APP_ID, WEBOFFICE_APP_KEY, WEBOFFICE_ROBOT_URL } = process.env;
const hash = (name, text) => createHash(name).update(text, "utf8").digest("hex");

function call(method, url, body, headers) {
  return new Promise((resolve, reject) => {
    const req = http.request(url, { method, headers }, (res) => {
      let text = "";
      res.setEncoding("utf8");
      res.on("data", (part) => (text += part));
      res.on("end", () => (res.statusCode === 200 ? resolve(text) : reject(new Error(`${res.statusCode} ${text}`))));
    });
    req.on("error", reject);
    req.end(body);
  });
}

// Without a body, the MD5 is that of the request target.
async function signed(method, target, body) {
  const date = new Date().toUTCString();
  const md5 = hash("md5", body ?? target);
  const type = "application/json";
  const headers = {
    Date: date,
    "Content-Md5": md5,
    "Content-Type": type,
    Authorization: `SVC-2:${WEBOFFICE_APP_ID}:${hash("sha1", WEBOFFICE_APP_KEY + md5 + type + date)}`,
  };
  const answer = JSON.parse(await call(method, WEBOFFICE_BASE_URL + target, body, headers));
  if (answer.code !== 0) throw new Error(JSON.stringify(answer));
  return answer.data;
}

const submit = JSON.stringify({ url: process.argv[2], filename: "node.docx", long_txt: true });
const { task_id } = await signed("POST", "/api/developer/v1/office/convert/to/txt", submit);
let task;
do {
  await new Promise((done) => setTimeout(done, 50));
  task = await signed("GET", `/api/developer/v1/tasks/${encodeURIComponent(task_id)}`);
} while (task.status !== "success" && task.status !== "failed");
const text = await call("GET", task.result.txts[0].url);
const message = JSON.stringify({ msgtype: "text", text: { content: `Node read: ${text.slice(0, 40)}` } });
await call("POST", WEBOFFICE_ROBOT_URL, message, { "Content-Type": "application/json" });
console.log(text.slice(0, 40));
