package weboffice

import (
	"context"
	"time"
)

// Observer is told when an operation starts and when it ends, for spans and metrics.
// The Configs of convert, preview, webhook and token take one as Observe. An
// operation is one attempt of one call to the service, or one callback from it; a
// call that is repeated is observed once for each attempt.
//
// The operation goes on with the context that the Observer returns, so that a span
// in it is the parent of what is done meanwhile. The returned func is called once,
// when the operation has ended. Either may be nil. An Observer is called from many
// goroutines; what it costs, every operation costs, and a nil Observer costs nothing.
//
// Neither value holds a key, a token, a URL or the text of an error, and every
// string but RequestID and App comes from a short list: all of it can be exported.
type Observer func(ctx context.Context, op Operation) (context.Context, func(Outcome))

// Operation is what starts.
type Operation struct {
	_        [0]func()
	Name     string // Package and operation, such as "convert.submit_pdf" or "preview.permission".
	Callback bool   // Whether the service calls; false is a call to the service.
	Attempt  int    // Counts the attempts of one call from 1; 1 for a callback.
}

// Outcome is how it ended.
type Outcome struct {
	_         [0]func()
	App       string        // App id, or the Name of the robot's Config; empty if unknown, as for a callback that fails verification.
	Waited    time.Duration // Time spent waiting for the Limiter, within the operation.
	Status    int           // HTTP status of the answer; 0 if there was none.
	Code      int           // Code in the answer; 0 if it has none.
	RequestID string        // Request id of the service; empty if unknown.

	// The kind of the error, empty on success:
	//
	//	canceled      the context was canceled
	//	timeout       a deadline passed
	//	network       no complete answer arrived
	//	rate_limited  too many calls, said by the service or by the Limiter
	//	refused       the other side answered with an error
	//	signature     the signature or the Date of a callback does not verify
	//	unauthorized  the user of a callback is not known
	//	forbidden     the user of a callback may not do this
	//	not_found     what a callback asks for does not exist
	//	invalid       an argument or an answer breaks a rule of the protocol
	//	failed        a conversion failed, or the integrator's own code did
	Error string
}
