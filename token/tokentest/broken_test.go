package tokentest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// afterAuth changes the request once it is verified, as a careless reader would.
func afterAuth(cfg *token.Config, change func(r *http.Request)) {
	auth := cfg.Auth
	cfg.Auth = func(r *http.Request) (signing.Caller, error) {
		caller, err := auth(r)
		if err == nil {
			change(r)
		}
		return caller, err
	}
}

// rewrite changes the body, which may be no JSON.
func rewrite(change func(body []byte) []byte) func(*http.Request) {
	return func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(change(body)))
	}
}

// members changes the members of the body, of which the last one wins.
func members(change func(m map[string]any)) func(*http.Request) {
	return rewrite(func(body []byte) []byte {
		var m map[string]any
		if json.Unmarshal(body, &m) != nil || m == nil {
			return body
		}
		names := len(m)
		change(m)
		if names == strings.Count(string(body), `":`) { // nothing was given twice
			body, _ = json.Marshal(m)
		}
		return body
	})
}

var fields = []string{"app_id", "file_id", "weboffice_token"}

// broken has one handler for each rule, which breaks that rule and no other.
var broken = map[string]func(cfg *token.Config) func(http.Handler) http.Handler{
	"success": func(*token.Config) func(http.Handler) http.Handler {
		return answers(func(body string) string { return strings.Replace(body, `"bearer"`, `"Bearer"`, 1) })
	},
	"seconds left": func(cfg *token.Config) func(http.Handler) http.Handler {
		cfg.Source = lives(func(int32) time.Duration { return 2 * time.Hour }) // what the endpoint gave
		return nil
	},
	"concurrent": func(*token.Config) func(http.Handler) http.Handler {
		var underWay atomic.Int32
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer underWay.Add(-1)
				if underWay.Add(1) > 1 {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, `{"code":1,"message":"busy"}`)
					return
				}
				time.Sleep(time.Second)
				next.ServeHTTP(w, r)
			})
		}
	},
	"unknown members": func(cfg *token.Config) func(http.Handler) http.Handler {
		afterAuth(cfg, rewrite(func(body []byte) []byte {
			if bytes.Contains(body, []byte(`"zone"`)) {
				return nil
			}
			return body
		}))
		return nil
	},
	"unknown length": func(*token.Config) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength < 0 {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, `{"code":1,"message":"how long is it?"}`)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
	},
	"method": func(*token.Config) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Method = http.MethodPost
				next.ServeHTTP(w, r)
			})
		}
	},
	"content type": func(cfg *token.Config) func(http.Handler) http.Handler {
		afterAuth(cfg, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
		return nil
	},
	"not an object": func(cfg *token.Config) func(http.Handler) http.Handler {
		afterAuth(cfg, rewrite(func(body []byte) []byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(body)).Decode(&first) != nil {
				return body
			}
			return first
		}))
		return nil
	},
	"missing field": func(cfg *token.Config) func(http.Handler) http.Handler {
		afterAuth(cfg, members(func(m map[string]any) {
			for _, name := range fields {
				if _, found := m[name]; !found {
					m[name] = map[string]any{"app_id": "test-app", "file_id": "none", "weboffice_token": "alice"}[name]
				}
			}
		}))
		return nil
	},
	"empty field": func(cfg *token.Config) func(http.Handler) http.Handler {
		cfg.MapError = func(err error) token.Reply {
			reply := token.DefaultReply(err)
			if strings.Contains(reply.Message, "is empty") {
				reply.Message = "something is empty"
			}
			return reply
		}
		return nil
	},
	"wrong type": func(cfg *token.Config) func(http.Handler) http.Handler {
		afterAuth(cfg, members(func(m map[string]any) {
			if m["file_id"] != nil && m["file_id"] != "" {
				m["file_id"] = "7"
			}
		}))
		return nil
	},
	"field given twice": func(cfg *token.Config) func(http.Handler) http.Handler {
		afterAuth(cfg, rewrite(func(body []byte) []byte {
			var m map[string]any
			if json.Unmarshal(body, &m) != nil || m == nil {
				return body
			}
			body, _ = json.Marshal(m)
			return body
		}))
		return nil
	},
	"oversize": func(cfg *token.Config) func(http.Handler) http.Handler {
		cfg.MaxBody = 16 << 20
		return nil
	},
	"unsigned": func(cfg *token.Config) func(http.Handler) http.Handler {
		auth := cfg.Auth
		cfg.Auth = func(r *http.Request) (signing.Caller, error) {
			if r.Header.Get("Authorization") == "" {
				return signing.Caller{}, nil
			}
			return auth(r)
		}
		return nil
	},
	"altered body": func(cfg *token.Config) func(http.Handler) http.Handler {
		auth := cfg.Auth
		cfg.Auth = func(r *http.Request) (signing.Caller, error) {
			caller, err := auth(r)
			var refused *signing.Error
			if errors.As(err, &refused) && refused.Check == signing.CheckDigest {
				return signing.Caller{AppID: "test-app"}, nil
			}
			return caller, err
		}
		return nil
	},
	"other app": func(cfg *token.Config) func(http.Handler) http.Handler {
		cfg.AppMatch = func(signing.Caller, string) bool { return true }
		source := cfg.Source
		cfg.Source = token.SourceFunc(func(ctx context.Context, _ string) (token.Token, error) { return source.Token(ctx, "test-app") })
		return nil
	},
	"denied user": func(cfg *token.Config) func(http.Handler) http.Handler {
		var granted atomic.Bool // like a check that is kept per app
		cfg.Authorize = func(ctx context.Context, r token.Request) error {
			err := authorize(ctx, r)
			if err == nil {
				granted.Store(true)
			}
			if granted.Load() && errors.Is(err, token.ErrForbidden) {
				return nil
			}
			return err
		}
		return nil
	},
	"unknown user": func(cfg *token.Config) func(http.Handler) http.Handler {
		cfg.Authorize = func(ctx context.Context, r token.Request) error {
			if err := authorize(ctx, r); !errors.Is(err, token.ErrUnauthorized) {
				return err
			}
			return nil
		}
		return nil
	},
	"silence": func(cfg *token.Config) func(http.Handler) http.Handler {
		cfg.Authorize = func(ctx context.Context, r token.Request) error {
			if err := authorize(ctx, r); err != nil {
				return token.Reply{Code: 40002, Message: "who is " + r.WebOfficeToken.Reveal() + "?"}
			}
			return nil
		}
		return nil
	},
}

// lives gives one JWT of two hours, with so much left of it at each call.
func lives(left func(call int32) time.Duration) token.Source {
	var calls atomic.Int32
	jwt := jwtUntil(time.Now().Add(2 * time.Hour))
	return token.SourceFunc(func(context.Context, string) (token.Token, error) {
		return token.Token{AccessToken: jwt, ExpiresAt: time.Now().Add(left(calls.Add(1)))}, nil
	})
}

// jwtUntil is a token that states its end, as those of the open platform do.
func jwtUntil(end time.Time) signing.Secret {
	claims := fmt.Sprintf(`{"iss":"test","exp":%d}`, end.Unix())
	return signing.NewSecret("eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln")
}

// answers changes the bodies of answers.
func answers(change func(string) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			maps.Copy(w.Header(), rec.Header())
			w.WriteHeader(rec.Code)
			_, _ = io.WriteString(w, change(rec.Body.String()))
		})
	}
}
