package tokentest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
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
	{
		"missing field", "a request without one of the three fields is refused, and the message names it (protocol 2.11)",
		eachField("without", func(m map[string]any, name string) { delete(m, name) }),
	},
	{
		"empty field", "a request with an empty field is refused, and the message names it (protocol 2.11)",
		eachField("with an empty", func(m map[string]any, name string) { m[name] = "" }),
	},
	{"wrong type", "a field that is not a string is refused, and the message names it (protocol 2.11)", checkWrongType},
	{"field given twice", "a body that gives a field twice is refused, since two readers would see two requests", checkTwice},
	{"oversize", "a body of 1 MiB is refused with a code", checkOversize},
	{"unsigned", "if requests are signed, one without a signature is refused with a code", checkUnsigned},
	{"altered body", "if requests are signed, a body other than the signed one is refused with a code (protocol 5.2 rule 2)", checkAltered},
	{
		"other app", "an app does not get the token of another app (protocol 2.11)",
		mustRefuse(func(s *session) token.Request { return s.OtherApp }),
	},
	{
		"denied user", "a user who may not open the file gets no token, even if another user has just got it",
		mustRefuse(func(s *session) token.Request { return s.Denied }),
	},
	{
		"unknown user", "a weboffice_token of no user gets no token (protocol 2.11)",
		mustRefuse(func(s *session) token.Request { return s.UnknownUser }),
	},
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
	ask := func() (g grant, ok bool) {
		a, err := s.plugin.send(ctx, newCall(s.Allowed))
		if err != nil {
			return g, false // another rule reports it
		}
		g, failed := a.success()
		return g, failed == nil
	}
	before, ok := ask()
	if !ok {
		return nil
	}
	end := statedEnd(before.token)
	if !end.IsZero() {
		if most := time.Until(end) + maxSkew; before.life > most {
			return fmt.Errorf("a token had %v left, and by its own exp at most %v", before.life, most.Round(time.Second))
		}
		time.Sleep(moreThanASecond)
	}
	after, ok := ask()
	if ok && before.token.Equal(after.token) && (after.life > before.life || !end.IsZero() && after.life == before.life) {
		return fmt.Errorf("a token had %v left, and later %v", before.life, after.life)
	}
	return nil
}

// statedEnd is the claim exp of a JWT (RFC 7519 section 4.1.4), and zero for another text.
func statedEnd(t signing.Secret) time.Time {
	_, rest, _ := strings.Cut(t.Reveal(), ".")
	payload, _, _ := strings.Cut(rest, ".")
	text, _ := base64.RawURLEncoding.DecodeString(payload)
	var claims struct {
		Exp float64 `json:"exp"`
	}
	if json.Unmarshal(text, &claims) != nil || claims.Exp <= 0 {
		return time.Time{}
	}
	return time.Unix(int64(claims.Exp), 0)
}

func checkConcurrent(ctx context.Context, s *session) error {
	return concurrently(func() error { return s.granted(ctx, newCall(s.Allowed)) })
}

// concurrently calls f from eight goroutines.
func concurrently(f func() error) error {
	var errs [8]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

func checkUnknownMembers(ctx context.Context, s *session) error {
	m := s.fields()
	m["zone"], m["tags"] = "cn", []any{map[string]any{"app_id": "none"}}
	return s.granted(ctx, s.spoiled(object(m)))
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
		if err := s.refused(ctx, method, c, ""); err != nil {
			return err
		}
	}
	return nil
}

func checkContentType(ctx context.Context, s *session) error {
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json5"} {
		c := newCall(s.Allowed)
		c.contentType = contentType
		if err := s.refused(ctx, contentType, c, ""); err != nil {
			return err
		}
	}
	return nil
}

func checkNotObject(ctx context.Context, s *session) error {
	good := newCall(s.Allowed).body
	for _, body := range []string{"null", "[" + good + "]", `"text"`, "<p>", good[:len(good)-1], good + good, good + "x"} {
		if err := s.refused(ctx, fmt.Sprintf("a body like %.12q", body), s.spoiled(body), ""); err != nil {
			return err
		}
	}
	return nil
}

// eachField spoils one field after the other.
func eachField(how string, spoil func(m map[string]any, name string)) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		for name := range s.fields() {
			m := s.fields()
			spoil(m, name)
			if err := s.refused(ctx, "a request "+how+" "+name, s.spoiled(object(m)), name); err != nil {
				return err
			}
		}
		return nil
	}
}

func checkWrongType(ctx context.Context, s *session) error {
	for _, wrong := range []any{nil, 7, true, []any{"x"}, map[string]any{}} {
		check := eachField(fmt.Sprintf("with %v for", wrong), func(m map[string]any, name string) { m[name] = wrong })
		if err := check(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func checkTwice(ctx context.Context, s *session) error {
	good := strings.TrimSuffix(newCall(s.Allowed).body, "}")
	for name, value := range s.fields() {
		again := strings.TrimPrefix(object(map[string]any{name: value}), "{")
		if err := s.refused(ctx, "a request with "+name+" twice", s.spoiled(good+","+again), ""); err != nil {
			return err
		}
	}
	return nil
}

func checkOversize(ctx context.Context, s *session) error {
	m := s.fields()
	m["padding"] = strings.Repeat("x", 1<<20)
	return s.refused(ctx, "a body of 1 MiB", s.spoiled(object(m)), "")
}

func checkUnsigned(ctx context.Context, s *session) error {
	if s.Credentials.IsZero() {
		return errSkip
	}
	c := newCall(s.Allowed)
	c.unsigned = true
	return s.refused(ctx, "a request without a signature", c, "")
}

func checkAltered(ctx context.Context, s *session) error {
	if s.Credentials.IsZero() {
		return errSkip
	}
	c := newCall(s.Allowed)
	c.sent = " " + c.body
	return s.refused(ctx, "a body that is not the signed one", c, "")
}

// mustRefuse sends a request that must be refused, before and after another user gets a
// token.
func mustRefuse(of func(*session) token.Request) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		r := of(s)
		if !complete(r) {
			return errSkip
		}
		if err := s.refused(ctx, "the request", newCall(r), ""); err != nil {
			return err
		}
		if err := s.granted(ctx, newCall(s.Allowed)); err != nil {
			return err
		}
		return s.refused(ctx, "the request, after another one was granted,", newCall(r), "")
	}
}

func checkSilence(ctx context.Context, s *session) error {
	good := newCall(s.Allowed)
	calls := map[string]call{
		"a success":                   good,
		"a refusal":                   s.spoiled(strings.Replace(good.body, `"app_id":`, `"app":`, 1)),
		"a refusal of a partial body": s.spoiled(good.body[:len(good.body)-1]),
	}
	var users []string
	for what, r := range map[string]token.Request{
		"": s.Allowed, "a denied user": s.Denied, "an unknown user": s.UnknownUser, "another app": s.OtherApp,
	} {
		if !complete(r) {
			continue
		}
		users = append(users, r.WebOfficeToken.Reveal())
		if what != "" {
			calls["the refusal of "+what] = newCall(r)
		}
	}
	for what, c := range calls {
		a, err := s.plugin.send(ctx, c)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(users, func(user string) bool { return bytes.Contains(a.body, []byte(user)) }) {
			return fmt.Errorf("%s repeats it", what)
		}
	}
	return nil
}
