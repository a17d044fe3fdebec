// Package convert turns office documents into text and PDF: it submits a document
// by its address, waits for the task, and downloads the files (protocol 2.1 to
// 2.3, 4.1).
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
// A [Task] is plain data: stored after the submit, it can be waited for by
// another process. [Client.Watch] shows progress, [Client.Wait] gives the
// addresses of the files instead of saving them, [Batch] does all of it for many
// documents, and [Client.Do] calls endpoints that have no method here.
//
// What the protocol leaves open is a setting of [Config], whose default comes
// from the public reference: the task query, which states are final, which
// answers are refusals for the rate of calls.
//
// # Errors
//
// A request that breaks a rule of the protocol is not sent: its error joins a
// [*FieldError] for each. An answer that does not prove a success is an
// [*APIError], whose Code is one of [CodeRateLimiter] and the others; it is
// [ErrRateLimited] where the service went on refusing for the rate of calls. A
// wait that ends without a result is a [*TaskError]: [ErrFailed] where the task
// failed, [ErrWaitLimit] where it may still end well. [Client.Download] adds
// [ErrExpired] and [ErrSize]. All other errors come from the network or from the
// context, and those wrap both the context's Err and its cause.
//
// After a submit that ended in a network error nobody knows whether the service
// has the document. It is not repeated; whoever does so risks a second task.
//
// # Concurrency
//
// A [Client] is safe for concurrent use, starts no goroutine that outlives a call,
// and shares nothing with other Clients. Keep one: the rate limit is its own.
//
// # Security
//
// Each attempt of each call is signed over the bytes that go out. No redirect of a
// signed call is followed. A download carries no signature, and no Referer. App
// keys, passwords and the queries of addresses, which give access to documents and
// results, are in no error and in no log, and are not printed with requests,
// statuses, results and files. They are where they must be: in File.URL,
// Status.Raw, and the JSON forms of requests, files, results and statuses, which
// show all of an address.
//
// # Limits
//
// Ten calls a second per app ([DefaultCallsPerSecond]) is what the service grants;
// queries count. Processes that share an app need a [Limiter] that they share. The
// address of a result works for half an hour ([URLLifetime]). An answer may have
// [DefaultMaxBody] bytes, a file any number of them.
package convert
