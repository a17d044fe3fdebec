// Package signing signs and verifies requests as the service does: an MD5 of the body, and
// a SHA-1 over a secret, that MD5, the Content-Type and the Date (protocol 5).
//
//	signer, err := signing.NewSigner(signing.App("SX2024", signing.NewSecret(appKey)))
//	...
//	err = signer.SignRequest(req, time.Now())
//	...
//	verifier, err := signing.NewVerifier(signing.VerifierConfig{
//		Credentials: []signing.Credentials{signing.App("SX2024", signing.NewSecret(appKey))},
//	})
//	...
//	caller, err := verifier.VerifyRequest(req)
//
// The clients and handlers of this module do both. The protocol is
// https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md, and the public
// reference https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md.
//
// # What is signed
//
// Content-Md5 is the lowercase MD5 of the body; without a body, of the request target:
// path and query, escaped as they are sent, with every path prefix. Authorization ends in
// the hexadecimal SHA-1 of secret + Content-Md5 + Content-Type + Date.
//
// # Errors
//
// A refusal is an [*Error], which wraps [ErrTimestamp] or [ErrSignature]. If both sides
// seem right, it is nearly always one of these:
//
//   - CheckDigest: the body was encoded again after it was signed, or gained a line feed;
//     or a proxy removes a path prefix (VerifierConfig.PublicPrefix).
//   - CheckSignature: a library added "; charset=utf-8" to Content-Type; or the key
//     belongs to another app.
//   - CheckDate: the local time was labelled GMT; or a clock is wrong.
//
// # Security
//
// The signature does not cover the method, the path of a request with a body, X- headers,
// or the query if the sender left it out. Only the [Caller] is proven. A request can be
// replayed within the tolerance of Date. So TLS is required. Signatures are compared in
// constant time, and no error says what would have been right.
//
// In Go's FIPS 140-only mode, without MD5 and SHA-1, the constructors fail.
package signing
