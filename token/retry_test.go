package token_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

func TestClientCredentialsRepeatWhatMayPass(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		status  int
		code    int
		repeats bool
	}{
		{"503", 503, 1, true},
		{"500", 500, 0, true},
		{"429", 429, 1, true},
		{"400", 400, 1, false},
		{"401", 401, 1, false},
		{"404", 404, 1, false},
		{"302", 302, 1, false},
		{"200 with a code", 200, 1, false},
		{"200 without a token", 200, 0, false},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			e := tokentest.NewEndpoint(nil)
			e.FailNext(2, tt.status, tt.code, "busy")
			cfg := e.Config()
			cfg.Logger = textLogger(&log)
			c, err := token.NewClientCredentials(cfg)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = c.Token(t.Context(), "test-app")
			took := time.Since(start)
			if !tt.repeats {
				var failure *token.EndpointError
				if !errors.As(err, &failure) || failure.StatusCode != tt.status || took != 0 || log.Len() > 0 {
					t.Errorf("%s: %v after %v, want the failure at once; log %q", tt.name, err, took, &log)
				}
				return
			}
			if err != nil || e.Issued("test-app") != 1 {
				t.Errorf("%s: %v, want a token at the third attempt", tt.name, err)
			}
			if took < 300*time.Millisecond || took > 600*time.Millisecond { // two pauses, each half of it random
				t.Errorf("%s: took %v", tt.name, took)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != 2 {
				t.Errorf("%s: %d warnings, want 2:\n%s", tt.name, n, &log)
			}
		})
	}
}

func TestClientCredentialsGiveUp(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]int{0: token.DefaultAttempts, 1: 1, 5: 5} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			c := newCredentials(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n++
				endpoint(503, "busy")(w, r)
			}), func(cfg *token.ClientCredentialsConfig) { cfg.Attempts = attempts })
			var failure *token.EndpointError
			if _, err := c.Token(t.Context(), "app"); !errors.As(err, &failure) || n != want {
				t.Errorf("Attempts %d: %v after %d, want %d", attempts, err, n, want)
			}
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestClientCredentialsRepeatAfterTheNetworkFailed(t *testing.T) {
	t.Parallel()
	reset := errors.New("connection reset")
	for name, fail := range map[string]func(*http.Request) (*http.Response, error){
		"no connection": func(*http.Request) (*http.Response, error) { return nil, reset },
		"cut off": func(*http.Request) (*http.Response, error) {
			body := io.MultiReader(strings.NewReader(goodGrant[:9]), failing{reset})
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body)}, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			c := newCredentials(t, nil, func(cfg *token.ClientCredentialsConfig) {
				cfg.Attempts = 2
				cfg.HTTPClient = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					n++
					return fail(r)
				})}
			})
			_, err := c.Token(t.Context(), "app")
			if !errors.Is(err, reset) || n != 2 {
				t.Errorf("%s: %v after %d attempts, want 2", name, err, n)
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("%s: the error holds the query: %v", name, err)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestClientCredentialsObeyRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{"3": 3 * time.Second, "4000": 5 * time.Second, "-1": 0, "soon": 0, "": 0} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			c := newCredentials(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n++; n == 1 {
					w.Header().Set("Retry-After", value)
					endpoint(429, "")(w, r)
					return
				}
				endpoint(200, goodGrant)(w, r)
			}), func(cfg *token.ClientCredentialsConfig) { cfg.Attempts = 2 })
			start := time.Now()
			_, err := c.Token(t.Context(), "app")
			took := time.Since(start)
			if err != nil || want > 0 && took != want || want == 0 && (took < 100*time.Millisecond || took > 200*time.Millisecond) {
				t.Errorf("Retry-After %q: %v after %v, want %v", value, err, took, want)
			}
		})
	}
}

func TestClientCredentialsTimeOut(t *testing.T) {
	t.Parallel()
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	trickle := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, goodGrant[:9])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for name, h := range map[string]http.Handler{"no answer": hang, "half an answer": trickle} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := newCredentials(t, h, nil).Token(t.Context(), "app")
			var timeout interface{ Timeout() bool }
			if !errors.As(err, &timeout) || !timeout.Timeout() || time.Since(start) != 4*time.Second {
				t.Errorf("%s: %v after %v, want a time-out after %v", name, err, time.Since(start), 4*time.Second)
			}

			start = time.Now()
			c := newCredentials(t, h, func(cfg *token.ClientCredentialsConfig) {
				cfg.HTTPClient.Timeout = time.Second
			})
			if _, err = c.Token(t.Context(), "app"); err == nil || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %v, want a time-out after the client's own 1s", name, err, time.Since(start))
			}
		})
	}
}

func TestClientCredentialsObeyTheContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("shutting down")
	for name, h := range map[string]http.Handler{
		"during an attempt": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		"during a pause": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "5")
			endpoint(503, "")(w, r)
		}),
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(cause) })
			var log bytes.Buffer
			start := time.Now()
			_, err := newCredentials(t, h, func(cfg *token.ClientCredentialsConfig) {
				cfg.Attempts, cfg.Logger = 3, textLogger(&log)
			}).Token(ctx, "app")
			if asksAgain := strings.Contains(log.String(), "asking again"); asksAgain != (name == "during a pause") {
				t.Errorf("%s: logged %q", name, &log)
			}
			if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %v, want the cause after 1s", name, err, time.Since(start))
			}
			var address *url.Error
			if errors.As(err, &address) && strings.Contains(address.URL, "hidden") {
				t.Errorf("%s: the error holds the query", name)
			}
		})
	}
}

func FuzzEndpointAnswer(f *testing.F) {
	for _, seed := range []string{
		goodGrant, `{"code":1,"msg":"x"}`, `{"data":` + goodGrant + `}`, `{"error":"x"}`, `null`, ``, `<`, `{"expires_in":"1e400","access_token":"x"}`,
	} {
		f.Add(200, []byte(seed))
		f.Add(503, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		c := newCredentials(t, nil, func(cfg *token.ClientCredentialsConfig) {
			cfg.HTTPClient = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}, nil
			})}
		})
		got, err := c.Token(t.Context(), "app")
		var e *token.EndpointError
		switch {
		case err == nil && (status/100 != 2 || got.AccessToken.IsZero()):
			t.Errorf("HTTP %d %q is a token: %q", status, body, got.AccessToken.Reveal())
		case err == nil && !got.ExpiresAt.IsZero() && !got.ExpiresAt.After(noon):
			t.Errorf("%q gave a token that ended at %v", body, got.ExpiresAt)
		case err != nil && (!errors.As(err, &e) || e.StatusCode != status || e.Message == "" || len(e.Body) > 1024):
			t.Errorf("HTTP %d %q gave %v", status, body, err)
		}
	})
}
