package tokentest_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

func request(appID, user string) token.Request {
	return token.Request{AppID: appID, FileID: "report", WebOfficeToken: signing.NewSecret(user)}
}

// authorize knows alice, who may open the file, and bob, who may not.
func authorize(_ context.Context, r token.Request) error {
	switch r.WebOfficeToken.Reveal() {
	case "alice":
		return nil
	case "bob":
		return token.ErrForbidden
	default:
		return token.ErrUnauthorized
	}
}

// good is a handler that keeps every rule.
func good(t *testing.T) token.Config {
	t.Helper()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{signingtest.Credentials()}, MaxBody: 16 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := tokentest.NewEndpoint(nil)
	source, err := token.NewClientCredentials(endpoint.Config())
	if err != nil {
		t.Fatal(err)
	}
	return token.Config{
		Auth:      verifier.VerifyRequest,
		Authorize: authorize,
		Source:    token.NewCache(source, nil),
		Logger:    slog.New(slog.DiscardHandler),
	}
}

func fixture(t *testing.T, h http.Handler) tokentest.Fixture {
	t.Helper()
	return tokentest.Fixture{
		Handler:     h,
		Credentials: signingtest.Credentials(),
		Allowed:     request("test-app", "alice"),
		Denied:      request("test-app", "bob"),
		UnknownUser: request("test-app", "mallory"),
		OtherApp:    request("other-app", "alice"),
	}
}

func handler(t *testing.T, cfg token.Config) http.Handler {
	t.Helper()
	h, err := token.NewHandler(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRunOnAGoodHandler(t *testing.T) {
	t.Parallel()
	tokentest.Run(t, func(t *testing.T) tokentest.Fixture {
		t.Helper()
		return fixture(t, handler(t, good(t)))
	})
}

// TestEachRuleBites runs every rule on a handler that breaks one of them.
func TestEachRuleBites(t *testing.T) {
	t.Parallel()
	for name, spoil := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				found := tokentest.Rules(t.Context(), func() tokentest.Fixture {
					cfg := good(t)
					wrap := spoil(&cfg)
					h := handler(t, cfg)
					if wrap != nil {
						h = wrap(h)
					}
					return fixture(t, h)
				})
				wantOnly(t, name, found)
			})
		})
	}
}

// TestTokensOfTests has handlers right that say the same twice: a Source in a test
// makes its token anew at each call, or its clock stands still.
func TestTokensOfTests(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for name, change := range map[string]func(cfg *token.Config){
		"made at each call": func(cfg *token.Config) {
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) {
				return token.Token{AccessToken: signing.NewSecret("x"), ExpiresAt: time.Now().Add(time.Hour)}, nil
			})
		},
		"a clock that stands": func(cfg *token.Config) {
			cfg.Now = func() time.Time { return start }
			cfg.Source = &tokentest.Source{Tokens: map[string]token.Token{
				"test-app": {AccessToken: signing.NewSecret("x"), ExpiresAt: start.Add(time.Hour)},
			}}
		},
		"a JWT": func(cfg *token.Config) {
			end := time.Now().Add(time.Hour)
			cfg.Source = &tokentest.Source{Tokens: map[string]token.Token{"test-app": {AccessToken: jwtUntil(end), ExpiresAt: end}}}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			found := tokentest.Rules(t.Context(), func() tokentest.Fixture {
				cfg := good(t)
				change(&cfg)
				return fixture(t, handler(t, cfg))
			})
			for rule, err := range found {
				if err != nil {
					t.Errorf("%s: %s: %v", name, rule, err)
				}
			}
		})
	}
}

// TestSecondsLeft is more of what a handler can say instead of what is left.
func TestSecondsLeft(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]func(call int32) time.Duration{
		"more each time": func(call int32) time.Duration { return time.Duration(call) * time.Hour },
		"milliseconds":   func(call int32) time.Duration { return 7200*1000*time.Second - time.Duration(call)*1100*time.Second },
	} {
		synctest.Test(t, func(t *testing.T) {
			found := tokentest.Rules(t.Context(), func() tokentest.Fixture {
				cfg := good(t)
				cfg.Source = lives(left)
				return fixture(t, handler(t, cfg))
			})
			t.Log(name)
			wantOnly(t, "seconds left", found)
		})
	}
}

// TestSilence has each refusal by itself repeat the user's token.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, loud := range map[string]func(error, string) bool{
		"malformed": func(err error, _ string) bool { return errors.Is(err, token.ErrInvalid) },
		"denied":    func(err error, user string) bool { return errors.Is(err, token.ErrForbidden) && user == "bob" },
		"unknown":   func(err error, user string) bool { return errors.Is(err, token.ErrUnauthorized) && user == "mallory" },
	} {
		synctest.Test(t, func(t *testing.T) {
			found := tokentest.Rules(t.Context(), func() tokentest.Fixture {
				cfg := good(t)
				var user atomic.Value // of the request under way, where it could be read
				user.Store("")
				cfg.Authorize = func(ctx context.Context, r token.Request) error {
					user.Store(r.WebOfficeToken.Reveal())
					return authorize(ctx, r)
				}
				cfg.MapError = func(err error) token.Reply {
					reply := token.DefaultReply(err)
					if who, _ := user.Load().(string); loud(err, who) {
						reply.Message += " alice bob mallory"
					}
					return reply
				}
				return fixture(t, handler(t, cfg))
			})
			t.Log(name)
			wantOnly(t, "silence", found)
		})
	}
}

// TestMethod finds a refusal with another status, and one that does not say what is allowed.
func TestMethod(t *testing.T) {
	t.Parallel()
	for status, allow := range map[int]string{400: "POST", 405: ""} {
		synctest.Test(t, func(t *testing.T) {
			wantOnly(t, "method", tokentest.Rules(t.Context(), func() tokentest.Fixture {
				h := handler(t, good(t))
				return fixture(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						h.ServeHTTP(w, r)
						return
					}
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Allow", allow)
					w.WriteHeader(status)
					_, _ = io.WriteString(w, `{"code":1,"message":"no"}`)
				}))
			}))
		})
	}
}

// TestOutsiderWhoComesFirst finds a handler that lets in who comes before all others.
func TestOutsiderWhoComesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wantOnly(t, "denied user", tokentest.Rules(t.Context(), func() tokentest.Fixture {
			cfg := good(t)
			var calls atomic.Int32
			cfg.Authorize = func(ctx context.Context, r token.Request) error {
				if calls.Add(1) == 1 && r.WebOfficeToken.Reveal() == "bob" {
					return nil
				}
				return authorize(ctx, r)
			}
			return fixture(t, handler(t, cfg))
		}))
	})
}

// TestHalfARefusal finds a token that comes with a refusal, and a refusal with code 0.
func TestHalfARefusal(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{`{"data":{"access_token":"x"},"code":4`: "has data", `{"code":0,"x":4`: "code 0"} {
		synctest.Test(t, func(t *testing.T) {
			found := tokentest.Rules(t.Context(), func() tokentest.Fixture {
				return fixture(t, answers(func(body string) string {
					return strings.Replace(body, `{"code":4`, code, 1)
				})(handler(t, good(t))))
			})
			for _, name := range []string{"method", "missing field", "unsigned", "denied user"} {
				if err := found[name]; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", name, err, want)
				}
			}
		})
	}
}

// wantOnly compares the rules that found something with the one that is broken.
func wantOnly(t *testing.T, name string, found map[string]error) {
	t.Helper()
	var names []string
	for rule, err := range found {
		if err != nil {
			names = append(names, rule)
			t.Logf("%s: %v", rule, err)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{name}, names); diff != "" {
		t.Errorf("rules that found something (-want +got):\n%s", diff)
	}
}

// TestEachRuleIsBroken compares the rules with what is broken above.
func TestEachRuleIsBroken(t *testing.T) {
	t.Parallel()
	found := tokentest.Rules(t.Context(), func() tokentest.Fixture { return tokentest.Fixture{} })
	if diff := cmp.Diff(slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(broken))); diff != "" {
		t.Errorf("rules and broken handlers (-rules +broken):\n%s", diff)
	}
	for name, err := range found {
		if err == nil || !strings.Contains(err.Error(), "Fixture.Allowed is required") {
			t.Errorf("%s on an empty fixture: %v", name, err)
		}
	}
}

func TestRulesSkipWhatTheFixtureLacks(t *testing.T) {
	t.Parallel()
	cfg := good(t)
	cfg.Auth = signing.Unsigned
	h := handler(t, cfg)
	found := tokentest.Rules(t.Context(), func() tokentest.Fixture {
		return tokentest.Fixture{Handler: h, Allowed: request("test-app", "alice")}
	})
	for name, err := range found {
		skips := slices.Contains([]string{"unsigned", "altered body", "other app", "denied user", "unknown user"}, name)
		if skips != errors.Is(err, tokentest.ErrSkip) || !skips && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
