package httpx_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

func TestPauseDoublesWithinMinAndMax(t *testing.T) {
	t.Parallel()
	pace := httpx.Backoff{Min: time.Second, Max: 10 * time.Second}
	for n, middle := range []time.Duration{1, 2, 4, 8, 10, 10, 10} {
		middle *= time.Second
		low, high := max(pace.Min, middle-middle/4), min(pace.Max, middle+middle/4)
		seen := map[time.Duration]bool{}
		for range 200 {
			got := pace.Pause(n, 0)
			if got < low || got > high {
				t.Fatalf("Pause(%d, 0) = %v, want between %v and %v", n, got, low, high)
			}
			seen[got] = true
		}
		if len(seen) < 100 {
			t.Errorf("Pause(%d, 0) gave %d different pauses of 200: clients would come back together", n, len(seen))
		}
	}
}

func TestPauseExtremes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		pace  httpx.Backoff
		n     int
		asked time.Duration
		want  time.Duration
	}{
		{"no room for chance", httpx.Backoff{Min: time.Second, Max: time.Second}, 3, 0, time.Second},
		{"the service asks for more", httpx.Backoff{Min: 1, Max: 2}, 0, time.Minute, time.Minute},
		{"nothing", httpx.Backoff{}, 5, 0, 0},
		{"no overflow", httpx.Backoff{Min: math.MaxInt64 / 3, Max: math.MaxInt64 / 3}, 99, 0, math.MaxInt64 / 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.pace.Pause(test.n, test.asked); got != test.want {
				t.Errorf("Pause(%d, %v) = %v, want %v", test.n, test.asked, got, test.want)
			}
		})
	}
}

var errTry = errors.New("it failed")

func TestRepeat(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the cause")
	tests := []struct {
		name     string
		attempts int
		good     int // the try that succeeds; 0: none
		asked    time.Duration
		again    bool
		deadline time.Duration // 0: none
		wantTry  int
		wantTime time.Duration
		wantErr  []error // none: success
	}{
		{"at once", 3, 1, 0, true, 0, 1, 0, nil},
		{"the last try", 3, 3, 0, true, 0, 3, 4 * time.Second, nil},
		{"never", 3, 0, 0, true, 0, 3, 4 * time.Second, []error{errTry}},
		{"not to be repeated", 3, 2, 0, false, 0, 1, 0, []error{errTry}},
		{"no repeats", 1, 2, 0, true, 0, 1, 0, []error{errTry}},
		{"the service asks", 2, 2, 7 * time.Second, true, 0, 2, 7 * time.Second, nil},
		{"the service asks for an hour", 2, 2, time.Hour, true, 0, 2, time.Hour, nil},
		{"the service asks for years", 3, 2, 68 * 365 * 24 * time.Hour, true, 0, 1, 0, []error{errTry}},
		{"a day within a deadline", 2, 2, 24 * time.Hour, true, 48 * time.Hour, 2, 24 * time.Hour, nil},
		{"the deadline would come first", 3, 2, 7 * time.Second, true, 5 * time.Second, 1, 0, []error{errTry}},
		{"ended during the pause", 3, 2, 0, true, -time.Second, 1, time.Second, []error{errTry, context.Canceled, errCause}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.deadline > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, test.deadline)
					defer stop()
				} else if test.deadline < 0 {
					time.AfterFunc(-test.deadline, func() { cancel(errCause) })
				}
				start, tries := time.Now(), 0
				pace := httpx.Backoff{Min: 2 * time.Second, Max: 2 * time.Second}
				err := httpx.Repeat(ctx, test.attempts, pace,
					func(error) (time.Duration, bool) { return test.asked, test.again },
					func(n int) error {
						if tries++; n != tries {
							t.Errorf("attempt %d has the number %d", tries, n)
						}
						if n == test.good {
							return nil
						}
						return errTry
					})
				if got := time.Since(start); tries != test.wantTry || got != test.wantTime {
					t.Errorf("Repeat tried %d times in %v, want %d in %v", tries, got, test.wantTry, test.wantTime)
				}
				if (err == nil) != (test.wantErr == nil) {
					t.Errorf("Repeat gave error %v, want %v", err, test.wantErr)
				}
				for _, want := range test.wantErr {
					if !errors.Is(err, want) {
						t.Errorf("Repeat gave error %v, want one that is %v", err, want)
					}
				}
			})
		})
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := httpx.Ended(ctx); err != nil {
		t.Errorf("Ended = %v while the context goes on, want nil", err)
	}
	cancel(errCause)
	if err := httpx.Ended(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, errCause) {
		t.Errorf("Ended = %v, want Canceled and the cause", err)
	}
	plain, stop := context.WithCancel(t.Context())
	stop()
	if err := httpx.Ended(plain); err != context.Canceled { //nolint:errorlint // Exactly that, once.
		t.Errorf("Ended = %v, want Canceled alone", err)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2013, 1, 23, 6, 43, 8, 0, time.UTC)
	tests := map[string]time.Duration{
		"":                              0,
		"7":                             7 * time.Second,
		"-7":                            0,
		"soon":                          0,
		"99999999999999999999":          0,
		"Wed, 23 Jan 2013 06:44:08 GMT": time.Minute,
		"Wed, 23 Jan 2013 06:42:08 GMT": 0,
	}
	for text, want := range tests {
		if got := httpx.RetryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", text, got, want)
		}
	}
	if got := httpx.RetryAfter(nil, now); got != 0 {
		t.Errorf("RetryAfter without a header = %v, want 0", got)
	}
}

func TestSleepDoesNotOutliveItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := httpx.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("Sleep = %v after %v, want DeadlineExceeded after 1s", err, time.Since(start))
		}
		if err := httpx.Sleep(t.Context(), time.Hour); err != nil {
			t.Errorf("Sleep = %v, want nil", err)
		}
	})
}

func TestRepeatSaysBothReasons(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		err := httpx.Repeat(ctx, 2, httpx.Backoff{Min: time.Hour, Max: time.Hour},
			func(error) (time.Duration, bool) { return 0, true }, func(int) error { return errTry })
		if err == nil || !strings.Contains(err.Error(), "it failed") || !strings.Contains(err.Error(), "canceled") {
			t.Errorf("Repeat = %v, want both the failure and the end of the context", err)
		}
	})
}
