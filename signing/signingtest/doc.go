// Package signingtest helps to test code that signs or verifies: with signed requests,
// and with vectors for other implementations.
//
//	req := signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/v3/3rd/files/1", nil)
//	handler.ServeHTTP(recorder, req)
//
// # Vectors
//
// [Vectors] holds two folders of text files. A file has a "name: value" on each line; a
// name may repeat; payload and body are JSON strings.
//
// A file in sign, for signers:
//
//	credentials: SVC-2 <app id> <app key>      or: robot <robot key> <signing secret>
//	date, content-type, payload:               what is signed
//	content-md5, authorization:                the headers
//
// A file in verify, for verifiers:
//
//	expect: ok                                 or: timestamp failure, signature failure
//	check: digest                              the check that fails, if one does
//	caller: app <app id>                       or: robot <robot key>
//	credentials:                               one line for each that is accepted
//	now:                                       the verifier's clock
//	tolerance: -1s                             unless it is the default
//	prefix: /office                            the path prefix that a proxy removed
//	request: GET /v3/3rd/files/1               as it arrives
//	header: Date: …                            each header
//	body:                                      if there is one
package signingtest
