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

	mu     sync.Mutex
	batch  batch
	closed bool
	hurry  chan struct{} // closed by shutdown: no more pauses
	idle   chan struct{} // closed while no goroutine posts
	cancel context.CancelFunc
	err    error // why the last message failed

	// Records, by where they are.
	going    int  // in the message that is being posted
	doubtful bool // whether that one may have arrived
	lost     int  // given up
	doubt    int  // given up, and may have arrived
}

func newQueue(r *webhook.Robot, opts Options) *queue {
	q := &queue{robot: r, opts: opts, hurry: make(chan struct{}), idle: make(chan struct{})}
	close(q.idle)
	return q
}

// add counts a record, and starts posting if nothing is in progress.
func (q *queue) add(c *count) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.batch.add(c, q.opts.Kinds)
	select {
	case <-q.idle:
		q.idle = make(chan struct{})
		var ctx context.Context
		ctx, q.cancel = context.WithCancel(context.WithValue(context.Background(), posting{}, true))
		go q.post(ctx, q.idle)
	default:
	}
	return nil
}

// post runs until the queue is empty, or ctx ends.
func (q *queue) post(ctx context.Context, idle chan struct{}) {
	defer close(idle)
	for {
		q.rest(ctx, q.opts.Interval, false)
		b, ok := q.take(ctx)
		if !ok {
			return
		}
		pieces, err := q.robot.Split(webhook.Markdown{Text: b.markdown(q.opts.Title)}, &webhook.SplitOptions{Title: q.opts.Title})
		if err != nil {
			q.fail(err)
			q.settle(&q.lost)
			continue
		}
		q.deliver(ctx, pieces)
	}
}

// take empties the queue. When nothing is left, the goroutine ends: idle is replaced
// here, under the lock, so that the next record starts another one.
func (q *queue) take(ctx context.Context) (batch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.batch.records == 0 || ctx.Err() != nil {
		q.cancel()
		q.idle = make(chan struct{})
		close(q.idle)
		return batch{}, false
	}
	b := q.batch
	q.batch, q.going = batch{}, b.records
	return b, true
}

// deliver sends pieces until each was accepted or given up.
func (q *queue) deliver(ctx context.Context, pieces []webhook.Message) {
	counter := new(int) // of posted records: no one reads it
	pause, refusals := q.opts.Interval, 0
	for len(pieces) > 0 {
		q.locked(func() { q.doubtful = true })
		sent, err := q.robot.SendAll(ctx, pieces...)
		if pieces = pieces[sent:]; sent > 0 {
			pause, refusals = q.opts.Interval, 0
		}
		if err == nil {
			break
		}
		tries, doubt := judge(err)
		if q.locked(func() { q.doubtful = doubt }); ctx.Err() != nil {
			return // shutdown counts the records
		}
		q.fail(err)
		if tries < always || q.hurried() {
			refusals++
		}
		if refusals < min(tries, maxRefusals) {
			q.rest(ctx, pause, true)
			pause = max(q.opts.Interval, min(2*pause, maxPause))
			continue
		}
		if !doubt {
			counter = &q.lost
		} else if counter != &q.lost {
			counter = &q.doubt
		}
		pieces, pause, refusals = pieces[1:], q.opts.Interval, 0
	}
	q.settle(counter)
}

const always = math.MaxInt

// judge says how often a message may be posted that fails with err, and whether it
// may have arrived.
func judge(err error) (tries int, doubt bool) {
	var broken *webhook.FieldError
	var answered *webhook.APIError
	switch {
	case errors.As(err, &broken):
		return 1, false
	case errors.Is(err, webhook.ErrNotSent), errors.Is(err, webhook.ErrRateLimited):
		return always, false
	case errors.Is(err, webhook.ErrNotAccepted):
		return maxRefusals, false
	case errors.As(err, &answered) && answered.StatusCode == http.StatusServiceUnavailable:
		return maxRefusals, true
	default:
		return 1, true
	}
}

// settle is the end of a batch, whose records counter counts.
func (q *queue) settle(counter *int) {
	q.locked(func() {
		*counter += q.going
		q.going = 0
	})
}

func (q *queue) locked(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f()
}

// fail keeps and reports why a message failed.
func (q *queue) fail(err error) {
	q.locked(func() { q.err = err })
	if q.opts.OnError != nil {
		q.opts.OnError(err)
	}
}

func (q *queue) hurried() bool {
	select {
	case <-q.hurry:
		return true
	default:
		return false
	}
}

// rest waits. Shutdown cuts it short, but after a failure it leaves a second.
func (q *queue) rest(ctx context.Context, pause time.Duration, failed bool) {
	hurry := q.hurry
	if q.hurried() {
		if !failed {
			return
		}
		hurry, pause = nil, min(pause, time.Second)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurry:
	case <-ctx.Done():
	}
}

func (q *queue) shutdown(ctx context.Context) error {
	var idle chan struct{}
	q.locked(func() {
		if idle = q.idle; !q.closed {
			q.closed = true
			close(q.hurry)
		}
	})
	select {
	case <-idle:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cancel != nil {
		q.cancel() // of a goroutine that ctx did not wait for
	}
	lost, doubt := q.batch.records+q.lost, q.doubt
	if q.doubtful {
		doubt += q.going
	} else {
		lost += q.going
	}
	if lost > 0 || doubt > 0 {
		return fmt.Errorf("webhooklog: %d records were not posted, and %d may not have been: %w", lost, doubt, errors.Join(q.err, ctx.Err()))
	}
	return nil
}
