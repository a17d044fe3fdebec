package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// inBackground makes r answer first, with so many places.
func inBackground(n int, handle func(context.Context, webhook.Event) error) func(*webhook.ReceiverConfig) {
	return func(cfg *webhook.ReceiverConfig) { cfg.Background, cfg.Handle = n, handle }
}

type valueKey struct{}

// numberedSample is sample, sent at another time.
func numberedSample(i int) string { return strings.Replace(sample, "3452452", fmt.Sprint(i+1), 1) }

// The answer does not wait for the work, and the work does not end with the request.
func TestBackgroundAnswersFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		start, done := time.Now(), time.Time{}
		r := in.receiver(t, inBackground(1, func(ctx context.Context, _ webhook.Event) error {
			time.Sleep(30 * time.Second)
			if ctx.Err() != nil || ctx.Value(valueKey{}) != "value" {
				t.Errorf("context: %v, value %v", ctx.Err(), ctx.Value(valueKey{}))
			}
			if end, ok := ctx.Deadline(); !ok || !end.Equal(start.Add(webhook.DefaultHandleTimeout)) {
				t.Errorf("deadline = %v, %v", end, ok)
			}
			done = time.Now()
			return nil
		}))
		server := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			r.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), valueKey{}, "value")))
		})
		if got := post(t, server, strings.NewReader(sample)); got != http.StatusOK || time.Since(start) != 0 {
			t.Errorf("answer = %d after %v, want 200 at once", got, time.Since(start))
		}
		if err := r.Shutdown(t.Context()); err != nil || !done.Equal(start.Add(30*time.Second)) {
			t.Errorf("Shutdown = %v, the work was done at %v", err, done)
		}
	})
}

// There are so many places and no more; a failure and a panic give theirs back.
func TestBackgroundIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		var at, most atomic.Int32
		r := in.receiver(t, inBackground(3, func(_ context.Context, e webhook.Event) error {
			most.Store(max(most.Load(), at.Add(1)))
			defer at.Add(-1)
			time.Sleep(time.Second)
			if e.CTime%2 == 0 {
				panic("odd")
			}
			return errors.New("even")
		}))
		codes := map[int]int{}
		for i := range 12 {
			w := serve(r, http.MethodPost, strings.NewReader(fmt.Sprintf(`{"robot_key":"xxx","ctime":%d}`, i)))
			codes[w.Code]++
			if w.Code == http.StatusServiceUnavailable && (w.Header().Get("Retry-After") == "" || w.Body.String() != `{"result":"busy"}`) {
				t.Errorf("busy: %v %s", w.Header(), w.Body)
			}
			time.Sleep(260 * time.Millisecond)
		}
		if codes[200] != 9 || codes[503] != 3 || most.Load() != 3 {
			t.Errorf("answers = %v, %d at once, want 9 of 200, 3 of 503, 3 at once", codes, most.Load())
		}
		if err := r.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if got := strings.Count(in.log.String(), "handle event"); got != 9 {
			t.Errorf("%d failures were logged, want 9", got)
		}
	})
}

// What was taken is done; what comes later is refused, but for the check.
func TestShutdownDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		var done atomic.Int32
		r := in.receiver(t, inBackground(10, func(context.Context, webhook.Event) error {
			time.Sleep(time.Minute / 2)
			done.Add(1)
			return nil
		}))
		for i := range 10 {
			serve(r, http.MethodPost, strings.NewReader(numberedSample(i)))
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := r.Shutdown(t.Context()); err != nil || done.Load() != 10 {
					t.Errorf("Shutdown = %v with %d of 10 done", err, done.Load())
				}
			})
		}
		synctest.Wait()
		if w := serve(r, http.MethodPost, strings.NewReader(sample)); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("an event after Shutdown is answered by %d", w.Code)
		}
		if w := serve(r, http.MethodGet, nil); w.Code != http.StatusOK {
			t.Errorf("the check after Shutdown is answered by %d", w.Code)
		}
		wg.Wait()
		if err := r.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown again = %v", err)
		}
	})
}

// A panic in what an Observer returned is logged: in the background it would end the process.
func TestBackgroundObserverThatPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		var log strings.Builder
		r := in.receiver(t, func(cfg *webhook.ReceiverConfig) {
			cfg.Background = 1
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			cfg.Observe = func(ctx context.Context, _ weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
				return ctx, func(weboffice.Outcome) { panic("no metrics") }
			}
		})
		serve(r, http.MethodPost, strings.NewReader(sample))
		if err := r.Shutdown(t.Context()); err != nil || !strings.Contains(log.String(), "no metrics") {
			t.Errorf("Shutdown = %v, logged %q", err, &log)
		}
	})
}

// When its context ends, Shutdown ends those of the Handles.
func TestShutdownCancels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		var ended atomic.Int32
		r := in.receiver(t, inBackground(2, func(ctx context.Context, _ webhook.Event) error {
			<-ctx.Done()
			ended.Add(1)
			return context.Cause(ctx)
		}))
		serve(r, http.MethodPost, strings.NewReader(numberedSample(1)))
		serve(r, http.MethodPost, strings.NewReader(numberedSample(2)))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		if err := r.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second || !strings.HasSuffix(err.Error(), ": 2 events were in progress and have been canceled: context deadline exceeded") {
			t.Errorf("Shutdown = %v after %v", err, time.Since(start))
		}
		synctest.Wait()
		if ended.Load() != 2 {
			t.Errorf("%d contexts ended, want 2", ended.Load())
		}
		if err := r.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown again = %v", err)
		}
	})
}

// Without Background, Shutdown has nothing to wait for.
func TestShutdownWithoutBackground(t *testing.T) {
	t.Parallel()
	var in inbox
	r := in.receiver(t, nil)
	if err := r.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if w := serve(r, http.MethodPost, strings.NewReader(sample)); w.Code != http.StatusServiceUnavailable || len(in.events) != 0 {
		t.Errorf("an event after Shutdown is answered by %d", w.Code)
	}
}

// The other side agrees: it registers the address, and delivers.
func TestReceiverWithTheFake(t *testing.T) {
	t.Parallel()
	var in inbox
	r := in.receiver(t, func(cfg *webhook.ReceiverConfig) {
		cfg.RobotKeys = append(cfg.RobotKeys, webhooktest.TestKey())
	})
	server := webhooktest.NewServer(&webhooktest.Options{HTTPClient: webhooktest.HTTPClient(r)})
	if err := server.Register(t.Context(), webhooktest.TestKey(), "http://callback.test/robot"); err != nil {
		t.Fatal(err)
	}
	if err := server.Mention(t.Context(), webhook.Event{Content: "@robot status"}); err != nil {
		t.Fatal(err)
	}
	if len(in.events) != 1 || in.events[0].Text() != "status" {
		t.Errorf("events = %+v", in.events)
	}
}

// pooled is the context of a server that uses it again for another request.
type pooled struct {
	context.Context //nolint:containedctx // It is one.
	over            atomic.Bool
}

func (p *pooled) Value(key any) any {
	if p.over.Load() {
		panic("the context belongs to another request")
	}
	return p.Context.Value(key)
}

// Work in the background does not touch the context of a request that is over, unless
// the server is that of net/http.
func TestBackgroundContextLives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		r := in.receiver(t, inBackground(1, func(ctx context.Context, _ webhook.Event) error {
			time.Sleep(time.Second)
			if ctx.Value(valueKey{}) != nil || ctx.Err() != nil {
				t.Errorf("value %v, ended %v", ctx.Value(valueKey{}), ctx.Err())
			}
			return nil
		}))
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "value"))
		shared := &pooled{Context: ctx}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(sample)).WithContext(shared))
		shared.over.Store(true)
		cancel()
		if err := r.Shutdown(t.Context()); err != nil || in.log.Len() > 0 {
			t.Errorf("Shutdown = %v, logged %s", err, &in.log)
		}
	})
}

// brokenStore is a SeenStore that fails in one method.
type brokenStore struct {
	*webhook.Seen
	take, finish, release error
}

func (b brokenStore) Take(ctx context.Context, id string, lease time.Duration) (taken, finished bool, err error) {
	if b.take != nil {
		return true, false, b.take
	}
	return b.Seen.Take(ctx, id, lease)
}

func (b brokenStore) Finish(ctx context.Context, id string) error {
	return errors.Join(b.finish, b.Seen.Finish(ctx, id))
}

func (b brokenStore) Release(ctx context.Context, id string) error {
	return errors.Join(b.release, b.Seen.Release(ctx, id))
}

// A repeat is answered like the event, and handled if the event was not.
func TestReceiverHandlesAnEventOnce(t *testing.T) {
	t.Parallel()
	down := errors.New("redis is down")
	for name, tt := range map[string]struct {
		store  webhook.SeenStore
		body   string
		errs   []error // of Handle
		status []int
	}{
		"repeat":           {nil, sample, []error{nil}, []int{200, 200, 200}},
		"failure":          {nil, sample, []error{down, down, nil}, []int{500, 500, 200, 200}},
		"no CTime":         {nil, `{"robot_key":"xxx","content":"yes"}`, []error{nil, nil}, []int{200, 200}},
		"store is down":    {brokenStore{Seen: webhook.NewSeen(9), take: down}, sample, nil, []int{503, 503}},
		"finish is broken": {brokenStore{Seen: webhook.NewSeen(9), finish: down}, sample, []error{nil}, []int{200, 200}},
	} {
		var in inbox
		calls := 0
		r := in.receiver(t, func(cfg *webhook.ReceiverConfig) {
			cfg.Seen = tt.store
			cfg.Handle = func(context.Context, webhook.Event) error {
				calls++
				return tt.errs[calls-1]
			}
		})
		for i, want := range tt.status {
			if w := serve(r, http.MethodPost, strings.NewReader(tt.body)); w.Code != want || (want == 503) != (w.Header().Get("Retry-After") != "") {
				t.Errorf("%s: delivery %d is answered %d, want %d", name, i, w.Code, want)
			}
		}
		if calls != len(tt.errs) {
			t.Errorf("%s: handled %d times, want %d", name, calls, len(tt.errs))
		}
		if tt.store != nil && !strings.Contains(in.log.String(), "redis is down") {
			t.Errorf("%s: logged %s, want the failure of the store", name, &in.log)
		}
	}
}

// An event whose process ended is handled by another one after its lease.
func TestReceiverTakesACrashedEventAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := webhook.NewSeen(10)
		var crashed, alive inbox
		dies := crashed.receiver(t, func(cfg *webhook.ReceiverConfig) {
			cfg.Seen = shared
			cfg.Handle = func(context.Context, webhook.Event) error { runtime.Goexit(); return nil }
		})
		r := alive.receiver(t, func(cfg *webhook.ReceiverConfig) { cfg.Seen = shared })
		go serve(dies, http.MethodPost, strings.NewReader(sample))
		synctest.Wait()
		if w := serve(r, http.MethodPost, strings.NewReader(sample)); w.Code != http.StatusServiceUnavailable || len(alive.events) != 0 {
			t.Errorf("within the lease it is answered %d and handled %d times, want 503 and 0", w.Code, len(alive.events))
		}
		time.Sleep(2 * webhook.DefaultHandleTimeout)
		for range 2 {
			if w := serve(r, http.MethodPost, strings.NewReader(sample)); w.Code != http.StatusOK || len(alive.events) != 1 {
				t.Errorf("after the lease it is answered %d and handled %d times, want 200 and once", w.Code, len(alive.events))
			}
		}
	})
}
