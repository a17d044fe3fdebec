// Package convert converts office documents to text and PDF: it submits the URL of a
// document, waits for the task, and downloads the files (protocol 2.1 to 2.3, 4.1).
//
//	client, err := convert.New(convert.Config{
//		BaseURL:     "https://office.example",
//		Credentials: signing.App("SX2024", signing.NewSecret(appKey)),
//	})
//	...
//	task, err := client.SubmitPDF(ctx, convert.PDFRequest{
//		URL:      "https://files.example/report.docx?sig=…",
//		Filename: "report.docx",
//	})
//	...
//	paths, err := client.Save(ctx, task, "out", nil)
//
// Store the [Task] after the submit, and another process can wait for it. [Client.Watch]
// shows progress, [Client.Wait] returns the URLs of the files, [Batch] does all of it for
// many documents, and [Client.Do] calls endpoints that have no method here. What the
// protocol leaves open is a setting of [Config], with a default from the public
// reference.
//
// "Protocol 2.1" is a section of
// https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md, and "public
// reference 1.1" one of
// https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md.
//
// # Errors
//
// An argument that breaks a rule is a [*FieldError], and nothing is sent. An answer that
// is not a success is an [*APIError], and [ErrRateLimited] if the rate limit rejected the
// last attempt. A wait that ends without a result is a [*TaskError]: [ErrFailed] if the
// task failed, [ErrWaitLimit] if it may still succeed. [Client.Download] adds
// [ErrExpired] and [ErrSize]. Other errors come from the network or the context; the
// latter wrap the context's Err and its cause.
//
// After a submit that failed, ask for [ErrNotAccepted]: if the error matches, there is no
// task. Otherwise it is unknown whether there is one, the submit was not repeated, and to
// repeat it may make a second task.
//
// # Observation
//
// Config.Observe is called for each attempt of "convert.submit_text",
// "convert.submit_pdf", "convert.status" and "convert.download", and of "convert.call"
// for [Client.Do]. Its Outcome has the request id of successes too.
//
// # Concurrency
//
// A [Client] is safe for concurrent use, starts no goroutine that outlives a call, and
// shares nothing with other Clients unless you give them one [Limiter]. Keep it. To
// change the app key, make a new Client with the same Limiter.
//
// # Security
//
// Each attempt is signed over the bytes that are sent. A signed call follows no redirect
// and needs https. A download carries neither signature nor Referer. App keys, passwords
// and the queries of URLs, which give access, are in no error, log or observation, and
// are not printed. They are in File.URL, in Status.Raw, and in the JSON forms of
// requests, files, results and statuses.
//
// An answer is matched to its call by net/http, that is by its place on the connection.
// If something in between sends an answer twice over HTTP/1.1, the next call may get it;
// net/http logs the others, with the URLs in them. [Batch] finds a task that is reported
// twice. A Transport with DisableKeepAlives avoids it, for a handshake per call.
//
// # Limits
//
// The service permits ten calls a second per app ([DefaultCallsPerSecond]), queries
// included. Processes that share an app need a [Limiter] that they share. The URL of a
// result works for half an hour ([URLLifetime]). An answer may have [DefaultMaxBody]
// bytes, a file any number.
package convert
