package observe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/observe"
)

func TestStart(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "caller")
	for name, o := range map[string]weboffice.Observer{
		"nil":         nil,
		"returns nil": func(context.Context, weboffice.Operation) (context.Context, func(weboffice.Outcome)) { return nil, nil },
	} {
		got, end := observe.Start(ctx, o, weboffice.Operation{})
		if got != ctx {
			t.Errorf("%s: the context is %v, want the caller's", name, got)
		}
		end(weboffice.Outcome{})
	}

	var ended []string
	got, end := observe.Start(ctx, func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
		if op.Attempt != 1 {
			t.Errorf("Attempt = %d, want 1", op.Attempt)
		}
		return context.WithValue(ctx, key{}, op.Name), func(o weboffice.Outcome) { ended = append(ended, o.Error) }
	}, weboffice.Operation{Name: "convert.status"})
	end(weboffice.Outcome{Error: "timeout"})
	if got.Value(key{}) != "convert.status" || len(ended) != 1 || ended[0] != "timeout" {
		t.Errorf("the operation runs with %v and ends with %v", got.Value(key{}), ended)
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for want, errs := range map[string][]error{
		"canceled": {context.Canceled, fmt.Errorf("x: %w", errors.Join(context.DeadlineExceeded, context.Canceled))},
		"timeout":  {context.DeadlineExceeded, fmt.Errorf("x: %w", os.ErrDeadlineExceeded), &net.DNSError{IsTimeout: true}},
		"network":  {io.EOF, &net.DNSError{}},
	} {
		for _, err := range errs {
			if got := observe.Kind(err); got != want {
				t.Errorf("Kind(%v) = %q, want %q", err, got, want)
			}
		}
	}
}

func TestNilAllocatesNothing(t *testing.T) {
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, end := observe.Start(ctx, nil, weboffice.Operation{Name: "convert.status", Attempt: 2})
		end(weboffice.Outcome{})
	}); n != 0 {
		t.Errorf("a nil Observer costs %v allocations", n)
	}
}
