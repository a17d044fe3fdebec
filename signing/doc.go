// Package signing signs and verifies requests the way the service does it: an
// MD5 of the body, and a SHA-1 over a secret, that MD5, the Content-Type and the
// Date (protocol 5). Both directions of the wire share it: the clients of this
// module sign with it, the callback handlers verify with it, and so do the fakes
// that ship beside them.
//
// To sign a request that is about to go out:
//
//	signer, err := signing.NewSigner(signing.App("SX2024", signing.NewSecret(appKey)))
//	...
//	err = signer.SignRequest(req, time.Now())
//
// To verify one that came in:
//
//	verifier, err := signing.NewVerifier(signing.VerifierConfig{
//		Credentials: []signing.Credentials{signing.App("SX2024", signing.NewSecret(appKey))},
//	})
//	...
//	caller, err := verifier.VerifyRequest(req)
//
// # What is signed
//
// Content-Md5 is the lowercase MD5 of the body. A request without a body has the
// MD5 of its request target instead: path and query, escaped as they go out, with
// every path prefix. Authorization ends in the hexadecimal SHA-1 of secret +
// Content-Md5 + Content-Type + Date. An application writes
// "SVC-2:<app id>:<signature>" ([App]; another scheme word: [AppWithScheme]), a
// group robot "<robot key>:<signature>" ([Robot]).
//
// # Errors
//
// A refusal is an [*Error], which wraps [ErrTimestamp] or [ErrSignature] and says
// in Check which of the checks failed. When a signature does not match although
// both sides seem right, it is nearly always one of these:
//
//   - CheckDigest: the body was encoded again after it was signed, or gained a
//     line feed; or a proxy takes away a path prefix (VerifierConfig.PublicPrefix).
//   - CheckSignature: a library added "; charset=utf-8" to Content-Type; or the key
//     belongs to another app.
//   - CheckDate: the local time was written and labelled GMT; or a clock is off.
//
// # Concurrency
//
// A [Signer], a [Verifier], [Credentials] and a [Secret] are immutable and may be
// used by any number of goroutines.
//
// # Security
//
// The signature covers the body or the request target, Content-Type and Date, and
// nothing else: not the method, not the path of a request that has a body, not any
// X- header, and not the query where the sender left it out. Nothing of that is
// proven; only the [Caller] is. Within the tolerance of Date a request can be
// replayed. MD5 and SHA-1 are what the protocol prescribes. All of this needs TLS
// underneath.
//
// A [Secret] does not print. Secrets and signatures are compared in constant time,
// and no error says what would have been right.
//
// # Limits
//
// Date may be [DefaultTolerance] off, to either side. [Verifier.VerifyRequest]
// reads bodies up to [DefaultMaxBody]. Neither hash exists in Go's FIPS 140-only
// mode, where the constructors fail.
package signing
