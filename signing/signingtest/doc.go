// Package signingtest helps to test code that signs or verifies: requests that are
// signed as the service signs them, the credentials that every fake accepts,
// and vectors for other implementations.
//
//	req := signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/v3/3rd/files/1", nil)
//	handler.ServeHTTP(recorder, req)
//
// # Vectors
//
// [Vectors] holds two folders of text files, made by another implementation than
// this one. A file has one "name: value" on each line; a name may repeat; payload
// and body are JSON strings. Dates are in the form of the header.
//
// A file in sign says what a signer writes:
//
//	credentials: SVC-2 <app id> <app key>      or: robot <robot key> <signing secret>
//	date, content-type, payload:               what is signed
//	content-md5, authorization:                what comes out
//
// A file in verify says what a verifier makes of a request:
//
//	expect: ok                                 or: timestamp failure, signature failure
//	check: digest                              which check fails, where one does
//	caller: app <app id>                       or: robot <robot key>
//	credentials:                               as above, one line for each that is accepted
//	now:                                       the verifier's clock
//	tolerance: -1s                             where it is not the default
//	prefix: /office                            the path prefix that a proxy took away
//	request: GET /v3/3rd/files/1               method and request target as they arrive
//	header: Date: …                            each header
//	body:                                      left out where there is none
package signingtest
