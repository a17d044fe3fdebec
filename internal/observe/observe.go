// Package observe calls a weboffice.Observer that may be nil, and may return nil.
package observe

import (
	"context"
	"errors"

	"github.com/weboffice-go/weboffice"
)

// Start starts an operation. The returned func is never nil.
func Start(ctx context.Context, o weboffice.Observer, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
	if o == nil {
		return ctx, ignore
	}
	op.Attempt = max(op.Attempt, 1)
	observed, end := o(ctx, op)
	if observed == nil {
		observed = ctx
	}
	if end == nil {
		end = ignore
	}
	return observed, end
}

func ignore(weboffice.Outcome) {}

// Kind is the weboffice.Outcome.Error of a call that got no answer.
func Kind(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	default:
		return "network"
	}
}
