package webhook

import "context"

// Limiter decides when a message may go out. A [Robot] asks it before every
// attempt, from as many goroutines as send.
//
// Wait returns nil when the caller may post now, once. It must obey ctx, and
// returns an error when the message shall not be sent at all; [Robot.Send] then
// returns an error that wraps it. The window that the service counts is one of
// arrivals: an implementation brings a margin for messages that overtake each
// other, as [NewWindow] does.
//
// A [Window] serves one process. To share a robot over replicas, implement Limiter
// on what they share.
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
