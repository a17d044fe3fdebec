// Package previewtest is the other side of package preview: a strict player of the
// service, and a check of the contract of a store.
//
// [Run] checks a store in a test, and [Check] when a program starts:
//
//	func TestStore(t *testing.T) {
//		previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
//			return previewtest.Fixture{
//				Config:   preview.Config{Store: newStore(t)},
//				Existing: []preview.Request{{FileID: "plan"}},
//				Missing:  preview.Request{FileID: "nothing"},
//			}
//		})
//	}
//
// A [Viewer] opens and edits documents as the service does, and reports each rule of the
// protocol that an answer breaks:
//
//	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
//		Handler:     handler, // or BaseURL
//		Credentials: signing.App("SX2024", appKey),
//	})
//	...
//	file, err := viewer.Open(ctx, "plan", os.Stdout)
//
// # Errors
//
// The error of a Viewer joins [AnswerError]s, or comes from the network or the context. It
// holds no key, query of a URL, or token of eight or more characters.
//
// # Concurrency
//
// A Viewer and a MapStore are safe for concurrent use. A Viewer sets no deadline.
package previewtest
