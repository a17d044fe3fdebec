package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// maxLogPause is between attempts to post.
const maxLogPause = time.Minute

// logQueue collects records and posts them.
type logQueue struct {
	robot *Robot
	opts  LogHandlerOptions

	mu     sync.Mutex
	line   bytes.Buffer // scratch of attributes
	batch  logBatch
	closed bool
	hurry  chan struct{} // closed by shutdown: no more pauses
	idle   chan struct{} // closed while no goroutine posts
	cancel context.CancelFunc
	going  int   // records in messages that are on their way
	lost   int   // records in messages that broke a rule
	err    error // why the last message failed

	doubt atomic.Int64 // messages of which nobody knows whether they arrived
}

// add counts a record, and starts posting where nothing is under way. The queue is
// locked.
func (q *logQueue) add(kind logKind, at time.Time, attrs string) {
	kind.text = shorten(kind.text)
	q.batch.add(&logCount{logKind: kind, n: 1, first: at, last: at, attrs: shorten(attrs)}, q.opts.Kinds)
	select {
	case <-q.idle:
		q.idle = make(chan struct{})
		ctx, cancel := context.WithCancel(context.WithValue(context.Background(), posting{}, true))
		q.cancel = cancel
		go q.post(ctx, q.idle)
	default:
	}
}

// post runs until the queue is empty, or ctx ends.
func (q *logQueue) post(ctx context.Context, idle chan struct{}) {
	defer close(idle)
	for {
		q.rest(ctx, q.opts.Interval)
		batch, ok := q.take(ctx)
		if !ok {
			return
		}
		pieces, err := q.pieces(batch)
		if err == nil {
			err = q.deliver(ctx, pieces)
		}
		if err != nil && ctx.Err() != nil {
			return // what was on its way stays counted as not posted
		}
		q.settle(err)
	}
}

// deliver sends pieces until all are accepted. A piece that may have arrived is not
// sent again. The error is that of a piece that breaks a rule and never can be sent,
// or of the end of ctx.
func (q *logQueue) deliver(ctx context.Context, pieces []Message) error {
	pace := httpx.Backoff{Min: q.opts.Interval, Max: max(q.opts.Interval, maxLogPause)}
	for failures := 0; len(pieces) > 0; failures++ {
		sent, err := q.robot.SendAll(ctx, pieces...)
		if err == nil {
			return nil
		}
		pieces = pieces[sent:]
		var broken *FieldError
		if errors.As(err, &broken) {
			return err
		}
		var refused *APIError
		if !errors.Is(err, ErrNotSent) && !errors.As(err, &refused) {
			q.doubt.Add(1)
			pieces = pieces[1:]
		}
		if ctx.Err() != nil {
			return err // which says less than the failure before it
		}
		q.note(err)
		q.rest(ctx, pace.Pause(failures, 0))
	}
	return nil
}

// settle is the end of a batch: posted, or not to be posted at all.
func (q *logQueue) settle(err error) {
	if err != nil {
		q.note(err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.lost += q.going
	}
	q.going = 0
}

// note keeps and reports why a message failed.
func (q *logQueue) note(err error) {
	q.mu.Lock()
	q.err = err
	q.mu.Unlock()
	if q.opts.OnError != nil {
		q.opts.OnError(err)
	}
}

// rest waits. Shutdown cuts it short, and after it a failure is still given a moment.
func (q *logQueue) rest(ctx context.Context, pause time.Duration) {
	hurry := q.hurry
	select {
	case <-hurry:
		hurry = nil
		if pause = min(pause, time.Second); q.failed() == nil {
			return
		}
	default:
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurry:
	case <-ctx.Done():
	}
}

func (q *logQueue) failed() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// take empties the queue. When there is nothing left, the goroutine is over: idle is
// replaced here, under the lock, so that the next record starts another.
func (q *logQueue) take(ctx context.Context) (logBatch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.batch.records() == 0 || ctx.Err() != nil {
		q.cancel()
		q.idle = closedChannel()
		return logBatch{}, false
	}
	batch := q.batch
	q.batch, q.going = logBatch{}, batch.records()
	return batch, true
}

// pieces is the message of a batch, cut where it is longer than the robot takes.
func (q *logQueue) pieces(batch logBatch) ([]Message, error) {
	return Split(Markdown{Text: batch.markdown(q.opts.Title)}, &SplitOptions{
		Limit: q.robot.cfg.MaxLength,
		Label: func(i, n int) string { return fmt.Sprintf("%s %d/%d\n\n", q.opts.Title, i, n) },
	})
}

func (q *logQueue) shutdown(ctx context.Context) error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.hurry)
	}
	idle := q.idle
	q.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
		q.mu.Lock()
		if q.cancel != nil {
			q.cancel()
		}
		q.mu.Unlock()
		<-idle
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	left, doubt := q.batch.records()+q.going+q.lost, q.doubt.Load()
	if left > 0 || doubt > 0 {
		return fmt.Errorf("webhook: log handler: %d records were not posted, and %d messages may be lost: %w",
			left, doubt, errors.Join(q.err, ctx.Err()))
	}
	return nil
}
