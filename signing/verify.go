package signing

import (
	"bytes"
	"crypto/subtle"
	"io"
	"net/http"
	"strings"
)

// Verify checks the headers in h against payload, which is the body, or the
// request target where there is none. It makes the checks in their order
// (protocol 5.2 rules 1 to 4), always computes the digest of payload itself, and
// takes the Content-Type from h. The error is an [*Error].
//
// [Verifier.VerifyRequest] finds payload in a request, and is what most users
// want. Accepting allocates nothing.
func (v *Verifier) Verify(h http.Header, payload []byte) (Caller, error) {
	date, err := v.checkDate(h)
	if err != nil {
		return Caller{}, err
	}
	digest, ok := only(h, "Content-Md5")
	if !ok || !equal(digest, contentMD5(payload)) {
		return Caller{}, &Error{Check: CheckDigest, Reason: reasonDigest}
	}
	return v.checkAuthorization(h, digest, date, false)
}

// VerifyRequest is [Verifier.Verify] for a request as a server receives it. The
// body is read, up to MaxBody, and can be read again afterwards.
//
// A request without a body is verified over its request target, with its query
// or without, and over the Content-Type it came with or none: the service's own
// callbacks by GET sign an empty one (public reference 3.1, 3.2). So where a
// caller signs without the query, the query is not proven.
//
// Outside net/http, build a Request of Method, RequestURI, Header and Body; where
// RequestURI is empty, URL stands in for it, and nothing else is looked at.
func (v *Verifier) VerifyRequest(req *http.Request) (Caller, error) {
	date, err := v.checkDate(req.Header)
	if err != nil {
		return Caller{}, err
	}
	body, err := v.readBody(req)
	if err != nil {
		return Caller{}, err
	}
	digest, ok := only(req.Header, "Content-Md5")
	if len(body) > 0 {
		if !ok || !equal(digest, contentMD5(body)) {
			return Caller{}, &Error{Check: CheckDigest, Reason: reasonDigest}
		}
		return v.checkAuthorization(req.Header, digest, date, false)
	}
	prefix, target := v.cfg.PublicPrefix, v.cfg.Target(req)
	path, _, _ := strings.Cut(target, "?")
	if !ok || !(targetDigest(digest, prefix, target) || targetDigest(digest, prefix, path)) {
		return Caller{}, &Error{Check: CheckDigest, Target: prefix + path, Reason: reasonTarget}
	}
	return v.checkAuthorization(req.Header, digest, date, true)
}

const (
	reasonDate     = "there must be one Date header, in GMT"
	reasonSkew     = "Date is too far from the clock here: compare both clocks"
	reasonDigest   = "Content-Md5 must be there once and be the lowercase MD5 of the body as it arrived: was the body encoded again after it was signed?"
	reasonTarget   = "Content-Md5 must be there once and be the lowercase MD5 of the request target: does a proxy in between change the path (PublicPrefix)?"
	reasonRead     = "the body could not be read"
	reasonTooLarge = "the body is larger than the verifier reads (MaxBody)"
	reasonShape    = "Authorization must be there once, as two parts of a robot or three of an app"
	reasonTypes    = "there must be one Content-Type at most"
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

// readBody reads at most MaxBody and makes what it read readable again.
func (v *Verifier) readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	var buf bytes.Buffer
	if n := req.ContentLength; n > 0 && n <= v.cfg.MaxBody {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(io.LimitReader(req.Body, v.cfg.MaxBody+1))
	body := buf.Bytes()
	tooLarge := int64(len(body)) > v.cfg.MaxBody
	restored := io.Reader(bytes.NewReader(body))
	if err != nil || tooLarge {
		restored = io.MultiReader(restored, req.Body)
	}
	req.Body = readCloser{restored, req.Body}
	switch {
	case err != nil:
		return nil, &Error{Check: CheckDigest, Reason: reasonRead, cause: err}
	case tooLarge:
		return nil, &Error{Check: CheckDigest, Reason: reasonTooLarge, cause: &http.MaxBytesError{Limit: v.cfg.MaxBody}}
	}
	return body, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// checkAuthorization is protocol 5.2 rules 3 and 4. An app's Authorization has
// one part more than a robot's (protocol 5.1).
func (v *Verifier) checkAuthorization(h http.Header, digest, date string, bodiless bool) (Caller, error) {
	authorization, ok := only(h, "Authorization")
	first, rest, found := strings.Cut(authorization, ":")
	if !ok || !found {
		return Caller{}, &Error{Check: CheckShape, Reason: reasonShape}
	}
	id, sent, isApp := strings.Cut(rest, ":")
	scheme, appID := first, id
	if !isApp {
		scheme, id, sent, appID = "", first, rest, ""
	}
	if strings.Contains(sent, ":") {
		return Caller{}, &Error{Check: CheckShape, Reason: reasonShape}
	}

	// Of two, nobody could say which one was signed.
	contentType, ok := only(h, "Content-Type")
	if !ok && len(h["Content-Type"]) > 0 {
		return Caller{}, &Error{Check: CheckSignature, Reason: reasonTypes}
	}
	sum, wellFormed := parseSignature(sent)
	known, fits, robotKey := false, false, false
	for _, c := range v.cfg.Credentials {
		if isApp && c.robot && c.is(scheme) { // something follows its signature, which is no app id
			robotKey = true
		}
		if !c.is(id) {
			continue
		}
		known = true
		if c.robot == isApp || c.scheme != scheme {
			robotKey = robotKey || c.robot
			continue
		}
		fits = true
		if wellFormed && (signed(c, sum, digest, contentType, date) || bodiless && signed(c, sum, digest, "", date)) {
			return c.Caller(), nil
		}
	}
	e := &Error{Check: CheckSignature, AppID: appID, ContentType: contentType, Reason: reasonUnproven}
	switch {
	case robotKey: // in the form of an app: neither key nor signature is an app id
		e.Check, e.AppID = CheckShape, ""
	case !known:
		e.Check = CheckCaller
	case !fits:
		e.Check = CheckShape
	}
	return Caller{}, e
}

// signed compares in constant time, as bytes, so that the hexadecimal digits
// may be of either case.
func signed(c Credentials, sum [signatureLength / 2]byte, digest, contentType, date string) bool {
	want := signature(c.secret, digest, contentType, date)
	return subtle.ConstantTimeCompare(want[:], sum[:]) == 1
}

// targetDigest reports whether digest is that of a request target, without an
// allocation for the usual length. The digest of nothing would fit every empty body.
func targetDigest(digest, prefix, target string) bool {
	var room [512]byte
	payload := append(append(room[:0], prefix...), target...)
	return len(payload) > 0 && equal(digest, contentMD5(payload))
}

// equal compares with a digest that was computed here; a digest is no secret.
func equal(digest string, computed [digestLength]byte) bool { return digest == string(computed[:]) }

// only returns the one value of a header. Of two, a proxy or a framework might
// read the other one.
func only(h http.Header, key string) (string, bool) {
	if values := h[key]; len(values) == 1 {
		return values[0], true
	}
	return "", false
}
