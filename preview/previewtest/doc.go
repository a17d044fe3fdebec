// Package previewtest is the other side of package preview: a strict player of
// the service that calls, and a check of the contract that a store has to keep.
//
// A [Viewer] opens a document as the service does, through a handler in memory or
// over the network, and reports each rule of the protocol that an answer breaks:
//
//	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
//		Handler:     handler, // or BaseURL
//		Credentials: signing.App("SX2024", appKey),
//	})
//	...
//	file, err := viewer.Open(ctx, "plan", os.Stdout)
//
// [Run] checks a store in a test, one subtest for each sentence of the contract of
// preview.Store and the interfaces beside it, and [Check] does so outside of tests:
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
// A [MapStore] is a store in memory, written as a literal.
//
// # Errors
//
// An answer that is no success, or that breaks a rule, is an [*AnswerError]; its
// Rule is one of [Rules]. Where several rules are broken, the error joins one for
// each. Errors that are none of these come from the network or from the context.
//
// # Concurrency
//
// A Viewer and a MapStore are safe for concurrent use.
//
// # Security
//
// No error holds a key, the query of an address, or a token of eight characters or
// more: shorter ones are those of tests. An AnswerError keeps a part of the answer's
// body, without the queries of the addresses in it.
//
// # Limits
//
// A Viewer reads answers of up to [MaxAnswer] bytes, and follows no redirect of a
// callback. It sets no deadline of its own.
package previewtest
