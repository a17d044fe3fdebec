package signing_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

var errDatabase = errors.New("database: connection refused")

func TestLookup(t *testing.T) {
	t.Parallel()
	app := func(id, key string) signing.Credentials { return signing.App(id, signing.NewSecret(key)) }
	robot := signing.Robot(signing.NewSecret("robot-key"), signing.NewSecret("s"))
	table := map[string][]signing.Credentials{
		"one": {app("one", "key")}, "rotates": {app("rotates", "old"), app("rotates", "new")}, "empty": {app("empty", "")},
		"mixed up": {app("other", "key")}, "a robot": {robot}, "robot-key": {robot},
	}
	for name, test := range map[string]struct {
		signs signing.Credentials
		check signing.Check // 0: accepted, or ErrLookup
		fails bool          // by ErrLookup
		asked string
	}{
		"listed":          {signingtest.Credentials(), 0, false, ""},
		"in the table":    {app("one", "key"), 0, false, "one"},
		"the old key":     {app("rotates", "old"), 0, false, "rotates"},
		"the new key":     {app("rotates", "new"), 0, false, "rotates"},
		"another key":     {app("rotates", "x"), signing.CheckSignature, false, "rotates"},
		"a robot":         {robot, 0, false, "robot robot-key"},
		"unknown":         {app("nowhere", "key"), signing.CheckCaller, false, "nowhere"},
		"another scheme":  {signing.AppWithScheme("X", "one", signing.NewSecret("key")), signing.CheckShape, false, "one"},
		"no database":     {app("down", "key"), 0, true, "down"},
		"an empty secret": {app("empty", "key"), 0, true, "empty"},
		"of another":      {app("mixed-up", "key"), 0, true, "mixed-up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			v := newVerifier(t, signing.VerifierConfig{
				Credentials: []signing.Credentials{signingtest.Credentials()},
				Lookup: func(ctx context.Context, c signing.Caller) ([]signing.Credentials, error) {
					id := c.AppID
					if id == "" {
						id = c.RobotKey.Reveal()
						asked = append(asked, "robot "+id)
					} else {
						asked = append(asked, id)
					}
					if id == "down" {
						return nil, errDatabase
					}
					return table[strings.ReplaceAll(id, "-up", " up")], ctx.Err()
				},
			})
			for range 2 { // nothing is cached
				asked = nil
				caller, err := v.VerifyRequest(signingtest.NewRequest(t, test.signs, "POST", "/a", []byte("{}")))
				var refused *signing.Error
				switch {
				case test.fails:
					if !errors.Is(err, signing.ErrLookup) || errors.Is(err, signing.ErrSignature) || strings.Contains(name, "database") != errors.Is(err, errDatabase) {
						t.Errorf("VerifyRequest = %v, want ErrLookup", err)
					}
				case test.check != 0:
					if !errors.As(err, &refused) || refused.Check != test.check {
						t.Errorf("VerifyRequest = %v, want a failure of %v", err, test.check)
					}
				case err != nil || caller.AppID != test.signs.Caller().AppID || !caller.RobotKey.Equal(test.signs.Caller().RobotKey):
					t.Errorf("VerifyRequest = %v, %v, want %v", caller, err, test.signs)
				}
				if got := strings.Join(asked, " "); got != test.asked {
					t.Errorf("Lookup was asked for %q, want %q", got, test.asked)
				}
			}
		})
	}
}

// A stranger cannot make it look anything up with a Date or a digest that fails, or
// with an id that no app can have.
func TestLookupComesLast(t *testing.T) {
	t.Parallel()
	v := newVerifier(t, signing.VerifierConfig{
		Lookup: func(context.Context, signing.Caller) ([]signing.Credentials, error) {
			t.Error("Lookup was called")
			return nil, nil
		},
	})
	for name, change := range map[string]func(http.Header){
		"date":      func(h http.Header) { h.Del("Date") },
		"digest":    func(h http.Header) { h.Set("Content-Md5", "x") },
		"shape":     func(h http.Header) { h.Set("Authorization", "x") },
		"app id":    func(h http.Header) { h.Set("Authorization", "SVC-2:a b:"+strings.Repeat("0", 40)) },
		"no app id": func(h http.Header) { h.Set("Authorization", "SVC-2::"+strings.Repeat("0", 40)) },
	} {
		req := signingtest.NewRequest(t, signingtest.Credentials(), "POST", "/a", []byte("{}"))
		change(req.Header)
		if _, err := v.VerifyRequest(req); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestMiddlewareAnswersAFailedLookupWith500(t *testing.T) {
	t.Parallel()
	v := newVerifier(t, signing.VerifierConfig{
		Lookup: func(context.Context, signing.Caller) ([]signing.Credentials, error) { return nil, errDatabase },
	})
	w := httptest.NewRecorder()
	v.Middleware(http.NotFoundHandler(), nil).ServeHTTP(w, signingtest.NewRequest(t, signing.App("other", signing.NewSecret("key")), "GET", "/a", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "database") {
		t.Errorf("the answer is %d %q, want 500 without the reason", w.Code, w.Body)
	}
}

func TestMiddlewareHandsTheCallerOn(t *testing.T) {
	t.Parallel()
	v := newVerifier(t, signing.VerifierConfig{})
	if _, ok := signing.CallerFrom(t.Context()); ok {
		t.Error("CallerFrom finds a caller outside of Middleware")
	}
	h := v.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if c, ok := signing.CallerFrom(r.Context()); !ok || c.AppID != "test-app" {
			t.Errorf("CallerFrom = %v, %v", c, ok)
		}
	}), nil)
	h.ServeHTTP(httptest.NewRecorder(), signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/a", nil))
}
