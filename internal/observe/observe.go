// Package observe calls a weboffice.Observer that may be nil, and may return nil.
package observe

import (
	"context"

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
