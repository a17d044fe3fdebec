package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// newLog gives a logger that posts to s, whose requests pass through around.
func newLog(t *testing.T, s *webhooktest.Server, around func(http.Handler) http.Handler, opts *webhook.LogHandlerOptions) (*slog.Logger, *webhook.LogHandler) {
	t.Helper()
	cfg := s.Config(webhooktest.TestKey())
	if around != nil {
		cfg.HTTPClient = webhooktest.HTTPClient(around(s))
	}
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := webhook.NewLogHandler(robot, opts)
	return slog.New(h), h
}

// posted gives the texts that s accepted.
func posted(s *webhooktest.Server) []string {
	var all []string
	for _, sent := range s.Sent() {
		if m, ok := sent.Message.(webhook.Markdown); ok && sent.Refused == "" {
			all = append(all, m.Text)
		}
	}
	return all
}

func TestLogHandlerMakesAStormOneMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, nil, &webhook.LogHandlerOptions{Title: "shop"})
		for i := range 1000 {
			log.Error("payment failed", "order", i)
			log.Warn("not of interest")
		}
		log.Error("disk full")
		time.Sleep(webhook.DefaultLogInterval + time.Second)
		got := posted(s)
		if len(got) != 1 || !strings.Contains(got[0], "×1000") || !strings.Contains(got[0], "order=999") ||
			!strings.Contains(got[0], "disk full") || strings.Contains(got[0], "interest") || !strings.Contains(got[0], "shop") {
			t.Errorf("posted %q, want one message with both kinds of error and their counts", got)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown of an empty queue: %v", err)
		}
	})
}

func TestLogHandlerShutdownPostsWhatIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, nil, nil)
		begin := time.Now()
		for i := range 50 {
			log.Error(fmt.Sprintf("kind %d", i))
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("Shutdown took %v, want no pause", waited)
		}
		got := posted(s)
		if len(got) != 1 || !strings.Contains(got[0], "kind 0") || !strings.Contains(got[0], "and 30 records of other kinds") {
			t.Errorf("posted %q, want 20 kinds and the count of the rest", got)
		}
		if err := h.Handle(t.Context(), slog.Record{Level: slog.LevelError}); !errors.Is(err, webhook.ErrLogClosed) {
			t.Errorf("Handle after Shutdown = %v, want ErrLogClosed", err)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("second Shutdown: %v", err)
		}
	})
}

func TestLogHandlerNeverBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		hang := make(chan struct{})
		log, h := newLog(t, s, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-hang
				next.ServeHTTP(w, r)
			})
		}, nil)
		log.Error("first")
		time.Sleep(time.Minute) // its message hangs
		begin := time.Now()
		for range 100 {
			log.Error("second")
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("logging took %v while a message was on its way", waited)
		}
		close(hang)
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := posted(s); len(got) != 2 || !strings.Contains(got[1], "×100") {
			t.Errorf("posted %q, want both", got)
		}
	})
}

func TestLogHandlerKeepsWhatWasRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		var refusals, told atomic.Int32
		log, h := newLog(t, s, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if refusals.Add(1) <= 3 {
					http.Error(w, "down", http.StatusServiceUnavailable)
					return
				}
				next.ServeHTTP(w, r)
			})
		}, &webhook.LogHandlerOptions{OnError: func(error) { told.Add(1) }})
		log.Error("one")
		time.Sleep(15 * time.Second)
		log.Error("two")
		time.Sleep(10 * time.Minute)
		got := strings.Join(posted(s), "\n")
		if strings.Count(got, "one") != 1 || strings.Count(got, "two") != 1 || told.Load() != 3 {
			t.Errorf("posted %q and told of %d failures, want each record once and 3", got, told.Load())
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestLogHandlerDoesNotRepeatWhatMayHaveArrived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec := &discard{header: http.Header{}}
				next.ServeHTTP(rec, r)
				panic(http.ErrAbortHandler) // it arrived, and the answer is lost
			})
		}, nil)
		log.Error("once")
		err := h.Shutdown(t.Context())
		if got := posted(s); len(got) != 1 || err == nil || !strings.Contains(err.Error(), "1 messages may be lost") {
			t.Errorf("posted %q, Shutdown = %v, want one message and an error", got, err)
		}
	})
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func TestLogHandlerShutdownGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		}, nil)
		log.Error("a")
		log.Error("a")
		log.Error("b")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := h.Shutdown(ctx)
		var refused *webhook.APIError
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &refused) || !strings.Contains(err.Error(), "3 records") {
			t.Errorf("Shutdown = %v, want 3 records, the refusal and the end of the context", err)
		}
	})
}

func TestLogHandlerObeysTheRobotsLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil) // which refuses the 21st in 60 s
		log, h := newLog(t, s, nil, &webhook.LogHandlerOptions{Interval: time.Second, OnError: func(err error) { t.Error(err) }})
		for range 300 {
			log.Error("tick")
			time.Sleep(time.Second)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		total := 0
		for _, text := range posted(s) {
			n := 1
			if _, rest, ok := strings.Cut(text, "×"); ok {
				if _, err := fmt.Sscanf(rest, "%d", &n); err != nil {
					t.Fatal(err)
				}
			}
			total += n
		}
		if total != 300 {
			t.Errorf("the messages count %d records, want 300", total)
		}
	})
}

func TestLogHandlerAttributes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		if err := s.Add(webhooktest.Robot{Key: webhooktest.TestKey(), Keywords: []string{"[ops]"}}); err != nil {
			t.Fatal(err)
		}
		log, h := newLog(t, s, nil, &webhook.LogHandlerOptions{Level: slog.LevelInfo, Title: "shop"})
		log.With("host", "web-1").WithGroup("req").Info("hello <at user_id=\"-1\">all</at>",
			"level", "mine", "key", signing.NewSecret("hunter2"), slog.Group("user", "id", 7), "long", strings.Repeat("x", 9000))
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := posted(s)
		if len(got) != 1 {
			t.Fatalf("posted %q, want one message", got)
		}
		for _, want := range []string{"ops", "shop", "INFO", "host=web-1", "req.level=mine", "req.user.id=7"} {
			if !strings.Contains(strings.ReplaceAll(got[0], `\`, ""), want) {
				t.Errorf("posted %q, want %q in it", got[0], want)
			}
		}
		if strings.Contains(got[0], "hunter2") || strings.Contains(got[0], "<at ") || len(got[0]) > 2000 {
			t.Errorf("posted %q, want no secret, no mention, and long values cut", got[0])
		}
	})
}

// A robot that logs to the handler it posts for must not feed itself.
func TestLogHandlerIgnoresItsOwnRobot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		var h *webhook.LogHandler
		cfg := s.Config(webhooktest.TestKey())
		cfg.Logger = slog.New(forward{func() slog.Handler { return h }})
		robot, err := webhook.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		h = webhook.NewLogHandler(robot, &webhook.LogHandlerOptions{Level: slog.LevelDebug})
		slog.New(h).Error("once")
		time.Sleep(time.Hour)
		if got := posted(s); len(got) != 1 {
			t.Errorf("posted %q, want one message", got)
		}
	})
}

// forward is a handler that is only known later.
type forward struct{ to func() slog.Handler }

func (f forward) Enabled(ctx context.Context, l slog.Level) bool  { return f.to().Enabled(ctx, l) }
func (f forward) Handle(ctx context.Context, r slog.Record) error { return f.to().Handle(ctx, r) }
func (f forward) WithAttrs(attrs []slog.Attr) slog.Handler        { return f.to().WithAttrs(attrs) }
func (f forward) WithGroup(name string) slog.Handler              { return f.to().WithGroup(name) }

// Alerts go to the usual log and into the chat.
func ExampleNewLogHandler() {
	s := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(s.Config(webhooktest.TestKey()))
	if err != nil {
		fmt.Println(err)
		return
	}
	alerts := webhook.NewLogHandler(robot, &webhook.LogHandlerOptions{Title: "checkout, production"})
	logger := slog.New(alerts)
	for range 3 {
		record := slog.NewRecord(time.Time{}, slog.LevelError, "payment failed", 0)
		_ = logger.Handler().Handle(context.Background(), record)
	}
	if err := alerts.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	for _, sent := range s.Sent() {
		fmt.Println(string(sent.Body))
	}
	// Output:
	// {"msgtype":"markdown","markdown":{"text":"**checkout, production**\n\n- **ERROR** payment failed **×3**"}}
}
