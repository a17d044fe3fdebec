// Package converttest is the other side of package convert: a server that plays
// the conversion service, to test against and to run without an account.
//
//	s := converttest.NewServer(&converttest.Options{
//		Converter: converttest.Script{converttest.Pending(40), converttest.Success([]byte("text"))},
//	})
//	defer s.Close()
//	c, err := convert.New(s.Config())
//
// The [Server] is stricter than any deployment can be relied on to be. It
// verifies every signature, holds each submit against the table of protocol 2.1
// by code of its own, serves results under addresses that run out, and counts
// calls per app. What a task does is up to a [Converter]: a [Script] of answers,
// [Scripts] per document, or real work through [Async].
//
// A Server is a plain http.Handler. [Server.Config] reaches it in memory, also in
// a testing/synctest bubble, where waiting takes no time; a net/http server, or a
// mux on which it is mounted at [PathPrefix], makes it a service on a real port.
//
// # Errors
//
// What the server refuses, it answers with a code of public reference 2: 30003
// for a signature, 10001 for a rule of protocol 2.1, 30002 over the rate, 30012
// for an unknown task, 30004 where a Converter broke down. The message says which
// rule it was.
//
// Everything else that can go wrong is a [Fault], which [Server.Fail] puts in
// front of the next requests: answers cut short, delayed or replaced, connections
// that break.
//
// # Concurrency
//
// A Server is safe for concurrent use. Work started by Async runs in goroutines
// that [Server.Close] ends and waits for.
//
// # Security
//
// The fake holds what it is sent, passwords included, until it is garbage
// collected; a [Submission] prints without them. Do not put it on a public
// network.
package converttest
