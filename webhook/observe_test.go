package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/webhook"
)

// observed collects operations, each as what began and how it ended.
type observed struct {
	mu  sync.Mutex
	all []observation
}

type observation struct {
	Op  weboffice.Operation
	End weboffice.Outcome
}

type spanKey struct{}

func (o *observed) observe(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
	return context.WithValue(ctx, spanKey{}, op.Name), func(end weboffice.Outcome) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.all = append(o.all, observation{op, end})
	}
}

func (o *observed) expect(t *testing.T, want ...observation) {
	t.Helper()
	if diff := cmp.Diff(want, o.all, unexported); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

func TestSendIsObserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var o observed
		calls := 0
		cfg := at(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "r-1")
			switch calls++; calls {
			case 1:
				w.WriteHeader(http.StatusTooManyRequests)
			case 2:
				_, _ = w.Write([]byte(`{"result":"ok"}`))
			case 3:
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"result":"InvalidArgument","code":7}`))
			case 4:
				_, _ = w.Write([]byte(`<html>`))
			default:
				panic(http.ErrAbortHandler)
			}
		})
		cfg.Name, cfg.Observe = "alerts", o.observe
		cfg.Limiter = webhook.LimiterFunc(func(ctx context.Context) error {
			if ctx.Value(spanKey{}) != "webhook.send" {
				t.Error("the Limiter is not called with the Observer's context")
			}
			time.Sleep(time.Second)
			return ctx.Err()
		})
		r := newRobot(t, cfg)
		for range 4 {
			_ = r.Send(t.Context(), webhook.Text{Content: "hi"})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_ = r.Send(ctx, webhook.Text{Content: "hi"})
		_ = r.Send(t.Context(), webhook.Text{}) // no attempt
		attempt := func(n int, end weboffice.Outcome) observation {
			end.App, end.Waited = "alerts", time.Second
			return observation{weboffice.Operation{Name: "webhook.send", Attempt: n}, end}
		}
		o.expect(
			t,
			attempt(1, weboffice.Outcome{Status: 429, RequestID: "r-1", Error: "rate_limited"}),
			attempt(2, weboffice.Outcome{Status: 200, RequestID: "r-1"}),
			attempt(1, weboffice.Outcome{Status: 400, Code: 7, RequestID: "r-1", Error: "refused"}),
			attempt(1, weboffice.Outcome{Status: 200, RequestID: "r-1", Error: "invalid"}),
			attempt(1, weboffice.Outcome{Error: "network"}),
			attempt(1, weboffice.Outcome{Error: "timeout"}),
		)
	})
}

func TestLimiterIsObserved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wait func(context.Context) error
		want string
	}{
		"no slot":  {func(context.Context) error { return &webhook.LimitError{} }, "rate_limited"},
		"broken":   {func(context.Context) error { return errors.New("redis is down") }, "failed"},
		"canceled": {func(context.Context) error { return context.Canceled }, "failed"}, // not of this call
	} {
		var o observed
		cfg := at(nil)
		cfg.Limiter, cfg.Observe = webhook.LimiterFunc(tt.wait), o.observe
		if err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"}); err == nil {
			t.Errorf("%s: Send = nil", name)
		}
		o.expect(t, observation{weboffice.Operation{Name: "webhook.send", Attempt: 1}, weboffice.Outcome{Waited: o.all[0].End.Waited, Error: tt.want}})
	}
	var o observed
	cfg := at(nil)
	cfg.Limiter, cfg.Observe = webhook.LimiterFunc(func(context.Context) error { panic("x") }), o.observe
	func() {
		defer func() { _ = recover() }()
		_ = newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
	}()
	if len(o.all) != 1 || o.all[0].End.Error != "failed" {
		t.Errorf("observed %+v of a panic, want one operation that failed", o.all)
	}
}

func TestReceiverIsObserved(t *testing.T) {
	t.Parallel()
	for _, background := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			var in inbox
			var o observed
			r := in.receiver(t, func(cfg *webhook.ReceiverConfig) {
				cfg.Observe, cfg.Background, cfg.Names = o.observe, background, []string{"other", "alerts"}
				cfg.Handle = func(ctx context.Context, e webhook.Event) error {
					if ctx.Value(spanKey{}) != "webhook.event" || e.Robot != "alerts" {
						t.Errorf("Handle has the context of %v and the robot %q", ctx.Value(spanKey{}), e.Robot)
					}
					if e.CTime == 1 {
						return errors.New("failed")
					}
					return nil
				}
			})
			for _, body := range []string{sample, sample, numberedSample(0), `{"robot_key":"no"}`, `{`} {
				serve(r, http.MethodPost, strings.NewReader(body))
				synctest.Wait()
			}
			serve(r, http.MethodGet, nil)
			serve(r, http.MethodDelete, nil)
			failed := 500
			if background > 0 {
				failed = 200
			}
			event := weboffice.Operation{Name: "webhook.event", Callback: true, Attempt: 1}
			check := weboffice.Operation{Name: "webhook.check", Callback: true, Attempt: 1}
			o.expect(
				t,
				observation{event, weboffice.Outcome{App: "alerts", Status: 200}},
				observation{event, weboffice.Outcome{App: "alerts", Status: 200}}, // a repeat
				observation{event, weboffice.Outcome{App: "alerts", Status: failed, Error: "failed"}},
				observation{event, weboffice.Outcome{Status: 403, Error: "unauthorized"}},
				observation{event, weboffice.Outcome{Status: 400, Error: "invalid"}},
				observation{check, weboffice.Outcome{Status: 200}},
				observation{check, weboffice.Outcome{Status: 405, Error: "invalid"}},
			)
		})
	}
}
