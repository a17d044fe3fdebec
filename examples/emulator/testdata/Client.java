// A client of the service with nothing but Java: java Client.java <address of a document>
// It converts the document to text and posts the first line, and prints it.
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Client {
    static final String BASE = System.getenv("WEBOFFICE_BASE_URL");
    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    static String hash(String name, String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance(name).digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    static String send(HttpRequest request) throws Exception {
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    // Without a body, the MD5 is that of the request target.
    static String signed(String method, String target, String body) throws Exception {
        String date = DATE.format(ZonedDateTime.now(ZoneOffset.UTC));
        String md5 = hash("MD5", body == null ? target : body);
        String type = "application/json";
        String signature = hash("SHA-1", System.getenv("WEBOFFICE_APP_KEY") + md5 + type + date);
        HttpRequest.BodyPublisher publisher = body == null
            ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        return send(HttpRequest.newBuilder(URI.create(BASE + target)).method(method, publisher)
            .header("Date", date).header("Content-Md5", md5).header("Content-Type", type)
            .header("Authorization", "SVC-2:" + System.getenv("WEBOFFICE_APP_ID") + ":" + signature).build());
    }

    static String find(String pattern, String in) {
        Matcher m = Pattern.compile(pattern).matcher(in);
        if (!m.find()) {
            throw new IllegalStateException(in);
        }
        return m.group(1);
    }

    public static void main(String[] args) throws Exception {
        String submit = "{\"url\":\"" + args[0] + "\",\"filename\":\"java.docx\",\"long_txt\":true}";
        String id = find("\"task_id\":\"([^\"]+)\"", signed("POST", "/api/developer/v1/office/convert/to/txt", submit));
        String task;
        do {
            Thread.sleep(50);
            task = signed("GET", "/api/developer/v1/tasks/" + URLEncoder.encode(id, StandardCharsets.UTF_8), null);
        } while (!task.contains("\"success\"") && !task.contains("\"failed\""));
        String text = send(HttpRequest.newBuilder(URI.create(find("\"url\":\"([^\"]+)\"", task))).build());
        String line = text.substring(0, 40).replaceAll("[\"\\\\\\p{Cntrl}]", " ");
        String message = "{\"msgtype\":\"text\",\"text\":{\"content\":\"Java read: " + line + "\"}}";
        send(HttpRequest.newBuilder(URI.create(System.getenv("WEBOFFICE_ROBOT_URL")))
            .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(message)).build());
        System.out.println(line);
    }
}
