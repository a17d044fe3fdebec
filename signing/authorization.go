package signing

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"
)

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
