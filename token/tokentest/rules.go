package tokentest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// rules are the sentences that Run checks.
var rules = []rule[*session]{
	{"success", "a user who may open the file gets a token in the form of protocol 2.11", checkSuccess},
	{"seconds left", "expires_in is the time that is left, so it falls (protocol 2.11)", checkSecondsLeft},
	{"concurrent", "the handler is called concurrently", func(ctx context.Context, s *session) error {
		return concurrently(func() error { return s.granted(ctx, newCall("a request", s.Allowed)) })
	}},
	{"unknown members", "members of the body that the protocol does not name are ignored", grants(func(c *call) {
		c.members["zone"], c.members["tags"] = "cn", []any{map[string]any{"app_id": "none"}}
	})},
	{"unknown length", "a body without a Content-Length is read like any other", grants(func(c *call) { c.chunked = true })},
	{"method", "a method other than POST is refused with 405, Allow and a code (protocol 4.3, 7 rule 1)", checkMethod},
	{"content type", "a Content-Type other than application/json is refused with a code (protocol 4.3)", refuses(func(s *session) []call {
		return s.allowed(func(c *call, value string) { c.contentType = value }, "text/plain", "application/x-www-form-urlencoded", "application/json5")
	})},
	{"not an object", "a body that is not one JSON object is refused with a code (protocol 2.11)", refuses(func(s *session) []call {
		good := newCall("", s.Allowed).text()
		return s.allowed(func(c *call, body string) { c.body = body }, "null", "["+good+"]", `"text"`, "<p>", good[:len(good)-1], good+good, good+"x")
	})},
	{"missing field", "a request without one of the three fields is refused, and the message names it (protocol 2.11)", refuses(func(s *session) []call {
		return s.fields("without", func(c *call) { delete(c.members, c.names) })
	})},
	{"empty field", "a request with an empty field is refused, and the message names it (protocol 2.11)", refuses(func(s *session) []call {
		return s.fields("with an empty", func(c *call) { c.members[c.names] = "" })
	})},
	{"wrong type", "a field that is not a string is refused, and the message names it (protocol 2.11)", refuses(func(s *session) (calls []call) {
		for _, wrong := range []any{nil, 7, true, []any{"x"}, map[string]any{}} {
			calls = append(calls, s.fields(fmt.Sprintf("with %v for", wrong), func(c *call) { c.members[c.names] = wrong })...)
		}
		return calls
	})},
	{"field given twice", "a body that gives a field twice is refused, since two readers would see two requests", refuses(func(s *session) []call {
		return s.fields("with a second", func(c *call) {
			again := object(map[string]any{c.names: c.members[c.names]})
			c.body, c.names = strings.TrimSuffix(c.text(), "}")+","+again[1:], ""
		})
	})},
	{"oversize", "a body of 1 MiB is refused with a code", refuses(func(s *session) []call {
		return s.allowed(func(c *call, padding string) { c.members["padding"] = padding }, strings.Repeat("x", 1<<20))
	})},
	{"unsigned", "if requests are signed, one without a signature is refused with a code", refuses(func(s *session) []call {
		return s.signed(func(c *call, _ string) { c.unsigned = true }, "no signature")
	})},
	{"altered body", "if requests are signed, a body other than the signed one is refused with a code (protocol 5.2 rule 2)", refuses(func(s *session) []call {
		return s.signed(func(c *call, _ string) { c.sent = " " + c.text() }, "another body than the signed one")
	})},
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

// grants makes the check of a request that must get a token.
func grants(change func(c *call)) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		c := newCall("a request", s.Allowed)
		change(&c)
		return s.granted(ctx, c)
	}
}

// refuses makes the check of requests that must get none. Without any, it is skipped.
func refuses(of func(s *session) []call) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		calls := of(s)
		if len(calls) == 0 {
			return errSkip
		}
		for _, c := range calls {
			if _, err := s.refused(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}
}

// mustRefuse is refuses for another request, before and after the allowed one is granted.
func mustRefuse(of func(*session) token.Request) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		r := of(s)
		if !complete(r) {
			return errSkip
		}
		if _, err := s.refused(ctx, newCall("the request", r)); err != nil {
			return err
		}
		if err := s.granted(ctx, newCall("another request", s.Allowed)); err != nil {
			return err
		}
		_, err := s.refused(ctx, newCall("the request, after another one was granted,", r))
		return err
	}
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
		a, err := s.plugin.send(ctx, newCall("", s.Allowed))
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

func checkMethod(ctx context.Context, s *session) error {
	for _, c := range s.allowed(func(c *call, method string) { c.method = method }, http.MethodGet, http.MethodPut, http.MethodDelete) {
		a, err := s.refused(ctx, c)
		if err != nil {
			return err
		}
		if a.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(a.header.Get("Allow"), http.MethodPost) {
			return fmt.Errorf("%s was answered with HTTP %d and Allow %q", c.what, a.StatusCode, a.header.Get("Allow"))
		}
	}
	return nil
}

func checkSilence(ctx context.Context, s *session) error {
	good := newCall("", s.Allowed).text()
	calls := s.allowed(func(c *call, body string) { c.body = body }, strings.Replace(good, `"app_id":`, `"app":`, 1), good[:len(good)-1])
	var users []string
	for what, r := range map[string]token.Request{
		"the allowed request": s.Allowed, "a denied user": s.Denied, "an unknown user": s.UnknownUser, "another app": s.OtherApp,
	} {
		if complete(r) {
			users = append(users, r.WebOfficeToken.Reveal())
			calls = append(calls, newCall(what, r))
		}
	}
	for _, c := range calls {
		a, err := s.plugin.send(ctx, c)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(users, func(user string) bool { return bytes.Contains(a.Body, []byte(user)) }) {
			return fmt.Errorf("the answer to %s repeats it", c.what)
		}
	}
	return nil
}
