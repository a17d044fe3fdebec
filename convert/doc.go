// Package convert converts office documents to text and PDF: it submits the URL of a
// document, waits for the task, and downloads the files.
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
// [Client.Watch] shows progress, [Client.Wait] returns the URLs of the files, [Batch]
// converts many documents, and [Client.Do] calls other endpoints.
//
// The protocol is https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md, and
// the public reference
// https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md.
//
// # Errors
//
// See [FieldError], [APIError] and [TaskError]. Errors of the context wrap its Err and
// its cause. A submit that failed made no task if its error is [ErrNotAccepted]; otherwise,
// to repeat it may make a second one.
//
// # Observation
//
// Config.Observe is called for each attempt of "convert.submit_text",
// "convert.submit_pdf", "convert.status", "convert.download", and "convert.call"
// ([Client.Do]).
//
// # Security
//
// Each attempt is signed over the bytes that are sent, needs https, and follows no
// redirect. A download carries neither signature nor Referer. App keys, passwords and the
// queries of URLs are in no error, log or observation, and are not printed; they are in
// File.URL, Status.Raw, and the JSON forms of requests, files, results and statuses.
package convert
