// Calls of the machine API, which /_emulator/openapi.yaml describes.

const BASE = '/_emulator';

// Problem is an answer that is not a success. field names what is wrong, if one thing is.
export class Problem extends Error {
  constructor(message, status, field) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.field = field;
  }
}

async function call(method, path, { body, query, signal } = {}) {
  const headers = {};
  let payload = body;
  if (body !== undefined && !(body instanceof FormData)) {
    headers['Content-Type'] = 'application/json';
    payload = JSON.stringify(body);
  }
  const answer = await fetch(address(path, query), { method, headers, body: payload, signal });
  if (answer.ok) return answer;
  const text = await answer.text();
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Not from the API: the text is all there is.
  }
  throw new Problem(problem.error ?? (text.slice(0, 200) || answer.statusText), answer.status, problem.field);
}

// address writes a path of the API with its query, from which empty values are left out.
export function address(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams(pairs).toString();
  return `${BASE}${path}${search ? `?${search}` : ''}`;
}

async function value(answer) {
  if (answer.status === 204) return null;
  const json = answer.headers.get('Content-Type')?.startsWith('application/json');
  return json ? answer.json() : answer.text();
}

export const get = async (path, query, signal) => value(await call('GET', path, { query, signal }));
export const post = async (path, body, signal) => value(await call('POST', path, { body, signal }));
export const put = async (path, body, signal) => value(await call('PUT', path, { body, signal }));
export const del = async (path, signal) => value(await call('DELETE', path, { signal }));

// path joins parts, each of them escaped: path('chat', 'robots', id).
export function path(...parts) {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

// exists turns "not found" into null: what the page shows may have been forgotten.
export async function exists(promise) {
  try {
    return await promise;
  } catch (err) {
    if (err instanceof Problem && (err.status === 404 || err.status === 410)) return null;
    throw err;
  }
}
