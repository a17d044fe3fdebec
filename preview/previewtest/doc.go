// Package previewtest is the other side of package preview: a strict player of the
// service, and a check of the contract that a store has to keep.
//
// [Run] checks a store in a test, one subtest for each sentence of the contract, and
// [Check] does so outside of tests:
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
// A [Viewer] opens and edits documents as the service does, through a handler in memory or
// over the network, and reports each rule of the protocol that an answer breaks:
//
//	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
//		Handler:     handler, // or BaseURL
//		Credentials: signing.App("SX2024", appKey),
//	})
//	...
//	file, err := viewer.Open(ctx, "plan", os.Stdout)
//
// A [MapStore] is a store in memory, written as a literal.
//
// # Errors
//
// A refusal is an [*AnswerError], and so is each of the [Rules] that an answer breaks; an
// error joins several. Other errors come from the network or the context. None holds a key,
// the query of a URL, or a token of eight or more characters.
//
// # Concurrency
//
// A Viewer and a MapStore are safe for concurrent use. A Viewer sets no deadline.
package previewtest
