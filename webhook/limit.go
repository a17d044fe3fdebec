package webhook

import "context"

// Limiter decides when a message may go out. A [Robot] asks it before every
// attempt, from as many goroutines as send.
//
// Wait returns nil when the caller may post one message now. It must obey ctx.
// Its error means that the message is not sent at all, and [Robot.Send] returns
// an error that wraps it. The service counts arrivals, and messages overtake each
// other on their way, so leave a margin, as [NewWindow] does.
//
// A [Window] serves one process. For several, implement Limiter on something that
// they share.
type Limiter interface {
	Wait(ctx context.Context) error
}

// LimiterFunc is a function as a [Limiter].
type LimiterFunc func(ctx context.Context) error

// Wait calls f.
func (f LimiterFunc) Wait(ctx context.Context) error { return f(ctx) }

// isNil reports whether l is there, and nothing in it.
func isNil(l Limiter) bool {
	switch l := l.(type) {
	case LimiterFunc:
		return l == nil
	case *Window:
		return l == nil
	default:
		return false
	}
}
