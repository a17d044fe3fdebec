package convert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/memhttp"
)

// hangUp breaks the connection off before an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// say answers with a status and a body.
func say(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestRepeatingIsDecidedByKind: a submit is repeated only where it
// was refused, and a query after everything that may pass.
func TestRepeatingIsDecidedByKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		first         http.HandlerFunc
		submit, query int // attempts, of 3
	}{
		{"refused by 429", say(429, "slow down"), 3, 3},
		{"refused by RateLimiter", say(200, `{"code":30002,"message":"RateLimiter"}`), 3, 3},
		{"refused by TooManyTask", say(200, `{"code":30010}`), 3, 3},
		{"a broken connection", hangUp, 1, 3},
		{"a failure", say(500, ""), 1, 3},
		{"a proxy's failure", say(502, "<html>"), 1, 3},
		{"a failure with a code", say(503, `{"code":30001}`), 1, 3},
		{"an internal error", say(200, `{"code":30004}`), 1, 3},
		{"a timeout", say(200, `{"code":10002}`), 1, 3},
		{"an upgrade", say(200, `{"code":40008}`), 1, 3},
		{"something unknown", say(200, `{"code":-1}`), 1, 3},
		{"HTML with 200", say(200, "<html>"), 1, 3},
		{"nothing", say(200, ""), 1, 3},
		{"a cut answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"code":0`)
		}, 1, 3},
		{"an invalid argument", say(200, `{"code":10001}`), 1, 1},
		{"a wrong signature", say(401, `{"code":30003}`), 1, 1},
		{"an unknown task", say(404, "invalid docID"), 1, 1},
		{"a redirect", say(302, ""), 1, 1},
		{"too large", say(200, submitted+strings.Repeat(" ", 2<<20)), 1, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for kind, want := range map[string]int{"submit": test.submit, "query": test.query} {
					service := &service{answer: test.first}
					client := newClient(t, service, nil)
					start := time.Now()
					var err error
					if kind == "submit" {
						_, err = client.SubmitPDF(t.Context(), pdf())
					} else {
						_, err = client.Status(t.Context(), convert.Task{ID: "1"})
					}
					calls := service.received()
					if err == nil || len(calls) != want {
						t.Errorf("%s: %d attempts, %v, want %d", kind, len(calls), err, want)
					}
					// Pauses of 1 s and 2 s, each a quarter more or less.
					low, high := [4]float64{0, 0, 1, 2.5}[want], [4]float64{0, 0, 1.25, 3.75}[want]
					if took := time.Since(start).Seconds(); took < low || took > high {
						t.Errorf("%s: %d attempts took %v s, want %v to %v", kind, want, took, low, high)
					}
				}
			})
		})
	}
}

// TestRetryAfter: a submit waits a minute at most, and what may be repeated as long
// as it is asked to.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	slow := func(status int, wait string, first *bool, then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if *first = !*first; !*first {
				then(w, r)
				return
			}
			w.Header().Set("Retry-After", wait)
			w.WriteHeader(status)
		}
	}
	for name, test := range map[string]struct {
		wait    string
		do      func(t *testing.T, c *convert.Client) error
		want    time.Duration
		failure bool
	}{
		"a submit, 60 s": {"60", func(t *testing.T, c *convert.Client) error {
			t.Helper()
			_, err := c.SubmitPDF(t.Context(), pdf())
			return err
		}, time.Minute, false},
		"a submit, 61 s": {"61", func(t *testing.T, c *convert.Client) error {
			t.Helper()
			_, err := c.SubmitPDF(t.Context(), pdf())
			return err
		}, 0, true},
		"a query": {"3600", func(t *testing.T, c *convert.Client) error {
			t.Helper()
			_, err := c.Status(t.Context(), task)
			return err
		}, time.Hour, false},
		"a wait": {"90", func(t *testing.T, c *convert.Client) error {
			t.Helper()
			_, err := c.Wait(t.Context(), task)
			return err
		}, 90 * time.Second, false},
		"a wait beyond MaxWait": {"3600", func(t *testing.T, c *convert.Client) error {
			t.Helper()
			_, err := c.Wait(t.Context(), task)
			return err
		}, 0, true},
		"a download": {"90", func(t *testing.T, c *convert.Client) error {
			t.Helper()
			_, err := c.Save(t.Context(), task, t.TempDir(), nil)
			return err
		}, 180 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var called, downloaded bool
				mux := http.NewServeMux()
				mux.HandleFunc("POST office.example/", slow(429, test.wait, &called, say(200, submitted)))
				mux.HandleFunc("GET office.example/", slow(429, test.wait, &called, say(200, done("https://files.example/1"))))
				mux.HandleFunc("files.example/", slow(503, test.wait, &downloaded, say(200, "hello")))
				start := time.Now()
				err := test.do(t, newClient(t, mux, nil))
				if took := time.Since(start); (err != nil) != test.failure || took != test.want {
					t.Errorf("it ended with %v after %v, want an error: %v, after %v", err, took, test.failure, test.want)
				}
				if asked, _ := time.ParseDuration(test.wait + "s"); test.failure && apiError(t, err).RetryAfter != asked {
					t.Errorf("RetryAfter of %v is not %v", err, asked)
				}
			})
		})
	}
}

func TestEachAttemptIsSignedAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		service := &service{answer: func(w http.ResponseWriter, _ *http.Request) {
			if n++; n < 3 {
				say(429, "")(w, nil)
				return
			}
			say(200, submitted)(w, nil)
		}}
		client := newClient(t, service, func(cfg *convert.Config) {
			cfg.Backoff.Min = time.Hour // more than any tolerance: an old Date would be refused
			cfg.Backoff.Max = time.Hour
		})
		if _, err := client.SubmitText(t.Context(), text()); err != nil {
			t.Fatal(err)
		}
		calls := service.received()
		if len(calls) != 3 || calls[0].Body != calls[2].Body {
			t.Fatalf("%d attempts, and the bodies differ", len(calls))
		}
		for _, header := range []string{"Date", "Authorization"} {
			if a, b := calls[0].Header.Get(header), calls[1].Header.Get(header); a == b {
				t.Errorf("two attempts have the same %s: %s", header, a)
			}
		}
	})
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]int{0: convert.DefaultAttempts, 1: 1, 5: 5} {
		t.Run(fmt.Sprint(attempts), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &service{answer: say(500, "")}
				client := newClient(t, service, func(cfg *convert.Config) { cfg.Attempts = attempts })
				_, err := client.Status(t.Context(), convert.Task{ID: "1"})
				if n := len(service.received()); n != want || apiError(t, err).StatusCode != 500 {
					t.Errorf("%d attempts, %v, want %d", n, err, want)
				}
			})
		})
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the user left")
	tests := map[string]http.HandlerFunc{
		"before an answer":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"between two tries": say(500, ""),
		"within an answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"code":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(500*time.Millisecond, func() { cancel(errCause) })
				start := time.Now()
				_, err := newClient(t, handler, nil).Status(ctx, convert.Task{ID: "1"})
				if !errors.Is(err, context.Canceled) || !errors.Is(err, errCause) || !strings.HasPrefix(err.Error(), "convert: status: ") {
					t.Errorf("Status = %v, want Canceled and its cause", err)
				}
				if took := time.Since(start); took != 500*time.Millisecond {
					t.Errorf("Status took %v, want 500ms", took)
				}
			})
		})
	}
	t.Run("before it starts", func(t *testing.T) {
		t.Parallel()
		service := &service{answers: []string{submitted}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		client := newClient(t, service, func(cfg *convert.Config) { cfg.Limiter = nil })
		if _, err := client.SubmitText(ctx, text()); !errors.Is(err, context.Canceled) || len(service.received()) != 0 {
			t.Errorf("SubmitText = %v after %d calls, want Canceled after none", err, len(service.received()))
		}
	})
}

func TestTimeoutOfTheHTTPClientBoundsOneAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
		client := newClient(t, service, func(cfg *convert.Config) {
			cfg.HTTPClient = &http.Client{Transport: memhttp.Transport(service), Timeout: 10 * time.Second}
		})
		start := time.Now()
		_, err := client.Status(t.Context(), convert.Task{ID: "1"})
		var timeout interface{ Timeout() bool }
		if !errors.As(err, &timeout) || !timeout.Timeout() || len(service.received()) != 3 {
			t.Errorf("Status = %v after %d attempts, want a time-out after 3", err, len(service.received()))
		}
		if took := time.Since(start); took < 32*time.Second || took > 34*time.Second {
			t.Errorf("Status took %v, want three times 10 s and two pauses", took)
		}
	})
}

// stubborn is a Limiter that fails.
type stubborn struct{ err error }

func (s stubborn) Wait(context.Context) error { return s.err }

func TestBrokenLimiterSendsNothing(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{running("1")}}
	errRedis := errors.New("redis is down")
	client := newClient(t, service, func(cfg *convert.Config) { cfg.Limiter = stubborn{errRedis} })
	_, err := client.Status(t.Context(), convert.Task{ID: "1"})
	if !errors.Is(err, errRedis) || len(service.received()) != 0 {
		t.Errorf("Status = %v after %d calls, want the limiter's error after none", err, len(service.received()))
	}
	if want := "convert: status: limiter: redis is down"; err.Error() != want {
		t.Errorf("the error reads %q, want %q", err, want)
	}
}

func TestLimiterNeedNotKnowTheCause(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errCause)
	client := newClient(t, &service{}, func(cfg *convert.Config) { cfg.Limiter = free{} })
	if _, err := client.SubmitText(ctx, text()); !errors.Is(err, context.Canceled) || !errors.Is(err, errCause) {
		t.Errorf("SubmitText = %v, want Canceled and its cause", err)
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		n := 0
		client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(20 * time.Millisecond)
			if n++; n == 1 {
				say(429, "")(w, nil)
				return
			}
			say(200, submitted)(w, nil)
		}), func(cfg *convert.Config) { cfg.Logger = log })
		if _, err := client.SubmitPDF(t.Context(), pdf()); err != nil {
			t.Fatal(err)
		}
		want := `level=WARN msg="convert: call failed" op="submit pdf" attempt=1 took=20ms error="convert: submit pdf: http status 429"` + "\n" +
			`level=DEBUG msg="convert: call" op="submit pdf" attempt=2 took=20ms` + "\n"
		if out.String() != want {
			t.Errorf("logged\n%swant\n%s", out.String(), want)
		}
	})
}
