package signing

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
)

// Verify checks the headers in h against payload, which is the body, or the request
// target if there is no body. It makes the checks in their order (protocol 5.2 rules 1
// to 4), always computes the digest of payload itself, and takes the Content-Type from
// h. The error is an [*Error], or wraps [ErrLookup].
//
// [Verifier.VerifyRequest] finds payload in a request, and is what most users want.
// Verify allocates nothing if it accepts, and calls VerifierConfig.Lookup with an empty
// context.
func (v *Verifier) Verify(h http.Header, payload []byte) (Caller, error) {
	date, err := v.checkDate(h)
	if err != nil {
		return Caller{}, err
	}
	digest, err := checkDigest(h, payload)
	if err != nil {
		return Caller{}, err
	}
	return v.checkAuthorization(context.Background(), h, digest, date, false)
}

// VerifyRequest is [Verifier.Verify] for a request as a server receives it. The body is
// read, up to MaxBody, and can be read again afterwards.
//
// A request without a body is verified over its request target, with its query or
// without, and over the Content-Type that it has or none: the service's own callbacks by
// GET sign an empty one (public reference 3.1, 3.2). If a caller signs without the
// query, the query is not proven.
//
// Without net/http, make a Request of Method, RequestURI, Header and Body; if RequestURI
// is empty, URL is used instead.
func (v *Verifier) VerifyRequest(req *http.Request) (Caller, error) {
	date, err := v.checkDate(req.Header)
	if err != nil {
		return Caller{}, err
	}
	body, err := v.readBody(req)
	if err != nil {
		return Caller{}, err
	}
	var digest string
	if len(body) > 0 {
		digest, err = checkDigest(req.Header, body)
	} else {
		digest, err = v.checkTarget(req)
	}
	if err != nil {
		return Caller{}, err
	}
	return v.checkAuthorization(req.Context(), req.Header, digest, date, len(body) == 0)
}

const (
	reasonDate     = "there must be one Date header, in GMT"
	reasonSkew     = "Date is too far from the clock here: compare both clocks"
	reasonDigest   = "Content-Md5 must be there once and be the lowercase MD5 of the body as it arrived: was the body encoded again after it was signed?"
	reasonTarget   = "Content-Md5 must be there once and be the lowercase MD5 of the request target: does a proxy in between change the path (PublicPrefix)?"
	reasonUpper    = "Content-Md5 is in upper case: it must be in lower case (protocol 5.1)"
	reasonNothing  = "Content-Md5 is the MD5 of nothing: a request without a body must have the MD5 of its request target (protocol 5.1)"
	reasonEaten    = "the request has a body, but nothing of it could be read: a handler in front (a middleware, a framework) has read it before; verify first, or put it back"
	reasonRead     = "the body could not be read"
	reasonTooLarge = "the body is larger than the verifier reads (MaxBody)"
	reasonShape    = "Authorization must be there once, as two parts of a robot or three of an app"
	reasonTypes    = "there must be at most one Content-Type"
	reasonUnproven = "no credentials for this caller give this signature: compare scheme, secret, Content-Type and Date with what was signed"
)

// checkDate is protocol 5.2 rule 1. It returns Date as received, since that is
// what was signed.
func (v *Verifier) checkDate(h http.Header) (string, error) {
	date, ok := only(h, "Date")
	if !ok {
		return "", &Error{Check: CheckDate, Reason: reasonDate}
	}
	if v.cfg.Tolerance < 0 {
		return date, nil
	}
	at, err := ParseDate(date)
	if err != nil {
		return "", &Error{Check: CheckDate, Reason: reasonDate}
	}
	if skew := v.cfg.Now().Sub(at); skew.Abs() > v.cfg.Tolerance {
		return "", &Error{Check: CheckDate, Skew: skew, Reason: reasonSkew}
	}
	return date, nil
}

// checkDigest is protocol 5.2 rule 2 for a body.
func checkDigest(h http.Header, body []byte) (string, error) {
	digest, ok := only(h, "Content-Md5")
	computed := contentMD5(body)
	switch {
	case ok && equal(digest, computed):
		return digest, nil
	case ok && equal(strings.ToLower(digest), computed):
		return "", &Error{Check: CheckDigest, Reason: reasonUpper}
	default:
		return "", &Error{Check: CheckDigest, Reason: reasonDigest}
	}
}

// digestOfNothing is what some senders write for a request without a body.
const digestOfNothing = "d41d8cd98f00b204e9800998ecf8427e"

// checkTarget is protocol 5.2 rule 2 for a request without a body. If it declares a
// body, its signature proves nothing, whatever it covers.
func (v *Verifier) checkTarget(req *http.Request) (string, error) {
	digest, ok := only(req.Header, "Content-Md5")
	prefix, target := v.cfg.PublicPrefix, v.cfg.Target(req)
	path, _, _ := strings.Cut(target, "?")
	matches := func(digest string) bool {
		return targetDigest(digest, prefix, target) || targetDigest(digest, prefix, path)
	}
	if ok && req.ContentLength <= 0 && matches(digest) {
		return digest, nil
	}
	e := &Error{Check: CheckDigest, Target: prefix + path, Reason: reasonTarget}
	switch {
	case req.ContentLength != 0:
		e.Target, e.Reason = "", reasonEaten
	case ok && strings.EqualFold(digest, digestOfNothing):
		e.Reason = reasonNothing
	case ok && matches(strings.ToLower(digest)):
		e.Reason = reasonUpper
	}
	return "", e
}

// firstRead limits the memory that a body gets for its declared length alone: nothing is
// proven yet.
const firstRead = 64 << 10

// readBody reads at most MaxBody and makes what it read readable again.
func (v *Verifier) readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	limit := v.cfg.MaxBody
	var buf bytes.Buffer
	if n := min(req.ContentLength, limit, firstRead); n > 0 {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(io.LimitReader(req.Body, max(limit, limit+1))) // limit+1 may overflow
	body := buf.Bytes()
	tooLarge := int64(len(body)) > limit
	restored := io.Reader(bytes.NewReader(body))
	if err != nil || tooLarge {
		restored = io.MultiReader(restored, req.Body)
	}
	req.Body = readCloser{restored, req.Body}
	switch {
	case err != nil:
		return nil, &Error{Check: CheckDigest, Reason: reasonRead, cause: err}
	case tooLarge:
		return nil, &Error{Check: CheckDigest, Reason: reasonTooLarge, cause: &http.MaxBytesError{Limit: limit}}
	}
	return body, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// targetDigest reports whether digest is that of a request target, without an
// allocation for the usual length. The digest of nothing would fit every empty body.
func targetDigest(digest, prefix, target string) bool {
	var room [512]byte
	payload := append(append(room[:0], prefix...), target...)
	return len(payload) > 0 && equal(digest, contentMD5(payload))
}

// equal compares with a digest that was computed here; a digest is not a secret.
func equal(digest string, computed [digestLength]byte) bool { return digest == string(computed[:]) }

// only returns the value of a header that is there once. Of two values, a proxy or a
// framework might read the other one.
func only(h http.Header, key string) (string, bool) {
	if values := h[key]; len(values) == 1 {
		return values[0], true
	}
	return "", false
}
