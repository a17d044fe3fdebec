package webhooklog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
)

const (
	// maxPause is the longest pause between attempts to post.
	maxPause = time.Minute
	// maxRefusals is how often a message is posted that the service refuses.
	maxRefusals = 10
)

var errClosed = errors.New("webhooklog: the handler was shut down")

// queue collects records and posts them.
type queue struct {
	robot *webhook.Robot
	opts  Options

	life  context.Context //nolint:containedctx // Its own: it ends when Shutdown waits no longer.
	end   context.CancelFunc
	calm  context.Context //nolint:containedctx // Its own: it ends with Shutdown, and with it the pauses.
	hurry context.CancelFunc

	mu    sync.Mutex
	batch batch
	idle  chan struct{} // closed while no goroutine posts
	err   error         // why the last message failed

	going int           // records in the message that is being posted
	fate  fate          // of these, if no more happens to them
	fates [lost + 1]int // how many records have each, these included
}

// fate is what has become of records. Of those in one message the worst counts.
type fate int

const (
	posted   fate = iota
	doubtful      // not accepted, and may have arrived
	lost
)

func newQueue(r *webhook.Robot, opts Options) *queue {
	q := &queue{robot: r, opts: opts, idle: make(chan struct{})}
	q.life, q.end = context.WithCancel(context.WithValue(context.Background(), posting{}, true))
	q.calm, q.hurry = context.WithCancel(q.life)
	close(q.idle)
	return q
}

// add counts a record, and starts posting if nothing is in progress.
func (q *queue) add(c *count) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.calm.Err() != nil {
		return errClosed
	}
	q.batch.add(c, q.opts.Kinds)
	select {
	case <-q.idle:
		q.idle = make(chan struct{})
		go q.post()
	default:
	}
	return nil
}

// post runs until the queue is empty, or Shutdown waits no longer.
func (q *queue) post() {
	for {
		q.rest(q.opts.Interval, false)
		b, ok := q.take()
		if !ok {
			return
		}
		pieces, err := q.robot.Split(webhook.Markdown{Text: b.markdown(q.opts.Title)}, &webhook.SplitOptions{Title: q.opts.Title})
		if err != nil {
			q.fail(err)
			q.become(lost)
			continue
		}
		q.deliver(pieces)
	}
}

// take empties the queue, or says under the lock that the goroutine ends, so that the
// next record starts another one.
func (q *queue) take() (batch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.batch.records == 0 || q.life.Err() != nil {
		close(q.idle)
		return batch{}, false
	}
	b := q.batch
	q.batch, q.going, q.fate = batch{}, b.records, posted
	q.fates[posted] += b.records
	return b, true
}

// deliver posts the pieces of a message.
func (q *queue) deliver(pieces []webhook.Message) {
	worst := posted
	for _, piece := range pieces {
		worst = max(worst, q.send(piece, worst))
	}
	q.become(worst)
}

// send posts a piece until it is accepted or given up. Of other pieces of its message the
// worst fate is given.
func (q *queue) send(piece webhook.Message, worst fate) fate {
	refusals, pause := 0, q.opts.Interval
	for {
		q.become(max(worst, doubtful))
		err := q.robot.Send(q.life, piece)
		if err == nil {
			return posted
		}
		tries, after := judge(err)
		q.become(max(worst, after))
		if q.life.Err() != nil {
			return after
		}
		q.fail(err)
		if tries < always || q.calm.Err() != nil {
			refusals++
		}
		if refusals >= min(tries, maxRefusals) {
			return after
		}
		q.rest(pause, true)
		pause = max(q.opts.Interval, min(2*pause, maxPause))
	}
}

const always = math.MaxInt

// judge says how often a message may be posted that fails with err, and what becomes of
// it after that.
func judge(err error) (tries int, after fate) {
	var broken *webhook.FieldError
	var answered *webhook.APIError
	switch {
	case errors.As(err, &broken):
		return 1, lost
	case errors.Is(err, webhook.ErrNotSent), errors.Is(err, webhook.ErrRateLimited):
		return always, lost
	case errors.Is(err, webhook.ErrNotAccepted):
		return maxRefusals, lost
	case errors.As(err, &answered) && answered.StatusCode == http.StatusServiceUnavailable:
		return maxRefusals, doubtful
	default:
		return 1, doubtful
	}
}

// become changes the fate of the records that are being posted.
func (q *queue) become(f fate) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fates[q.fate] -= q.going
	q.fates[f] += q.going
	q.fate = f
}

// fail keeps and reports why a message failed.
func (q *queue) fail(err error) {
	q.mu.Lock()
	q.err = err
	q.mu.Unlock()
	if q.opts.OnError != nil {
		q.opts.OnError(err)
	}
}

// rest waits. Shutdown cuts it short, but after a failure it leaves a second.
func (q *queue) rest(pause time.Duration, failed bool) {
	ctx := q.calm
	if failed && ctx.Err() != nil {
		ctx, pause = q.life, min(pause, time.Second)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (q *queue) shutdown(ctx context.Context) error {
	q.mu.Lock()
	idle := q.idle
	q.hurry()
	q.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end() // of a goroutine that ctx did not wait for
	if left, doubt := q.fates[lost]+q.batch.records, q.fates[doubtful]; left > 0 || doubt > 0 {
		return fmt.Errorf("webhooklog: %d records were not posted, and %d may not have been: %w", left, doubt, errors.Join(q.err, ctx.Err()))
	}
	return nil
}
