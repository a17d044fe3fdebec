package httpx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Backoff is a pace that doubles from Min to Max. A pause is drawn from a quarter
// below to a quarter above, so that clients that failed together do not come back
// together, and always lies between Min and Max.
type Backoff struct{ Min, Max time.Duration }

// Pause returns the n-th pause, from 0, and at least what the service asked for.
func (b Backoff) Pause(n int, asked time.Duration) time.Duration {
	d := b.Max
	if doubled := math.Ldexp(float64(b.Min), n); doubled < float64(b.Max) {
		d = time.Duration(doubled)
	}
	low, high := max(b.Min, d-d/4), min(b.Max, d+d/4)
	if high > low {
		low += rand.N(high - low + 1) //nolint:gosec // Spreads load; guessing it gains nothing.
	}
	return max(low, asked)
}

// Sleep waits for d, or returns why ctx ended before.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return Ended(ctx)
	}
}

// Ended returns nil until ctx ends; then its Err, together with its cause if that is
// another error.
func Ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// LongestRetryAfter is how long Repeat pauses, at most, because the service asked for
// it, unless the context has a deadline. A header could ask for years.
const LongestRetryAfter = time.Hour

// Repeat calls try with the number of the attempt, from 1 up to attempts, while again says
// of its error that it may be repeated, and how long to wait at least. It returns the last
// error of try: immediately if ctx would end during the pause or the pause would exceed
// [LongestRetryAfter], and together with the cause if ctx ends during it.
func Repeat(ctx context.Context, attempts int, pace Backoff, again func(error) (asked time.Duration, ok bool), try func(n int) error) error {
	for n := 1; ; n++ {
		err := try(n)
		if err == nil || n >= attempts {
			return err
		}
		asked, ok := again(err)
		if !ok || ctx.Err() != nil {
			return err
		}
		pause := pace.Pause(n-1, asked)
		end, bounded := ctx.Deadline()
		if bounded && time.Until(end) < pause || !bounded && asked > LongestRetryAfter {
			return err
		}
		if ended := Sleep(ctx, pause); ended != nil {
			return fmt.Errorf("%w (then: %w)", err, ended)
		}
	}
}

// RetryAfter reads the header of that name, in seconds or as a date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := signing.ParseDate(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
