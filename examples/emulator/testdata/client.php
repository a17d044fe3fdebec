<?php
// A client of the service with nothing but PHP: php client.php <address of a document>
// It converts the document to text and posts the first line, and prints it.
declare(strict_types=1);

function call(string $method, string $url, ?string $body, array $headers): string
{
    $context = stream_context_create(['http' => [
        'method' => $method, 'header' => $headers, 'content' => $body ?? '', 'ignore_errors' => true,
    ]]);
    $answer = file_get_contents($url, false, $context);
    if ($answer === false || !str_contains($http_response_header[0], ' 200 ')) {
        throw new RuntimeException(($http_response_header[0] ?? 'no answer') . ' ' . $answer);
    }
    return $answer;
}

// Without a body, the MD5 is that of the request target.
function signed(string $method, string $target, ?string $body = null): array
{
    $date = gmdate('D, d M Y H:i:s') . ' GMT';
    $md5 = md5($body ?? $target);
    $type = 'application/json';
    $signature = sha1(getenv('WEBOFFICE_APP_KEY') . $md5 . $type . $date);
    $answer = json_decode(call($method, getenv('WEBOFFICE_BASE_URL') . $target, $body, [
        "Date: $date", "Content-Md5: $md5", "Content-Type: $type",
        'Authorization: SVC-2:' . getenv('WEBOFFICE_APP_ID') . ":$signature",
    ]), true, 512, JSON_THROW_ON_ERROR);
    if ($answer['code'] !== 0) {
        throw new RuntimeException(json_encode($answer));
    }
    return $answer['data'];
}

$submit = json_encode(['url' => $argv[1], 'filename' => 'php.docx', 'long_txt' => true]);
$id = signed('POST', '/api/developer/v1/office/convert/to/txt', $submit)['task_id'];
do {
    usleep(50_000);
    $task = signed('GET', '/api/developer/v1/tasks/' . rawurlencode($id));
} while ($task['status'] !== 'success' && $task['status'] !== 'failed');
$text = beginning(call('GET', $task['result']['txts'][0]['url'], null, []));
$message = json_encode(['msgtype' => 'text', 'text' => ['content' => "PHP read: $text"]]);
call('POST', getenv('WEBOFFICE_ROBOT_URL'), $message, ['Content-Type: application/json']);
echo $text, "\n";

// Works without the extension mbstring.
function beginning(string $text): string
{
    preg_match('/^.{0,40}/us', $text, $first);
    return $first[0];
}
