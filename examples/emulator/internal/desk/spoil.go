package desk

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// spoil sends a request of the service with the fault of its operation.
func (f *faults) spoil(area, operation string, p *pending, next http.RoundTripper, r *http.Request) (*http.Response, error) {
	on, ok := f.take(area, operation)
	if !ok {
		return next.RoundTrip(r)
	}
	p.fault = on.Kind
	switch on.Kind {
	case faultSlow:
		timer := time.NewTimer(on.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		return next.RoundTrip(r)
	case faultMalformed:
		return next.RoundTrip(halved(r))
	default: // reset
		return nil, hangUp(next, r)
	}
}

// halved is r with half of its body.
func halved(r *http.Request) *http.Request {
	if r.Body == nil {
		return r
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxServiceBody))
	if err != nil {
		return r
	}
	r = r.Clone(r.Context())
	half := body[:len(body)/2]
	r.Body, r.GetBody = io.NopCloser(bytes.NewReader(half)), nil
	if r.ContentLength > 0 {
		r.ContentLength = int64(len(half))
	}
	return r
}

// hangUp sends r, and leaves when the first byte of the answer could come.
func hangUp(next http.RoundTripper, r *http.Request) error {
	const patience = 50 * time.Millisecond // For the request to arrive.
	ctx, cancel := context.WithTimeoutCause(r.Context(), patience, errStopped)
	defer cancel()
	resp, err := next.RoundTrip(r.WithContext(ctx))
	if err == nil {
		_ = resp.Body.Close()
	}
	return errStopped
}
