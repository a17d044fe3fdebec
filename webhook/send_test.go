package webhook_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// Protocol 5.2: the fake verifies what the robot signs, to the byte.
func TestSendSigned(t *testing.T) {
	t.Parallel()
	server, key, secret := webhooktest.NewServer(nil), signing.NewSecret("k1"), signing.NewSecret("s1")
	if err := server.Add(webhooktest.Robot{Key: key, SigningSecret: secret}); err != nil {
		t.Fatal(err)
	}
	cfg := server.Config(key)
	cfg.SigningSecret = secret
	r := newRobot(t, cfg)
	for name, m := range messages() {
		if name == "raw" { // of a msgtype that the fake does not know
			continue
		}
		if err := r.Send(t.Context(), m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the service refuses for is an error of its own.
func TestSendRefusals(t *testing.T) {
	t.Parallel()
	key, secret := signing.NewSecret("k1"), signing.NewSecret("s1")
	tests := []struct {
		name   string
		robot  webhooktest.Robot
		change func(*webhook.Config)
		want   error
	}{
		{"timestamp", webhooktest.Robot{SigningSecret: secret}, func(cfg *webhook.Config) {
			cfg.SigningSecret = secret
			cfg.Now = func() time.Time { return time.Now().Add(-15*time.Minute - 2*time.Second) }
		}, signing.ErrTimestamp},
		{"signature", webhooktest.Robot{SigningSecret: secret}, func(cfg *webhook.Config) {
			cfg.SigningSecret = signing.NewSecret("other")
		}, signing.ErrSignature},
		{"keyword", webhooktest.Robot{Keywords: []string{"alert"}}, func(cfg *webhook.Config) { cfg.Keywords = nil }, webhook.ErrNoKeyword},
		{"address", webhooktest.Robot{AllowList: []string{"192.0.2.1"}}, nil, webhook.ErrNotAllowed},
		{"rate", webhooktest.Robot{PerMinute: 1}, func(cfg *webhook.Config) {
			cfg.Limiter, cfg.Attempts = free, 1
		}, webhook.ErrRateLimited},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := webhooktest.NewServer(nil)
			tt.robot.Key = key
			if err := server.Add(tt.robot); err != nil {
				t.Fatal(err)
			}
			cfg := server.Config(key)
			if tt.change != nil {
				tt.change(&cfg)
			}
			r := newRobot(t, cfg)
			err := r.Send(t.Context(), webhook.Text{Content: "hi"})
			if tt.name == "rate" {
				err = errors.Join(err, r.Send(t.Context(), webhook.Text{Content: "hi"}))
			}
			for _, target := range []error{signing.ErrTimestamp, signing.ErrSignature, webhook.ErrNoKeyword, webhook.ErrNotAllowed, webhook.ErrRateLimited} {
				if got := errors.Is(err, target); got != errors.Is(tt.want, target) {
					t.Errorf("errors.Is(%v, %v) = %v", err, target, got)
				}
			}
		})
	}
}

// A message that was refused for rate goes out again, through the Limiter, signed
// anew, and not before the service wants it.
func TestSendRepeatsWhatWasRefusedForRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls, waits int
		var dates, bodies []string
		start := time.Now()
		cfg := webhook.Config{
			URL: signing.NewSecret(address), SigningSecret: signing.NewSecret("s"), Attempts: 4,
			Limiter: webhook.LimiterFunc(func(context.Context) error { waits++; return nil }),
			RateLimited: func(e *webhook.APIError) bool {
				return e.Result == "TooMany"
			},
			HTTPClient: memhttp.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				dates, bodies = append(dates, r.Header.Get("Date")), append(bodies, string(body))
				if calls++; calls < 3 {
					w.Header().Set("Retry-After", "90")
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"result":"TooMany"}`))
					return
				}
				_, _ = w.Write([]byte(`{"result":"ok"}`))
			})),
		}
		if err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"}); err != nil {
			t.Fatal(err)
		}
		if calls != 3 || waits != 3 {
			t.Errorf("%d calls and %d waits, want 3 and 3", calls, waits)
		}
		if got := time.Since(start); got != 180*time.Second {
			t.Errorf("it took %v, want twice Retry-After", got)
		}
		if dates[0] == dates[1] || dates[1] == dates[2] || bodies[0] != bodies[2] {
			t.Errorf("dates %q, bodies %q: want the same body with new dates", dates, bodies)
		}
	})
}

// Nothing else is repeated: the message may have arrived.
func TestSendNeverRepeatsWhatIsAmbiguous(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"500":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"503":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"broken off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no answer":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"HTML":       func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"bad request": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				cfg := at(func(w http.ResponseWriter, r *http.Request) {
					calls.Add(1)
					answer(w, r)
				})
				cfg.HTTPClient.Timeout = time.Minute
				if err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"}); err == nil || errors.Is(err, webhook.ErrNotSent) {
					t.Errorf("Send = %v, want an error other than ErrNotSent", err)
				}
				if got := calls.Load(); got != 1 {
					t.Errorf("%d calls, want 1", got)
				}
			})
		})
	}
}

// What comes to nothing before the message is posted says so.
func TestSendNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		cfg := at(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			_, _ = w.Write([]byte(`{"result":"ok"}`))
		})
		m := webhook.Text{Content: "hi"}

		ended, cancel := context.WithCancelCause(t.Context())
		why := errors.New("why")
		cancel(why)
		if err := newRobot(t, cfg).Send(ended, m); !errors.Is(err, webhook.ErrNotSent) || !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
			t.Errorf("ended context: %v", err)
		}
		broken := errors.New("redis is down")
		cfg.Limiter = webhook.LimiterFunc(func(context.Context) error { return broken })
		if err := newRobot(t, cfg).Send(t.Context(), m); !errors.Is(err, webhook.ErrNotSent) || !errors.Is(err, broken) || err.Error() != "webhook: send: limiter: redis is down" {
			t.Errorf("broken limiter: %v", err)
		}
		cfg.Limiter = webhook.NewWindow(1, time.Minute)
		r := newRobot(t, cfg)
		if err := r.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		short, cancel2 := context.WithTimeout(t.Context(), time.Minute)
		defer cancel2()
		var limit *webhook.LimitError
		if err := r.Send(short, m); !errors.As(err, &limit) || !errors.Is(err, webhook.ErrNotSent) || err.Error() != limit.Error() {
			t.Errorf("no place: %v", err)
		}
		if calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
	})
}

// arrived lists the texts that a server was sent.
func arrived(server *webhooktest.Server) []string {
	var ms []webhook.Message
	for _, s := range server.Sent() {
		ms = append(ms, s.Message)
	}
	return contents(ms)
}

func TestSendAll(t *testing.T) {
	t.Parallel()
	text := func(s string) webhook.Message { return webhook.Text{Content: s} }
	t.Run("checks all first", func(t *testing.T) {
		t.Parallel()
		server := webhooktest.NewServer(nil)
		cfg := server.Config(webhooktest.TestKey())
		cfg.Keywords = []string{"a"}
		sent, err := newRobot(t, cfg).SendAll(t.Context(), text("a"), text("b"), nil, webhook.Link{Text: "a"})
		if diff := cmp.Diff([]string{"ms[1].Content", "ms[2].Message", "ms[3].Title"}, fields(err)); diff != "" || sent != 0 {
			t.Errorf("SendAll = %d, %v (-want +got):\n%s", sent, err, diff)
		}
		if got := len(server.Sent()); got != 0 {
			t.Errorf("%d messages arrived, want none", got)
		}
	})
	t.Run("in order, up to the first error", func(t *testing.T) {
		t.Parallel()
		server := webhooktest.NewServer(nil)
		if err := server.Add(webhooktest.Robot{Key: webhooktest.TestKey(), Keywords: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
		cfg := server.Config(webhooktest.TestKey())
		cfg.Keywords = nil
		sent, err := newRobot(t, cfg).SendAll(t.Context(), text("a1"), text("a2"), text("b3"), text("a4"))
		if sent != 2 || !errors.Is(err, webhook.ErrNoKeyword) {
			t.Errorf("SendAll = %d, %v, want 2 and ErrNoKeyword", sent, err)
		}
		if diff := cmp.Diff([]string{"a1", "a2", "b3"}, arrived(server)); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		if sent, err := newRobot(t, at(nil)).SendAll(t.Context()); sent != 0 || err != nil {
			t.Errorf("SendAll() = %d, %v", sent, err)
		}
	})
}

// An answer can ask for a pause of some minutes, and not for one of years.
func TestSendBoundsRetryAfter(t *testing.T) {
	t.Parallel()
	for after, attempts := range map[string]int{"86400": 1, "2147483647": 1, "30": 3} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			cfg := at(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.Header().Set("Retry-After", after)
				w.WriteHeader(http.StatusTooManyRequests)
			})
			err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
			var refused *webhook.APIError
			if !errors.As(err, &refused) || refused.RetryAfter == 0 || calls != attempts {
				t.Errorf("Retry-After %s: Send = %v after %d attempts, want %d and an error with the pause", after, err, calls, attempts)
			}
		})
	}
}

// Pieces have numbers and a keyword of the robot, and are as long as it takes.
func TestSendLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 40)
	for name, tt := range map[string]struct {
		keywords []string
		opts     *webhook.SplitOptions
		first    string
	}{
		"no label":           {nil, nil, "1/4\n\nword"},
		"title":              {nil, &webhook.SplitOptions{Title: "Report"}, "Report 1/5\n\nword"},
		"keyword":            {[]string{"[ops]", "[dev]"}, nil, "[ops] 1/4\n\nword"},
		"keyword in a title": {[]string{"[ops]", "[dev]"}, &webhook.SplitOptions{Title: "[dev] x"}, "[dev] x 1/5\n\nword"},
		"title and keyword":  {[]string{"[ops]"}, &webhook.SplitOptions{Title: "x"}, "[ops] x 1/5\n\nword"},
		"label":              {nil, &webhook.SplitOptions{Title: "x", Label: func(int, int) string { return "L\n" }}, "L\nword"},
	} {
		server := webhooktest.NewServer(nil)
		cfg := server.Config(webhooktest.TestKey())
		cfg.MaxLength, cfg.Keywords = 60, tt.keywords
		r := newRobot(t, cfg)
		sent, err := r.SendLong(t.Context(), webhook.Text{Content: long}, tt.opts)
		got := arrived(server)
		if err != nil || sent != len(got) || sent < 4 || !strings.HasPrefix(got[0], tt.first) {
			t.Errorf("%s: SendLong = %d, %v, sent %q, want the first to begin with %q", name, sent, err, got, tt.first)
		}
		for _, text := range got {
			if len(text) > 60 {
				t.Errorf("%s: a piece has %d characters", name, len(text))
			}
		}
	}
	r := newRobot(t, at(nil))
	if sent, err := r.SendLong(t.Context(), webhook.Raw{Body: []byte(`{"msgtype":"x","x":"` + strings.Repeat("x", 6000) + `"}`)}, nil); sent != 0 || !errors.Is(err, webhook.ErrTooLong) {
		t.Errorf("SendLong of a long Raw = %d, %v", sent, err)
	}
	if !r.Key().Equal(signing.NewSecret("robot-key")) {
		t.Errorf("Key() is not the key of %s", address)
	}
}
