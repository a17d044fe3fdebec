package tokentest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// rules are the sentences that Run checks.
var rules = []rule{
	{"success", "a user who may open the file gets a token in the form of protocol 2.11", checkSuccess},
	{"seconds left", "expires_in is the time that is left, so it falls (protocol 2.11)", checkSecondsLeft},
	{"concurrent", "the handler is called concurrently", checkConcurrent},
	{"unknown members", "members of the body that the protocol does not name are ignored", checkUnknownMembers},
	{"unknown length", "a body without a Content-Length is read like any other", checkUnknownLength},
	{"method", "a method other than POST is refused with 405, Allow and a code (protocol 4.3, 7 rule 1)", checkMethod},
	{"content type", "a Content-Type other than application/json is refused with a code (protocol 4.3)", checkContentType},
	{"not an object", "a body that is not one JSON object is refused with a code (protocol 2.11)", checkNotObject},
	{"missing field", "a request without one of the three fields is refused, and the message names it (protocol 2.11)", checkMissing},
	{"empty field", "a request with an empty field is refused, and the message names it (protocol 2.11)", checkEmpty},
	{"wrong type", "a field that is not a string is refused, and the message names it (protocol 2.11)", checkWrongType},
	{"field given twice", "a body that gives a field twice is refused, since two readers would see two requests", checkTwice},
	{"oversize", "a body of 1 MiB is refused with a code", checkOversize},
	{"unsigned", "if requests are signed, one without a signature is refused with a code", checkUnsigned},
	{"altered body", "if requests are signed, a body other than the signed one is refused with a code (protocol 5.2 rule 2)", checkAltered},
	{"other app", "an app does not get the token of another app (protocol 2.11)", checkOtherApp},
	{"denied user", "a user who may not open the file gets no token, even if another user has just got it", checkDenied},
	{"unknown user", "a weboffice_token of no user gets no token (protocol 2.11)", checkUnknownUser},
	{"silence", "an answer does not repeat the weboffice_token of its request", checkSilence},
}

func checkSuccess(ctx context.Context, s *session) error {
	_, err := s.plugin.Token(ctx, s.Allowed)
	return err
}

const (
	// moreThanASecond is the time in which expires_in must fall.
	moreThanASecond = 1100 * time.Millisecond
	// maxSkew allows for the clock of the machine that made the token.
	maxSkew = time.Minute
)

// checkSecondsLeft asks twice. A Source in a test may give the same text as a new token;
// a JWT is the same token, since it states its expiry.
func checkSecondsLeft(ctx context.Context, s *session) error {
	first, err := s.plugin.send(ctx, newCall(s.Allowed))
	if err != nil {
		return err
	}
	before, failed := first.success()
	if failed != nil {
		return nil //nolint:nilerr // Another rule reports it.
	}
	end, stated := statedEnd(before.token)
	if stated {
		if most := time.Until(end) + maxSkew; before.life > most {
			return fmt.Errorf("a token had %v left, and by its own exp at most %v", before.life, most.Round(time.Second))
		}
		time.Sleep(moreThanASecond)
	}
	second, err := s.plugin.send(ctx, newCall(s.Allowed))
	if err != nil {
		return err
	}
	after, failed := second.success()
	switch {
	case failed != nil || !before.token.Equal(after.token): // a new token
		return nil
	case after.life > before.life || stated && after.life == before.life:
		return fmt.Errorf("a token had %v left, and later %v", before.life, after.life)
	}
	return nil
}

func checkConcurrent(ctx context.Context, s *session) error {
	const callers = 8
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() { errs[i] = s.granted(ctx, newCall(s.Allowed)) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func checkUnknownMembers(ctx context.Context, s *session) error {
	m := s.fields()
	m["zone"], m["tags"] = "cn", []any{map[string]any{"app_id": "none"}}
	return s.granted(ctx, s.spoiled(string(object(m))))
}

func checkUnknownLength(ctx context.Context, s *session) error {
	c := newCall(s.Allowed)
	c.chunked = true
	return s.granted(ctx, c)
}

func checkMethod(ctx context.Context, s *session) error {
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		c := newCall(s.Allowed)
		c.method = method
		a, err := s.plugin.send(ctx, c)
		if err != nil {
			return err
		}
		if a.status != http.StatusMethodNotAllowed || !strings.Contains(a.header.Get("Allow"), http.MethodPost) {
			return fmt.Errorf("%s was answered with HTTP %d and Allow %q", method, a.status, a.header.Get("Allow"))
		}
		if _, err := s.refused(ctx, method, c); err != nil {
			return err
		}
	}
	return nil
}

func checkContentType(ctx context.Context, s *session) error {
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json5"} {
		c := newCall(s.Allowed)
		c.contentType = contentType
		if _, err := s.refused(ctx, contentType, c); err != nil {
			return err
		}
	}
	return nil
}

func checkNotObject(ctx context.Context, s *session) error {
	good := string(newCall(s.Allowed).body)
	for _, body := range []string{"null", "[" + good + "]", `"text"`, "<p>", good[:len(good)-1], good + good, good + "x"} {
		if _, err := s.refused(ctx, fmt.Sprintf("a body like %.12q", body), s.spoiled(body)); err != nil {
			return err
		}
	}
	return nil
}

func checkMissing(ctx context.Context, s *session) error {
	return s.eachField(ctx, "without", func(m map[string]any, name string) { delete(m, name) })
}

func checkEmpty(ctx context.Context, s *session) error {
	return s.eachField(ctx, "with an empty", func(m map[string]any, name string) { m[name] = "" })
}

func checkWrongType(ctx context.Context, s *session) error {
	for _, wrong := range []any{nil, 7, true, []any{"x"}, map[string]any{}} {
		err := s.eachField(ctx, fmt.Sprintf("with %v for", wrong), func(m map[string]any, name string) { m[name] = wrong })
		if err != nil {
			return err
		}
	}
	return nil
}

// eachField spoils one field after the other.
func (s *session) eachField(ctx context.Context, how string, spoil func(m map[string]any, name string)) error {
	for name := range s.fields() {
		m := s.fields()
		spoil(m, name)
		what := "a request " + how + " " + name
		message, err := s.refused(ctx, what, s.spoiled(string(object(m))))
		if err != nil {
			return err
		}
		if !strings.Contains(message, name) {
			return fmt.Errorf("%s was answered with the message %q, which does not name it", what, message)
		}
	}
	return nil
}

func (s *session) fields() map[string]any {
	return map[string]any{
		"app_id": s.Allowed.AppID, "file_id": s.Allowed.FileID, "weboffice_token": s.Allowed.WebOfficeToken.Reveal(),
	}
}

func checkTwice(ctx context.Context, s *session) error {
	good := newCall(s.Allowed).body
	for name, value := range s.fields() {
		member := bytes.Trim(object(map[string]any{name: value}), "{}")
		body := string(good[:len(good)-1]) + "," + string(member) + "}"
		if _, err := s.refused(ctx, "a request with "+name+" twice", s.spoiled(body)); err != nil {
			return err
		}
	}
	return nil
}

func checkOversize(ctx context.Context, s *session) error {
	m := s.fields()
	m["padding"] = strings.Repeat("x", 1<<20)
	_, err := s.refused(ctx, "a body of 1 MiB", s.spoiled(string(object(m))))
	return err
}

func checkUnsigned(ctx context.Context, s *session) error {
	if s.Credentials.IsZero() {
		return errSkip
	}
	c := newCall(s.Allowed)
	c.unsigned = true
	_, err := s.refused(ctx, "a request without a signature", c)
	return err
}

func checkAltered(ctx context.Context, s *session) error {
	if s.Credentials.IsZero() {
		return errSkip
	}
	c := newCall(s.Allowed)
	c.sent = append([]byte(" "), c.body...)
	_, err := s.refused(ctx, "a body that is not the signed one", c)
	return err
}
