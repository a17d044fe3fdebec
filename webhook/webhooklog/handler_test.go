package webhooklog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/slogtest"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooklog"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// newLog gives a logger that posts to s, whose requests pass through around.
func newLog(t *testing.T, s *webhooktest.Server, around func(http.Handler) http.Handler, opts *webhooklog.Options) (*slog.Logger, *webhooklog.Handler) {
	t.Helper()
	cfg := s.Config(webhooktest.TestKey())
	if around != nil {
		cfg.HTTPClient = webhooktest.HTTPClient(around(s))
	}
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := webhooklog.New(robot, opts)
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

func TestHandlerMakesAStormOneMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, nil, &webhooklog.Options{Title: "shop"})
		for i := range 1000 {
			log.Error("payment failed", "order", i)
			log.Warn("not of interest")
		}
		log.Error("disk full")
		time.Sleep(10*time.Second + time.Second)
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

func TestHandlerShutdownPostsWhatIsLeft(t *testing.T) {
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
		if err := h.Handle(t.Context(), slog.Record{Level: slog.LevelError}); err == nil {
			t.Error("Handle after Shutdown = nil, want an error")
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("second Shutdown: %v", err)
		}
	})
}

func TestHandlerNeverBlocks(t *testing.T) {
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

func TestHandlerKeepsWhatWasRefused(t *testing.T) {
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
		}, &webhooklog.Options{OnError: func(error) { told.Add(1) }})
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

func TestHandlerDoesNotRepeatWhatMayHaveArrived(t *testing.T) {
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
		if got := posted(s); len(got) != 1 || err == nil || !strings.Contains(err.Error(), "0 records were not posted, and 1 may not have been") {
			t.Errorf("posted %q, Shutdown = %v, want one message and an error", got, err)
		}
	})
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// refuse answers every message by status, and counts them.
func refuse(status int, count *atomic.Int32) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			count.Add(1)
			w.WriteHeader(status)
		})
	}
}

func TestHandlerShutdownReturnsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		around func(http.Handler) http.Handler
		want   string
	}{
		"refused":   {refuse(http.StatusForbidden, new(atomic.Int32)), "3 records were not posted, and 0 may not have been"},
		"no answer": {stuck, "0 records were not posted, and 3 may not have been"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log, h := newLog(t, webhooktest.NewServer(nil), tt.around, nil)
				log.Error("a")
				log.Error("a")
				log.Error("b")
				const patience = 5500 * time.Millisecond
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				start := time.Now()
				err := h.Shutdown(ctx)
				if took := time.Since(start); took != patience || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("Shutdown = %v after %v, want %q and the end of the context", err, took, tt.want)
				}
			})
		})
	}
}

// A message that is refused is tried again after the interval, and then later and later.
func TestHandlerPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var refused atomic.Int32
		log, h := newLog(t, webhooktest.NewServer(nil), refuse(http.StatusForbidden, &refused), &webhooklog.Options{Interval: 2 * time.Second})
		start := time.Now()
		log.Error("a")
		for i, at := range []time.Duration{2, 4, 8, 16, 32, 64, 124, 184, 244, 304} {
			time.Sleep(time.Until(start.Add(at*time.Second + time.Millisecond)))
			if got := refused.Load(); got != int32(i)+1 {
				t.Errorf("posted %d times within %d seconds, want %d", got, at, i+1)
			}
		}
		if err := h.Shutdown(t.Context()); err == nil {
			t.Error("Shutdown = nil, want the record counted")
		}
	})
}

// A piece that the robot itself refuses is not tried again.
func TestHandlerGivesUpWhatBreaksARule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := webhooktest.NewServer(nil).Config(webhooktest.TestKey())
		cfg.Keywords = []string{" ops"} // labels have no white space around them
		robot, err := webhook.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var told atomic.Int32
		h := webhooklog.New(robot, &webhooklog.Options{OnError: func(error) { told.Add(1) }})
		for i := range 20 {
			slog.New(h).Error(strings.Repeat(strconv.Itoa(i%10), 300+i)) // two pieces
		}
		time.Sleep(time.Hour)
		if err := h.Shutdown(t.Context()); !errors.Is(err, webhook.ErrNoKeyword) || told.Load() != 1 {
			t.Errorf("Shutdown = %v, and %d failures were told, want 1 of no keyword", err, told.Load())
		}
	})
}

// In Shutdown, a message that is refused is tried ten times, a second apart.
func TestHandlerShutdownHurries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var refused atomic.Int32
		log, h := newLog(t, webhooktest.NewServer(nil), refuse(http.StatusForbidden, &refused), nil)
		log.Error("a")
		start := time.Now()
		err := h.Shutdown(t.Context())
		if took := time.Since(start); took != 9*time.Second || refused.Load() != 10 || err == nil {
			t.Errorf("Shutdown = %v after %v and %d refusals, want an error after 9s and 10", err, took, refused.Load())
		}
	})
}

// A record that waits behind a message without an answer was not posted.
func TestHandlerShutdownCountsWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, h := newLog(t, webhooktest.NewServer(nil), stuck, nil)
		log.Error("a")
		time.Sleep(11 * time.Second) // a is on its way
		log.Error("b")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err == nil || !strings.Contains(err.Error(), "1 records were not posted, and 1 may not have been") {
			t.Errorf("Shutdown = %v, want both records counted", err)
		}
	})
}

// stuck answers nothing until the client has gone.
func stuck(http.Handler) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// A transport that ignores its context holds Shutdown no longer than that.
func TestHandlerShutdownDoesNotWaitForADeafTransport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		cfg := webhooktest.NewServer(nil).Config(webhooktest.TestKey())
		cfg.HTTPClient = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			<-release
			return nil, errors.New("released")
		})}
		robot, err := webhook.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		h := webhooklog.New(robot, nil)
		slog.New(h).Error("a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err == nil || !strings.Contains(err.Error(), "1 may not have been") {
			t.Errorf("Shutdown = %v, want an error that counts the record", err)
		}
		close(release)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A message that the service never takes holds up no later one, and no Shutdown.
func TestHandlerGivesUpWhatIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		var refused atomic.Int32
		log, h := newLog(t, s, func(next http.Handler) http.Handler {
			no := refuse(http.StatusBadRequest, &refused)(nil)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), "poison") {
					no.ServeHTTP(w, r)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				next.ServeHTTP(w, r)
			})
		}, nil)
		log.Error("poison")
		time.Sleep(time.Minute)
		log.Error("disk full")
		time.Sleep(time.Hour)
		if got := posted(s); len(got) != 1 || !strings.Contains(got[0], "disk full") || refused.Load() != 10 {
			t.Errorf("posted %q, and the refused message %d times, want the second record and 10", got, refused.Load())
		}
		log.Error("more poison")
		if err := h.Shutdown(context.Background()); err == nil || !strings.Contains(err.Error(), "2 records were not posted") {
			t.Errorf("Shutdown = %v, want both refused records counted", err)
		}
	})
}

// A message that cannot be made is counted and told, and holds up no later one.
func TestHandlerTellsWhatCannotBePosted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, nil, &webhooklog.Options{Title: strings.Repeat("t", webhook.MaxMessageLength)})
		log.Error("one")
		log.Error("two")
		time.Sleep(time.Minute)
		log.Error("three")
		err := h.Shutdown(t.Context())
		if !errors.Is(err, webhook.ErrTooLong) || !strings.Contains(err.Error(), "3 records were not posted") {
			t.Errorf("Shutdown = %v, want all three records counted, and why", err)
		}
		if got := len(s.Sent()); got != 0 {
			t.Errorf("%d messages arrived, want none", got)
		}
	})
}

// An answer that leaves open whether the message arrived is not followed by another
// message; only 503 is, some times.
func TestHandlerDoesNotFlood(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int32{http.StatusGatewayTimeout: 1, http.StatusBadGateway: 1, http.StatusOK: 1, http.StatusServiceUnavailable: 10} {
		synctest.Test(t, func(t *testing.T) {
			var delivered atomic.Int32
			log, h := newLog(t, webhooktest.NewServer(nil), refuse(status, &delivered), nil)
			log.Error("once")
			time.Sleep(8 * time.Hour)
			if got := delivered.Load(); got != want {
				t.Errorf("a message that is answered by %d was posted %d times, want %d", status, got, want)
			}
			if err := h.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "1 may not have been") {
				t.Errorf("Shutdown = %v, want the record counted", err)
			}
		})
	}
}

// While no connection can be made, nothing is lost.
func TestHandlerWaitsOutAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		cfg := s.Config(webhooktest.TestKey())
		up, begin := cfg.HTTPClient.Transport, time.Now()
		down := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("connection refused")
		}}
		cfg.HTTPClient = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if time.Since(begin) < 3*time.Hour {
				return down.RoundTrip(r)
			}
			return up.RoundTrip(r)
		})}
		robot, err := webhook.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		h := webhooklog.New(robot, nil)
		slog.New(h).Error("disk full")
		time.Sleep(4 * time.Hour)
		if got := posted(s); len(got) != 1 {
			t.Errorf("posted %q, want the record", got)
		}
		begin = time.Now() // down again
		slog.New(h).Error("lost")
		if err := h.Shutdown(context.Background()); err == nil || !strings.Contains(err.Error(), "1 records were not posted") {
			t.Errorf("Shutdown = %v, want it to end, and the record counted", err)
		}
	})
}

// noisy logs while it is logged.
type noisy struct{ log *slog.Logger }

func (n *noisy) String() string { n.log.Error("from String"); return "noisy" }

func (n *noisy) LogValue() slog.Value { n.log.Error("from LogValue"); return slog.StringValue("value") }

type noisyString struct{ n *noisy }

func (s noisyString) MarshalText() ([]byte, error) { return []byte(s.n.String()), nil }

func TestHandlerTakesValuesThatLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		log, h := newLog(t, s, nil, nil)
		n := &noisy{log}
		log.With("with", n).Error("outer", "a", n, "b", noisyString{n})
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(posted(s), "\n"); !strings.Contains(got, "outer") || !strings.Contains(got, "from String") || !strings.Contains(got, "from LogValue **×2**") {
			t.Errorf("posted %q, want all records", got)
		}
	})
}

// The rules of log/slog, read back from the message.
func TestHandlerConforms(t *testing.T) {
	t.Parallel()
	var s *webhooktest.Server
	var h *webhooklog.Handler
	slogtest.Run(t, func(t *testing.T) slog.Handler { //nolint:thelper // It makes the handler of one case.
		s = webhooktest.NewServer(nil)
		_, h = newLog(t, s, nil, &webhooklog.Options{Level: slog.LevelDebug})
		return h
	}, func(t *testing.T) map[string]any { //nolint:thelper // As above.
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(posted(s)[0], "\n- ")
		return parseLine(line)
	})
}

// parseLine reads "**LEVEL** message (key=value …) at time".
func parseLine(line string) map[string]any {
	line = html.UnescapeString(strings.NewReplacer(`\\`, `\`, `\`, "").Replace(line))
	fields := map[string]any{}
	level, rest, _ := strings.Cut(strings.TrimPrefix(line, "**"), "** ")
	fields[slog.LevelKey] = level
	if i := strings.LastIndex(rest, " at "); i >= 0 {
		fields[slog.TimeKey], rest = rest[i:], rest[:i]
	}
	message, attrs, _ := strings.Cut(rest, " (")
	fields[slog.MessageKey] = message
	for attr := range strings.FieldsSeq(strings.TrimSuffix(attrs, ")")) {
		key, value, _ := strings.Cut(attr, "=")
		group, path := fields, strings.Split(key, ".")
		for _, name := range path[:len(path)-1] {
			if _, ok := group[name]; !ok {
				group[name] = map[string]any{}
			}
			group, _ = group[name].(map[string]any)
		}
		group[path[len(path)-1]] = strings.Trim(value, `"`)
	}
	return fields
}

func TestHandlerObeysTheRobotsLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil) // which refuses the 21st in 60 s
		log, h := newLog(t, s, nil, &webhooklog.Options{Interval: time.Second, OnError: func(err error) { t.Error(err) }})
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

func TestHandlerAttributes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		if err := s.Add(webhooktest.Robot{Key: webhooktest.TestKey(), Keywords: []string{"[ops]"}}); err != nil {
			t.Fatal(err)
		}
		log, h := newLog(t, s, nil, &webhooklog.Options{Level: slog.LevelInfo, Title: "shop"})
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
func TestHandlerIgnoresItsOwnRobot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		var h *webhooklog.Handler
		cfg := s.Config(webhooktest.TestKey())
		cfg.Logger = slog.New(forward{func() slog.Handler { return h }})
		robot, err := webhook.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		h = webhooklog.New(robot, &webhooklog.Options{Level: slog.LevelDebug})
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
func Example() {
	s := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(s.Config(webhooktest.TestKey()))
	if err != nil {
		fmt.Println(err)
		return
	}
	alerts := webhooklog.New(robot, &webhooklog.Options{Title: "checkout, production"})
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
