package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// Send checks m, waits for the Limiter, signs m if there is a SigningSecret, and
// posts it. It returns nil only when the service said that it took the message.
//
// The error is a [*FieldError] where m breaks a rule, a [*LimitError] where its
// turn comes after ctx has ended, and an [*APIError] where the service did not
// accept it. After a refusal for rate it waits and tries again, up to
// Config.Attempts times, each time through the Limiter and signed anew. Nothing
// else is tried again: after any other error that is not [ErrNotSent], such as a
// broken connection, the message may have arrived, and a second one would be one
// too many.
func (r *Robot) Send(ctx context.Context, m Message) error {
	m = value(m)
	if err := r.Check(m); err != nil {
		return err
	}
	return r.deliver(ctx, encode(m))
}

// SendAll checks all of ms, then sends one after the other as [Robot.Send] does,
// up to the first error. It returns how many were accepted. After an error,
// ms[sent:] were not; only ms[sent] may have arrived all the same, where the
// error leaves that open.
//
// If any of ms breaks a rule, none is sent, and every problem is reported, with
// fields such as "ms[2].Content". Messages of others may come in between. Each of
// ms takes a turn of its own from the Limiter, so thirty take more than a minute.
func (r *Robot) SendAll(ctx context.Context, ms ...Message) (sent int, err error) {
	bodies := make([][]byte, len(ms))
	var all []*FieldError
	for i, m := range ms {
		m = value(m)
		for _, f := range r.violations(m) {
			f.Field = fmt.Sprintf("ms[%d].%s", i, f.Field)
			all = append(all, f)
		}
		bodies[i] = encode(m)
	}
	if err := joinFields(all); err != nil {
		return 0, err
	}
	for i, body := range bodies {
		if err := r.deliver(ctx, body); err != nil {
			return i, err
		}
	}
	return len(ms), nil
}

// Check returns the error with which [Robot.Send] would refuse m, and sends
// nothing. It looks at the rules of m's type, Config.MaxLength and
// Config.Keywords.
func (r *Robot) Check(m Message) error { return joinFields(r.violations(value(m))) }

func (r *Robot) violations(m Message) []*FieldError {
	return violations(m, r.cfg.MaxLength, r.cfg.Keywords)
}

// deliver posts body, again while it is refused for rate.
func (r *Robot) deliver(ctx context.Context, body []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("webhook: send: %w", notSent{httpx.Ended(ctx)})
	}
	return httpx.Repeat(ctx, r.cfg.Attempts, pace, r.again(ctx), func() error {
		if err := r.cfg.Limiter.Wait(ctx); err != nil {
			return limiterError(err)
		}
		return r.post(ctx, body)
	})
}

// limiterError keeps what a Window says, and marks what another Limiter does.
func limiterError(err error) error {
	if errors.Is(err, ErrNotSent) {
		return err
	}
	return fmt.Errorf("webhook: send: limiter: %w", notSent{err})
}

// post makes one attempt.
func (r *Robot) post(ctx context.Context, body []byte) error {
	answer, err := r.do(ctx, httpx.Request{Method: http.MethodPost, URL: r.address.Reveal(), Body: body})
	if errors.Is(err, httpx.ErrTooLarge) {
		return r.refusal(answer, &APIError{Message: fmt.Sprintf("the answer has more than %d bytes", maxAnswer)})
	}
	if err != nil {
		return fmt.Errorf("webhook: send: %w", err)
	}
	if e := r.prove(answer); e != nil {
		return e
	}
	r.cfg.Logger.DebugContext(ctx, "webhook: message accepted", slog.Int("bytes", len(body)))
	return nil
}

// again repeats what the service refused for rate, and only that (protocol 8).
func (r *Robot) again(ctx context.Context) func(error) (time.Duration, bool) {
	return func(err error) (time.Duration, bool) {
		var refused *APIError
		if !errors.As(err, &refused) || !refused.rateLimited {
			return 0, false
		}
		r.cfg.Logger.WarnContext(ctx, "webhook: refused for rate", slog.Duration("retry_after", refused.RetryAfter))
		return refused.RetryAfter, true
	}
}
