package token_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
)

func textLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		err    error
		status int
		body   string
	}{
		{"unauthorized", token.ErrUnauthorized, 401, `{"code":40002,"message":"unauthorized"}`},
		{"forbidden", token.ErrForbidden, 403, `{"code":40003,"message":"forbidden"}`},
		{"not found", fmt.Errorf("file 7: %w", token.ErrNotFound), 404, `{"code":40004,"message":"not found"}`},
		{"invalid", errors.Join(errors.New("x"), token.ErrInvalid), 400, `{"code":40005,"message":"invalid argument"}`},
		{"unknown app", fmt.Errorf("%w %q", token.ErrUnknownApp, "x"), 403, `{"code":40003,"message":"unknown app"}`},
		{"anything else", errors.New("dial db-7: refused"), 500, `{"code":50001,"message":"internal error"}`},
		{"a Reply", token.Reply{Status: 402, Code: 7, Message: `pay "first"`}, 402, `{"code":7,"message":"pay \"first\""}`},
		{"a Reply without status", fmt.Errorf("x: %w", token.Reply{Code: 40007, Message: "wait"}), 200, `{"code":40007,"message":"wait"}`},
		{"a pointer to a Reply", &token.Reply{Status: 418, Code: 1}, 418, `{"code":1,"message":""}`},
		{"a Reply of success", token.Reply{Message: "fine"}, 500, `{"code":50001,"message":"internal error"}`},
		{"a Reply of no status", token.Reply{Status: 99, Code: 1}, 500, `{"code":50001,"message":"internal error"}`},
		{"a Reply without a body", token.Reply{Status: 204, Code: 1}, 500, `{"code":50001,"message":"internal error"}`},
		{"a Reply of nothing new", token.Reply{Status: 304, Code: 1}, 500, `{"code":50001,"message":"internal error"}`},
		{"a Reply of no status either", token.Reply{Status: 1000, Code: 1}, 500, `{"code":50001,"message":"internal error"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want(t, post(newHandler(t, func(cfg *token.Config) {
				cfg.Authorize = func(context.Context, token.Request) error { return tt.err }
			}), goodBody), tt.status, tt.body)
			want(t, post(newHandler(t, func(cfg *token.Config) {
				cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) { return goodToken(1e9), tt.err })
			}), goodBody), tt.status, tt.body)
		})
	}
}

// TestNoReply is an internal error, as all that is not known.
func TestNoReply(t *testing.T) {
	t.Parallel()
	var none *token.Reply
	if got := token.DefaultReply(none); got.Status != 500 || got.Code != 50001 {
		t.Errorf("DefaultReply of a nil *Reply = %+v", got)
	}
}

// TestReplyOfAuth is sent in the place of the 401.
func TestReplyOfAuth(t *testing.T) {
	t.Parallel()
	want(t, post(newHandler(t, func(cfg *token.Config) {
		cfg.Auth = func(*http.Request) (signing.Caller, error) {
			return signing.Caller{}, fmt.Errorf("auth: %w", token.Reply{Status: 429, Code: 7, Message: "slower"})
		}
	}), goodBody), 429, `{"code":7,"message":"slower"}`)
}

// TestErrorsAreThoseOfPreview lets one check of a user serve both packages.
func TestErrorsAreThoseOfPreview(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]error{
		{token.ErrUnauthorized, callback.ErrUnauthorized},
		{token.ErrForbidden, callback.ErrForbidden},
		{token.ErrNotFound, callback.ErrNotFound},
		{token.ErrInvalid, callback.ErrInvalid},
	} {
		if !errors.Is(pair[0], pair[1]) {
			t.Errorf("%v is not %v", pair[0], pair[1])
		}
	}
}

func TestMapErrorSeesEveryRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*token.Config)
		method string
		body   string
		is     error
	}{
		{"method", nil, http.MethodGet, goodBody, token.ErrInvalid},
		{"body", nil, http.MethodPost, "{}", token.ErrInvalid},
		{"oversize", func(cfg *token.Config) { cfg.MaxBody = 3 }, http.MethodPost, goodBody, token.ErrInvalid},
		{"auth", func(cfg *token.Config) {
			cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, signing.ErrTimestamp }
		}, http.MethodPost, goodBody, token.ErrUnauthorized},
		{"cause of auth", func(cfg *token.Config) {
			cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, signing.ErrTimestamp }
		}, http.MethodPost, goodBody, signing.ErrTimestamp},
		{"app", func(cfg *token.Config) {
			cfg.AppMatch = func(signing.Caller, string) bool { return false }
		}, http.MethodPost, goodBody, token.ErrForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, func(cfg *token.Config) {
				if tt.change != nil {
					tt.change(cfg)
				}
				cfg.MapError = func(err error) token.Reply {
					if !errors.Is(err, tt.is) {
						t.Errorf("MapError got %v, want %v in it", err, tt.is)
					}
					return token.Reply{Status: 299, Code: 9, Message: "ours"}
				}
			})
			req, err := http.NewRequestWithContext(t.Context(), tt.method, token.Path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			want(t, serve(h, req), 299, `{"code":9,"message":"ours"}`)
		})
	}
}

func TestPanicsAreInternalErrors(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*token.Config){
		"Auth": func(cfg *token.Config) {
			cfg.Auth = func(*http.Request) (signing.Caller, error) { panic("inner text") }
		},
		"AppMatch": func(cfg *token.Config) { cfg.AppMatch = func(signing.Caller, string) bool { panic("inner text") } },
		"Authorize": func(cfg *token.Config) {
			cfg.Authorize = func(context.Context, token.Request) error { panic("inner text") }
		},
		"Source": func(cfg *token.Config) {
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) { panic("inner text") })
		},
		"MapError": func(cfg *token.Config) {
			cfg.Authorize = func(context.Context, token.Request) error { return token.ErrForbidden }
			cfg.MapError = func(error) token.Reply { panic("inner text") }
		},
		"Now": func(cfg *token.Config) { cfg.Now = func() time.Time { panic("inner text") } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			h := newHandler(t, func(cfg *token.Config) { change(cfg); cfg.Logger = textLogger(&log) })
			want(t, post(h, goodBody), 500, `{"code":50001,"message":"internal error"}`)
			if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "stack=") {
				t.Errorf("the log says nothing of the panic:\n%s", &log)
			}
			if !strings.Contains(log.String(), "panic: inner text") {
				t.Errorf("the log does not have the message of the panic:\n%s", &log)
			}
		})
	}
}

func TestLogSaysWhy(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	address := &url.Error{Op: "Get", URL: "https://db.test/?key=hidden", Err: errors.New("refused")}
	h := newHandler(t, func(cfg *token.Config) {
		cfg.Logger = textLogger(&log)
		cfg.Authorize = func(_ context.Context, r token.Request) error {
			return fmt.Errorf("user %s: %w", r.WebOfficeToken.Reveal(), address)
		}
	})
	post(h, goodBody)
	line := log.String()
	for _, part := range []string{"level=ERROR", "code=50001", "app_id=test-app", "file_id=report", "refused"} {
		if !strings.Contains(line, part) {
			t.Errorf("the log lacks %q:\n%s", part, line)
		}
	}
	for _, secret := range []string{"alice", "hidden"} {
		if strings.Contains(line, secret) {
			t.Errorf("the log holds %q:\n%s", secret, line)
		}
	}
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for err, level := range map[error]string{nil: "", token.ErrForbidden: "DEBUG", token.Reply{Status: 503, Code: 1}: "ERROR", io.EOF: "ERROR"} {
		var log bytes.Buffer
		post(newHandler(t, func(cfg *token.Config) {
			cfg.Logger = textLogger(&log)
			cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{AppID: "test-app"}, nil }
			cfg.Authorize = func(context.Context, token.Request) error { return err }
		}), goodBody)
		if got := log.String(); level == "" && got != "" || !strings.Contains(got, level) {
			t.Errorf("%v: logged %q, want level %q", err, got, level)
		}
	}
}

func TestNewHandlerReportsEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := token.NewHandler(token.Config{Timeout: -1, MaxBody: -1})
	if err == nil {
		t.Fatal("NewHandler accepts nothing at all")
	}
	for _, field := range []string{"Auth is", "Authorize is", "Source is", "Timeout must", "MaxBody must"} {
		if !strings.Contains(err.Error(), "token: config: "+field) {
			t.Errorf("the error does not name %s:\n%v", field, err)
		}
	}
}

// TestAbortHandler ends the connection without an answer, as net/http does.
func TestAbortHandler(t *testing.T) {
	t.Parallel()
	observed := make(chan weboffice.Outcome, 1)
	h := newHandler(t, func(cfg *token.Config) {
		cfg.Authorize = func(context.Context, token.Request) error { panic(http.ErrAbortHandler) }
		cfg.Observe = func(ctx context.Context, _ weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
			return ctx, func(o weboffice.Outcome) { observed <- o }
		}
	})
	defer func() {
		if v := recover(); v != any(http.ErrAbortHandler) {
			t.Errorf("recovered %v, want http.ErrAbortHandler", v)
		}
		if o := <-observed; o.Error != "failed" || o.Status != 0 {
			t.Errorf("observed %+v, want a failure without an answer", o)
		}
	}()
	rec := post(h, goodBody)
	t.Errorf("answered %d %s", rec.Code, rec.Body)
}

// TestLogNamesTheCheck tells the operator what the caller is not told.
func TestLogNamesTheCheck(t *testing.T) {
	t.Parallel()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		credentials signing.Credentials
		want        string
	}{
		"unknown app": {signing.App("stranger", signing.NewSecret("k")), "check=caller claimed_app_id=stranger"},
		"wrong key":   {signing.App("test-app", signing.NewSecret("k")), "check=signature claimed_app_id=test-app"},
	} {
		var log bytes.Buffer
		h := newHandler(t, func(cfg *token.Config) { cfg.Auth, cfg.Logger = verifier.VerifyRequest, textLogger(&log) })
		want(t, serve(h, signingtest.NewRequest(t, tt.credentials, http.MethodPost, token.Path, []byte(goodBody))),
			401, `{"code":40002,"message":"unauthorized"}`)
		if got := log.String(); !strings.Contains(got, tt.want) || strings.Contains(got, "user") {
			t.Errorf("%s: the log lacks %q, or speaks of the user:\n%s", name, tt.want, got)
		}
	}
}

// TestUnsignedIsLogged once for each handler.
func TestUnsignedIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, func(cfg *token.Config) { cfg.Logger = textLogger(&log) })
	post(h, goodBody)
	post(h, goodBody)
	if got := log.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "token: Config.Auth is signing.Unsigned") {
		t.Errorf("logged %q, want one warning that names the field", got)
	}
}

// TestNewHandlerNeedsNoMore fills in every default: also the logger, which is
// slog's default at the time of the request.
func TestNewHandlerNeedsNoMore(t *testing.T) { //nolint:paralleltest // It sets slog's default.
	var log bytes.Buffer
	old := slog.Default()
	defer slog.SetDefault(old)
	cfg := config()
	h := newHandler(t, func(c *token.Config) {
		*c = token.Config{Auth: cfg.Auth, Authorize: cfg.Authorize, Source: cfg.Source}
	})
	slog.SetDefault(textLogger(&log))
	want(t, post(h, goodBody), 500, `{"code":50001,"message":"internal error"}`) // the token ended long ago
	if !strings.Contains(log.String(), "the source gave a token that has expired") {
		t.Errorf("slog.Default() got %q", &log)
	}
}
