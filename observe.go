package weboffice

import (
	"context"
	"time"
)

// Observer is called when an operation starts, for spans and metrics. An operation is one
// attempt of a call to the service, or one callback from it.
//
// The operation continues with the context that the Observer returns. The returned func is
// called once, when the operation has ended. Both results may be nil. An Observer is called
// from many goroutines, and delays the operation while it runs.
//
// Operation and Outcome contain no key, token, URL or text of an error. Every string but
// RequestID and App comes from a short list.
type Observer func(ctx context.Context, op Operation) (context.Context, func(Outcome))

// Operation describes an operation that starts.
type Operation struct {
	_        [0]func()
	Name     string // Package and operation, such as "convert.submit_pdf".
	Callback bool   // True for a callback, false for a call.
	Attempt  int    // Number of the attempt of one call, from 1; 1 for a callback.
}

// Outcome describes how an operation ended.
type Outcome struct {
	_         [0]func()
	App       string        // App id, or the Name of the robot's Config; empty if unknown.
	Waited    time.Duration // Time of the operation spent waiting for the Limiter.
	Status    int           // HTTP status of the answer; 0 if there was none.
	Code      int           // Code in the answer; 0 if it has none.
	RequestID string        // Request id of the service; empty if unknown.

	// The kind of the error, empty on success:
	//
	//	canceled      the context was canceled
	//	timeout       a deadline passed
	//	network       no complete answer arrived
	//	rate_limited  the service or the Limiter rejected the call
	//	refused       the other side answered with an error
	//	signature     the signature or the Date of a callback does not verify
	//	unauthorized  the user of a callback is not known
	//	forbidden     the user of a callback may not do this
	//	not_found     what a callback asks for does not exist
	//	invalid       an argument or an answer breaks a rule of the protocol
	//	failed        a conversion failed, or the integrator's own code did
	Error string
}
