// Package signing signs and verifies requests as the service does: an MD5 of the body, and
// a SHA-1 over a secret, that MD5, the Content-Type and the Date (protocol 5).
//
// To sign a request before it is sent:
//
//	signer, err := signing.NewSigner(signing.App("SX2024", signing.NewSecret(appKey)))
//	...
//	err = signer.SignRequest(req, time.Now())
//
// To verify a request that was received:
//
//	verifier, err := signing.NewVerifier(signing.VerifierConfig{
//		Credentials: []signing.Credentials{signing.App("SX2024", signing.NewSecret(appKey))},
//	})
//	...
//	caller, err := verifier.VerifyRequest(req)
//
// The clients and handlers of this module do both on their own. "Protocol 5.1" is a
// section of https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md, and
// "public reference 3.1" one of
// https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md.
//
// # What is signed
//
// Content-Md5 is the lowercase MD5 of the body. A request without a body has the MD5 of
// its request target instead: path and query, escaped as they are sent, with every path
// prefix. Authorization ends in the hexadecimal SHA-1 of secret + Content-Md5 +
// Content-Type + Date. An application writes "SVC-2:<app id>:<signature>" ([App]; for
// another scheme [AppWithScheme]), a group robot "<robot key>:<signature>" ([Robot]).
//
// # Errors
//
// A refusal is an [*Error], which wraps [ErrTimestamp] or [ErrSignature] and says in Check
// which check failed. If both sides seem right, it is nearly always one of these:
//
//   - CheckDigest: the body was encoded again after it was signed, or gained a line feed;
//     or a proxy removes a path prefix (VerifierConfig.PublicPrefix).
//   - CheckSignature: a library added "; charset=utf-8" to Content-Type; or the key
//     belongs to another app.
//   - CheckDate: the local time was labelled GMT; or a clock is wrong.
//
// [ErrLookup] is not a refusal but a failure of VerifierConfig.Lookup.
//
// # Concurrency
//
// A [Signer], a [Verifier], [Credentials] and a [Secret] may be used by any number of
// goroutines.
//
// # Security
//
// The signature covers the body or the request target, Content-Type and Date, and nothing
// else: not the method, not the path of a request with a body, not any X- header, and not
// the query if the sender left it out. Only the [Caller] is proven. A request can be
// replayed within the tolerance of Date. MD5 and SHA-1 are what the protocol prescribes.
// All of this needs TLS.
//
// Secrets and signatures are compared in constant time, and no error says what would have
// been right.
//
// # Limits
//
// Date may be [DefaultTolerance] off. [Verifier.VerifyRequest] reads bodies up to
// [DefaultMaxBody]. Go's FIPS 140-only mode has neither hash, and the constructors fail.
package signing
