package signing

import (
	"bytes"
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Verify checks the headers in h against payload: the body, or the request target if
// there is no body (protocol 5.2). The error is an [*Error], or wraps [ErrLookup].
// VerifierConfig.Lookup is called with an empty context.
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

// VerifyRequest is [Verifier.Verify] for a request as a server receives it. The body
// can be read again. Without a body, the request target is verified with its query or
// without, and over the Content-Type that it has or none: the callbacks of the service
// sign an empty one (public reference 3.1, 3.2).
//
// Without net/http, make a Request of Method, RequestURI, Header and Body; if
// RequestURI is empty, URL is used.
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

// readBody reads at most MaxBody and makes what it read readable again.
func (v *Verifier) readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	limit := v.cfg.MaxBody
	// It gives no memory for a declared length: nothing is proven yet.
	body, err := io.ReadAll(io.LimitReader(req.Body, max(limit, limit+1))) // limit+1 may overflow
	tooLarge := int64(len(body)) > limit
	restored := io.Reader(bytes.NewReader(body))
	if err != nil || tooLarge {
		restored = io.MultiReader(restored, req.Body)
	}
	req.Body = struct {
		io.Reader
		io.Closer
	}{restored, req.Body}
	switch {
	case err != nil:
		return nil, &Error{Check: CheckDigest, Reason: reasonRead, cause: err}
	case tooLarge:
		return nil, &Error{Check: CheckDigest, Reason: reasonTooLarge, cause: &http.MaxBytesError{Limit: limit}}
	}
	return body, nil
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

// checkAuthorization is protocol 5.2 rules 3 and 4. Authorization has three parts for an
// app and two for a robot (protocol 5.1).
func (v *Verifier) checkAuthorization(ctx context.Context, h http.Header, digest, date string, bodiless bool) (Caller, error) {
	authorization, ok := only(h, "Authorization")
	first, rest, found := strings.Cut(authorization, ":")
	scheme, id, sent := "", first, rest
	if second, third, isApp := strings.Cut(rest, ":"); isApp {
		scheme, id, sent = first, second, third
	}
	if !ok || !found || strings.Contains(sent, ":") {
		return Caller{}, &Error{Check: CheckShape, Reason: reasonShape}
	}
	// Of two, it would be unknown which one was signed.
	contentType, ok := only(h, "Content-Type")
	if !ok && len(h["Content-Type"]) > 0 {
		return Caller{}, &Error{Check: CheckSignature, Reason: reasonTypes}
	}
	isApp := rest != sent
	credentials, err := v.credentials(ctx, isApp, id)
	if err != nil {
		return Caller{}, err
	}
	sum, wellFormed := parseSignature(sent)
	fits := false
	for _, c := range credentials {
		if c.scheme != scheme {
			continue
		}
		fits = true
		if wellFormed && (signed(c, sum, digest, contentType, date) || bodiless && signed(c, sum, digest, "", date)) {
			return c.Caller(), nil
		}
	}

	e := &Error{Check: CheckSignature, ContentType: contentType, Reason: reasonUnproven}
	if isApp {
		e.AppID = id
	}
	switch {
	case isApp && (v.isRobot(id) || v.isRobot(first)): // neither a robot key nor its signature is an app id
		e.Check, e.AppID = CheckShape, ""
	case fits:
	case len(credentials) > 0, !isApp && len(v.apps[id]) > 0:
		e.Check = CheckShape
	default:
		e.Check = CheckCaller
	}
	return Caller{}, e
}

func (v *Verifier) isRobot(key string) bool {
	return len(v.robots) > 0 && len(v.robots[hashKey(key)]) > 0
}

// credentials returns those of an app id or a robot key.
func (v *Verifier) credentials(ctx context.Context, isApp bool, id string) ([]Credentials, error) {
	var known []Credentials
	if isApp {
		known = v.apps[id]
	} else if len(v.robots) > 0 {
		known = v.robots[hashKey(id)]
	}
	if len(known) > 0 || v.cfg.Lookup == nil || id == "" || !headerSafe(id) {
		return known, nil
	}
	caller := Caller{AppID: id}
	if !isApp {
		caller = Caller{RobotKey: NewSecret(id)}
	}
	found, err := v.cfg.Lookup(ctx, caller)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLookup, err)
	}
	for _, c := range found {
		if c.robot == isApp || !c.id.Equal(NewSecret(id)) {
			return nil, fmt.Errorf("%w: Lookup returned the credentials of another caller", ErrLookup)
		}
		if problems := c.problems(); len(problems) > 0 {
			return nil, fmt.Errorf("%w: %w", ErrLookup, problems[0])
		}
	}
	return found, nil
}

// signed compares in constant time, as bytes: the hexadecimal digits may be in either
// case.
func signed(c Credentials, sum [signatureLength / 2]byte, digest, contentType, date string) bool {
	want := signature(c.secret, digest, contentType, date)
	return subtle.ConstantTimeCompare(want[:], sum[:]) == 1
}
