// Package converttest is a fake of the conversion service, for tests of programs that use
// package convert, and to run them without an account.
//
//	s := converttest.NewServer(&converttest.Options{
//		Converter: converttest.Script{converttest.Pending(40), converttest.Success([]byte("text"))},
//	})
//	defer s.Close()
//	c, err := convert.New(s.Config())
//
// A task does what a [Converter] says: a [Script] of answers, [Scripts] for several
// documents, or real work by [Async]. A [Server] is also an http.Handler: a mux at
// [PathPrefix] makes it a service on a real port.
//
// The Server verifies signatures, checks each submit against protocol 2.1 by code of its
// own, serves results under URLs that expire, and counts calls per app. It is safe for
// concurrent use.
//
// # Errors
//
// A refusal has a code of public reference 2: 30003 for a signature, 10001 for a rule of
// protocol 2.1, 30002 over the rate limit, 30012 for an unknown task, 30004 if a
// Converter failed. The message names the rule. What else can go wrong is a [Fault].
//
// # Security
//
// The fake keeps passwords. Do not put it on a public network.
package converttest
