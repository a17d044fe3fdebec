package token_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// hang is a RoundTripper of an endpoint that does not answer.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

type observedKey struct{}

// observer writes down each operation, and puts a value into its context.
func observer(told func(line string)) weboffice.Observer {
	return func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
		return context.WithValue(ctx, observedKey{}, op.Name), func(o weboffice.Outcome) {
			told(fmt.Sprintf("%s %d %t: app %q, status %d, code %d, request id %q, error %q",
				op.Name, op.Attempt, op.Callback, o.App, o.Status, o.Code, o.RequestID, o.Error))
		}
	}
}

func TestCallbacksAreObserved(t *testing.T) {
	t.Parallel()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	fails := func(err error) func(*token.Config) {
		return func(cfg *token.Config) { cfg.Authorize = func(context.Context, token.Request) error { return err } }
	}
	for _, tt := range []struct {
		name   string
		body   string
		key    string
		change func(*token.Config)
		want   string
	}{
		{"granted", goodBody, "", nil, `app "test-app", status 200, code 0, request id "id-1", error ""`},
		{"bad signature", goodBody, "wrong", nil, `app "", status 401, code 40002, request id "id-1", error "signature"`},
		{"bad body", "{}", "", nil, `app "test-app", status 400, code 40005, request id "id-1", error "invalid"`},
		{"another app", strings.Replace(goodBody, "test-app", "other", 1), "", nil, `app "test-app", status 403, code 40003, request id "id-1", error "forbidden"`},
		{"unknown user", goodBody, "", fails(token.ErrUnauthorized), `app "test-app", status 401, code 40002, request id "id-1", error "unauthorized"`},
		{"forbidden", goodBody, "", fails(token.ErrForbidden), `app "test-app", status 403, code 40003, request id "id-1", error "forbidden"`},
		{"not found", goodBody, "", fails(token.ErrNotFound), `app "test-app", status 404, code 40004, request id "id-1", error "not_found"`},
		{"unknown app", goodBody, "", fails(token.ErrUnknownApp), `app "test-app", status 403, code 40003, request id "id-1", error "forbidden"`},
		{"time-out", goodBody, "", fails(context.DeadlineExceeded), `app "test-app", status 500, code 50001, request id "id-1", error "timeout"`},
		{"failed", goodBody, "", fails(errors.New("down")), `app "test-app", status 500, code 50001, request id "id-1", error "failed"`},
		{"panic", goodBody, "", func(cfg *token.Config) {
			cfg.Authorize = func(context.Context, token.Request) error { panic("oops") }
		}, `app "test-app", status 500, code 50001, request id "id-1", error "failed"`},
		{"broken error", goodBody, "", fails(panickyIs{}), `app "test-app", status 500, code 50001, request id "id-1", error "failed"`},
		{"a Reply", goodBody, "", fails(token.Reply{Status: 418, Code: 7}), `app "test-app", status 418, code 7, request id "id-1", error "failed"`},
		{"a Reply with a known code", goodBody, "", fails(token.Reply{Code: 40003}), `app "test-app", status 200, code 40003, request id "id-1", error "forbidden"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			h := newHandler(t, func(cfg *token.Config) {
				cfg.Auth = verifier.VerifyRequest
				cfg.Observe = observer(func(line string) { got = append(got, line) })
				if tt.change != nil {
					tt.change(cfg)
				}
				authorize := cfg.Authorize
				cfg.Authorize = func(ctx context.Context, r token.Request) error {
					if ctx.Value(observedKey{}) != "token.access_token" {
						t.Error("Authorize does not get the Observer's context")
					}
					return authorize(ctx, r)
				}
			})
			credentials := signingtest.Credentials()
			if tt.key != "" {
				credentials = signing.App("test-app", signing.NewSecret(tt.key))
			}
			req := signingtest.NewRequest(t, credentials, http.MethodPost, token.Path, []byte(tt.body))
			req.Header.Set("X-Request-Id", "id-1")
			serve(h, req)
			if diff := cmp.Diff([]string{"token.access_token 1 true: " + tt.want}, got); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAttemptsAreObserved(t *testing.T) {
	t.Parallel()
	const line = `token.fetch %d false: app "test-app", status %d, code %d, request id %q, error %q`
	for _, tt := range []struct {
		name string
		fail func(*tokentest.Endpoint, *token.ClientCredentialsConfig)
		want []string
	}{
		{"granted", nil, []string{fmt.Sprintf(line, 1, 200, 0, "", "")}},
		{"busy twice", func(e *tokentest.Endpoint, _ *token.ClientCredentialsConfig) {
			e.FailNext(1, 503, 503000001, "busy")
			e.FailNext(1, 429, 429000001, "slower")
		}, []string{
			fmt.Sprintf(line, 1, 503, 503000001, "", "refused"), fmt.Sprintf(line, 2, 429, 429000001, "", "rate_limited"), fmt.Sprintf(line, 3, 200, 0, "", ""),
		}},
		{
			"refused", func(e *tokentest.Endpoint, _ *token.ClientCredentialsConfig) { e.FailNext(1, 200, 401000001, "no") },
			[]string{fmt.Sprintf(line, 1, 200, 401000001, "", "refused")},
		},
		{"time-out", func(_ *tokentest.Endpoint, cfg *token.ClientCredentialsConfig) {
			cfg.Attempts, cfg.HTTPClient.Transport = 1, roundTripper(hang)
		}, []string{fmt.Sprintf(line, 1, 0, 0, "", "timeout")}},
		{"network", func(_ *tokentest.Endpoint, cfg *token.ClientCredentialsConfig) {
			cfg.Attempts, cfg.HTTPClient.Transport = 1, roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("reset") })
		}, []string{fmt.Sprintf(line, 1, 0, 0, "", "network")}},
		{"no token", func(_ *tokentest.Endpoint, cfg *token.ClientCredentialsConfig) {
			cfg.HTTPClient.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				rec := httptest.NewRecorder()
				rec.Header().Set("X-Request-Id", "id-7")
				endpoint(200, "{}")(rec, r)
				return rec.Result(), nil
			})
		}, []string{fmt.Sprintf(line, 1, 200, 0, "id-7", "invalid")}},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := tokentest.NewEndpoint(nil)
			cfg := e.Config()
			if tt.fail != nil {
				tt.fail(e, &cfg)
			}
			var got []string
			cfg.Observe = observer(func(line string) { got = append(got, line) })
			transport := cfg.HTTPClient.Transport
			cfg.HTTPClient.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Context().Value(observedKey{}) != "token.fetch" {
					t.Error("the request does not have the Observer's context")
				}
				return transport.RoundTrip(r)
			})
			c, err := token.NewClientCredentials(cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = c.Token(t.Context(), "test-app")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: observed (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}

// TestACanceledAttemptIsObserved as that, not as a failure of the network.
func TestACanceledAttemptIsObserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		c := newCredentials(t, nil, func(cfg *token.ClientCredentialsConfig) {
			cfg.Attempts, cfg.HTTPClient.Transport = 3, roundTripper(hang)
			cfg.Observe = observer(func(line string) { got = append(got, line) })
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, _ = c.Token(ctx, "app")
		if len(got) != 1 || !strings.HasSuffix(got[0], `error "canceled"`) {
			t.Errorf("observed %q, want one canceled attempt", got)
		}
	})
}
