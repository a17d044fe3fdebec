package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// sample is the payload that public reference 6.2 shows, with a field that nobody knows.
const sample = `{"chatid":12345,"creator":2324234,"content":"@webhook机器人  111","reply":{"reply_content":"…","reply_creator":1234},"robot_key":"xxx","url":"https://xxxx","ctime":3452452,"new":{"a":[1]}}`

// inbox collects events, and what was logged.
type inbox struct {
	mu     sync.Mutex
	events []webhook.Event
	log    bytes.Buffer
	err    error
}

func (i *inbox) handle(_ context.Context, e webhook.Event) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.events = append(i.events, e)
	return i.err
}

func (i *inbox) receiver(t *testing.T, change func(*webhook.ReceiverConfig)) *webhook.Receiver {
	t.Helper()
	cfg := webhook.ReceiverConfig{
		Handle:    i.handle,
		RobotKeys: []signing.Secret{signing.NewSecret("other"), signing.NewSecret("xxx")},
		Logger:    slog.New(slog.NewTextHandler(&i.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&cfg)
	}
	r, err := webhook.NewReceiver(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func serve(h http.Handler, method string, body io.Reader) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "/some/where?x=1", body))
	return w
}

// post sends body over a transport, of a length that it does not know, and returns
// the status.
func post(t *testing.T, h http.Handler, body io.Reader) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://h/", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := memhttp.Client(h).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// Protocol 4.4, 2.10.
func TestReceiverTakesEvents(t *testing.T) {
	t.Parallel()
	var in inbox
	w := serve(in.receiver(t, nil), http.MethodPost, strings.NewReader(sample))
	if w.Code != http.StatusOK || w.Body.String() != `{"result":"ok"}` || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("answer = %d %q %v", w.Code, w.Body, w.Header())
	}
	if diff := cmp.Diff([]webhook.Event{event()}, in.events, unexported, cmp.Comparer(signing.Secret.Equal)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if in.log.Len() > 0 {
		t.Errorf("logged %s", &in.log)
	}
}

// A claim that has expired may be that of another process, which a failure does not end.
func TestReceiverKeepsAClaimThatHasExpired(t *testing.T) {
	t.Parallel()
	for took, released := range map[time.Duration]bool{time.Minute: true, 2 * time.Minute: false} {
		synctest.Test(t, func(t *testing.T) {
			in := inbox{err: errors.New("failed")}
			seen := webhook.NewSeen(10)
			r := in.receiver(t, func(cfg *webhook.ReceiverConfig) {
				cfg.Seen, cfg.Timeout = seen, time.Minute
				cfg.Handle = func(ctx context.Context, e webhook.Event) error {
					time.Sleep(took)
					_, _, _ = seen.Take(context.WithoutCancel(ctx), e.ID(), time.Hour) // as the other process
					return in.err
				}
			})
			serve(r, http.MethodPost, strings.NewReader(sample))
			taken, _, err := seen.Take(t.Context(), event().ID(), time.Hour)
			if taken != released || err != nil {
				t.Errorf("after %v: taken %t, %v, want %t", took, taken, err, released)
			}
		})
	}
}

// A sender that breaks off is not the fault of its JSON.
func TestReceiverOfHalfABody(t *testing.T) {
	t.Parallel()
	var in inbox
	w := serve(in.receiver(t, nil), http.MethodPost, io.MultiReader(strings.NewReader(sample[:20]), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if w.Code != http.StatusBadRequest || len(in.events) > 0 || !strings.Contains(in.log.String(), "could not be read to its end") {
		t.Errorf("answer = %d, %d events, logged %s", w.Code, len(in.events), &in.log)
	}
}

// Ids use all of their 64 bits; a reply may be absent, null or empty.
func TestReceiverReadsExactly(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{``, `,"reply":null`, `,"reply":{}`, `,"reply":{"reply_content":"","reply_creator":0}`} {
		var in inbox
		serve(in.receiver(t, nil), http.MethodPost, strings.NewReader(`{"chatid":9223372036854775807,"creator":-9223372036854775808,"ctime":9007199254740993,"robot_key":"other"`+reply+`}`))
		if len(in.events) != 1 {
			t.Fatalf("%d events, want one; log %s", len(in.events), &in.log)
		}
		e := in.events[0]
		if e.ChatID != 1<<63-1 || e.SenderID != -1<<63 || e.CTime != 1<<53+1 || e.Reply != nil || e.RobotKey.Reveal() != "other" {
			t.Errorf("event = %+v", e)
		}
	}
}

// Every answer is JSON, and says nothing of why.
func TestReceiverRefuses(t *testing.T) {
	t.Parallel()
	big := `{"robot_key":"xxx","content":"` + strings.Repeat("x", webhook.DefaultMaxBody) + `"}`
	tests := []struct {
		name, method, body string
		status             int
		answer             string
	}{
		{"check", http.MethodGet, "", 200, `{"result":"ok"}`},
		{"check by HEAD", http.MethodHead, "", 200, `{"result":"ok"}`}, // net/http drops the body
		{"put", http.MethodPut, sample, 405, `{"result":"method not allowed"}`},
		{"delete", http.MethodDelete, "", 405, `{"result":"method not allowed"}`},
		{"empty", http.MethodPost, "", 400, `{"result":"invalid argument"}`},
		{"null", http.MethodPost, "null", 400, `{"result":"invalid argument"}`},
		{"not JSON", http.MethodPost, "robot_key=xxx", 400, `{"result":"invalid argument"}`},
		{"cut off", http.MethodPost, sample[:100], 400, `{"result":"invalid argument"}`},
		{"more behind it", http.MethodPost, sample + "x", 400, `{"result":"invalid argument"}`},
		{"a fraction", http.MethodPost, `{"robot_key":"xxx","chatid":1.5}`, 400, `{"result":"invalid argument"}`},
		{"too many bits", http.MethodPost, `{"robot_key":"xxx","chatid":9223372036854775808}`, 400, `{"result":"invalid argument"}`},
		{"wrong key", http.MethodPost, `{"robot_key":"xxy"}`, 403, `{"result":"forbidden"}`},
		{"part of the key", http.MethodPost, `{"robot_key":"xx"}`, 403, `{"result":"forbidden"}`},
		{"no key", http.MethodPost, `{"content":"hi"}`, 403, `{"result":"forbidden"}`},
		{"too large", http.MethodPost, big, 413, `{"result":"body too large"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var in inbox
			body := io.Reader(strings.NewReader(tt.body))
			if tt.body == "" {
				body = http.NoBody
			}
			w := serve(in.receiver(t, nil), tt.method, body)
			if w.Code != tt.status || w.Body.String() != tt.answer || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("answer = %d %q %v, want %d %q", w.Code, w.Body, w.Header(), tt.status, tt.answer)
			}
			if tt.status == 405 && w.Header().Get("Allow") != "GET, HEAD, POST" {
				t.Errorf("Allow = %q", w.Header().Get("Allow"))
			}
			if got := w.Header().Get("Connection"); (got == "close") != (tt.method == http.MethodPut || tt.status == 413) {
				t.Errorf("Connection = %q: a body that was not read must not be waited for", got)
			}
			if len(in.events) != 0 {
				t.Errorf("handled %+v", in.events)
			}
			if logged := in.log.String(); strings.Contains(logged, "xxx") || strings.Contains(logged, "xxy") || (tt.method == http.MethodPost) != (logged != "") {
				t.Errorf("logged %q", logged)
			}
		})
	}
	for _, length := range []int64{-1, 0, 5} { // of a body that is gone
		var in inbox
		req := httptest.NewRequest(http.MethodPost, "/", nil)
		req.Body, req.ContentLength = nil, length
		w := httptest.NewRecorder()
		in.receiver(t, nil).ServeHTTP(w, req)
		if w.Code != http.StatusBadRequest || !strings.Contains(in.log.String(), `did a middleware read it before?"`) {
			t.Errorf("a nil body of length %d is answered by %d, and logged as %s", length, w.Code, &in.log)
		}
	}
}

// A failure of Handle is answered and logged, and its text is only logged.
func TestReceiverHandleFails(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(context.Context, webhook.Event) error{
		"error":   func(context.Context, webhook.Event) error { return errors.New("INTERNAL") },
		"panic":   func(context.Context, webhook.Event) error { panic("INTERNAL") },
		"timeout": func(ctx context.Context, _ webhook.Event) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var in inbox
				r, start := in.receiver(t, func(cfg *webhook.ReceiverConfig) { cfg.Handle = handle }), time.Now()
				w := serve(r, http.MethodPost, strings.NewReader(sample))
				if w.Code != http.StatusInternalServerError || w.Body.String() != `{"result":"internal error"}` {
					t.Errorf("answer = %d %q", w.Code, w.Body)
				}
				if got := time.Since(start); name == "timeout" && got != webhook.DefaultHandleTimeout {
					t.Errorf("it took %v, want %v", got, webhook.DefaultHandleTimeout)
				}
				logged := in.log.String()
				if !strings.Contains(logged, "event.id="+event().ID()) || strings.Contains(logged, "webhook机器人") || strings.Contains(logged, "INTERNAL") == (name == "timeout") || strings.Contains(logged, "xxx") {
					t.Errorf("logged %s, want the id, and neither text nor key", logged)
				}
				if name == "panic" && !strings.Contains(logged, "receiver_test.go") {
					t.Errorf("logged %s, want a stack", logged)
				}
			})
		})
	}
}

// The service sends its bodies chunked, without a length (public reference 6.2).
func TestReceiverChunked(t *testing.T) {
	t.Parallel()
	var in inbox
	r := in.receiver(t, nil)
	later := strings.Replace(sample, "3452452", "3452453", 1)
	for _, body := range []io.Reader{strings.NewReader(sample), io.MultiReader(strings.NewReader(later[:20]), strings.NewReader(later[20:]))} {
		if got := post(t, r, struct{ io.Reader }{body}); got != http.StatusOK {
			t.Errorf("status = %d", got)
		}
	}
	if len(in.events) != 2 || in.events[0].Content != in.events[1].Content {
		t.Errorf("events = %+v, want two of the same text", in.events)
	}
}

// endless is a body that never ends.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read.Add(int64(len(p)))
	return len(copy0(p)), nil
}

func copy0(p []byte) []byte {
	for i := range p {
		p[i] = ' '
	}
	return p
}

// 100 MB and more: what is read is bounded.
func TestReceiverHugeBody(t *testing.T) {
	t.Parallel()
	var in inbox
	var body endless
	w := serve(in.receiver(t, func(cfg *webhook.ReceiverConfig) { cfg.MaxBody = 1000 }), http.MethodPost, io.LimitReader(&body, 100<<20))
	if w.Code != http.StatusRequestEntityTooLarge || body.read.Load() > 1<<16 {
		t.Errorf("answer = %d after %d bytes", w.Code, body.read.Load())
	}
}

// A body that drips in is given up.
func TestReceiverSlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		reader, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		start := time.Now()
		if got := post(t, in.receiver(t, nil), reader); got != http.StatusRequestTimeout || time.Since(start) != 10*time.Second {
			t.Errorf("answer = %d after %v, want 408 after 10s", got, time.Since(start))
		}
	})
}

func TestNewReceiverReportsEverything(t *testing.T) {
	t.Parallel()
	_, err := webhook.NewReceiver(webhook.ReceiverConfig{Background: -1, Timeout: -1, MaxBody: -1})
	if diff := cmp.Diff([]string{"Handle", "RobotKeys", "Background", "Timeout", "MaxBody"}, fields(err)); diff != "" {
		t.Errorf("fields of %v (-want +got):\n%s", err, diff)
	}
	_, err = webhook.NewReceiver(webhook.ReceiverConfig{Handle: new(inbox).handle, RobotKeys: make([]signing.Secret, 2)})
	if diff := cmp.Diff([]string{"RobotKeys[0]", "RobotKeys[1]"}, fields(err)); diff != "" {
		t.Errorf("fields of %v (-want +got):\n%s", err, diff)
	}
}

// textError is an error whose method panics if it is a nil pointer.
type textError struct{ text string }

func (e *textError) Error() string { return e.text }

// An error that panics when it is asked for its text ends neither the process nor
// the connection.
func TestReceiverSurvivesABadError(t *testing.T) {
	t.Parallel()
	for _, background := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			var in inbox
			r := in.receiver(t, inBackground(background, func(context.Context, webhook.Event) error {
				var e *textError
				return e
			}))
			w := serve(r, http.MethodPost, strings.NewReader(sample))
			if err := r.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if (w.Code == http.StatusInternalServerError) != (background == 0) || !strings.Contains(in.log.String(), "handle event") {
				t.Errorf("answer = %d %s, logged %s", w.Code, w.Body, &in.log)
			}
		})
	}
}

// An event is not lost for the form of a number, or of a reply.
func TestReceiverReadsOddForms(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]webhook.Event{
		`"chatid":"12","creator":"-3"`:                         {ChatID: 12, SenderID: -3},
		`"chatid":12.0,"creator":1e3`:                          {ChatID: 12, SenderID: 1000},
		`"chatid":"9223372036854775807","creator":null`:        {ChatID: 1<<63 - 1},
		`"chatid":"","creator":""`:                             {},
		`"ctime":1.7e9`:                                        {CTime: 1700000000},
		`"ctime":1700000000.5`:                                 {CTime: 1700000000},
		`"ctime":"1700000000"`:                                 {CTime: 1700000000},
		`"ctime":"2026-01-01"`:                                 {},
		`"ctime":{}`:                                           {},
		`"ctime":1e300`:                                        {},
		`"reply":[]`:                                           {},
		`"reply":"x"`:                                          {},
		`"reply":{"reply_content":"x","reply_creator":""}`:     {Reply: &webhook.Quoted{Content: "x"}},
		`"reply":{"reply_content":"x","reply_creator":"1234"}`: {Reply: &webhook.Quoted{Content: "x", SenderID: 1234}},
	} {
		var in inbox
		w := serve(in.receiver(t, nil), http.MethodPost, strings.NewReader(`{"robot_key":"xxx",`+body+`}`))
		if w.Code != http.StatusOK || len(in.events) != 1 {
			t.Errorf("%s is answered %d", body, w.Code)
			continue
		}
		want.RobotKey = signing.NewSecret("xxx")
		if diff := cmp.Diff(want, in.events[0], unexported, cmp.Comparer(signing.Secret.Equal)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	var in inbox
	if w := serve(in.receiver(t, nil), http.MethodPost, strings.NewReader(`{"robot_key":"xxx","chatid":1e17}`)); w.Code != http.StatusBadRequest {
		t.Errorf("an id that a float64 may have changed is answered %d, want 400", w.Code)
	}
}

func TestReceiverLookup(t *testing.T) {
	t.Parallel()
	lookup := func(ctx context.Context, key signing.Secret) (string, bool, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("Lookup has no deadline")
		}
		switch key.Reveal() {
		case "known":
			return "tenant-7", true, nil
		case "broken":
			return "", false, errors.New("no database for " + key.Reveal())
		case "panics":
			panic("lookup")
		case "":
			t.Error("Lookup was asked for no key")
		}
		return "", false, nil
	}
	for key, want := range map[string]int{"known": 200, "xxx": 200, "unknown": 403, "": 403, "broken": 503, "panics": 503} {
		var in inbox
		var o observed
		r := in.receiver(t, func(cfg *webhook.ReceiverConfig) { cfg.Lookup, cfg.Observe = lookup, o.observe })
		w := serve(r, http.MethodPost, strings.NewReader(`{"robot_key":"`+key+`"}`))
		if w.Code != want || (len(in.events) == 1) != (want == 200) {
			t.Errorf("%q is answered %d with %d events, want %d", key, w.Code, len(in.events), want)
		}
		if got := o.all[0].End.Error; (got == "failed") != (want == 503) {
			t.Errorf("%q is observed as %q", key, got)
		}
		if key == "known" && (in.events[0].Robot != "tenant-7" || in.events[0].RobotKey.Reveal() != key) {
			t.Errorf("the event is of robot %q", in.events[0].Robot)
		}
		if strings.Contains(in.log.String(), "for broken") || key == "broken" && !strings.Contains(in.log.String(), "no database") {
			t.Errorf("logged %s, want the error without the key", &in.log)
		}
	}
	if _, err := webhook.NewReceiver(webhook.ReceiverConfig{Handle: new(inbox).handle, Lookup: lookup}); err != nil {
		t.Errorf("a Lookup alone: %v", err)
	}
	_, err := webhook.NewReceiver(webhook.ReceiverConfig{
		Handle: new(inbox).handle, RobotKeys: []signing.Secret{signing.NewSecret("k\n")}, Names: make([]string, 2), Seen: (*webhook.Seen)(nil),
	})
	if diff := cmp.Diff([]string{"RobotKeys[0]", "Names", "Seen"}, fields(err)); diff != "" {
		t.Errorf("fields of %v (-want +got):\n%s", err, diff)
	}
}

func FuzzReceiver(f *testing.F) {
	f.Add([]byte(sample), "POST")
	f.Add([]byte(`{"robot_key":"xxx","reply":[]}`), "POST")
	f.Add([]byte(nil), "GET")
	f.Fuzz(func(t *testing.T, body []byte, method string) {
		req := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		req.Method = method
		var in inbox
		w := httptest.NewRecorder()
		in.receiver(t, nil).ServeHTTP(w, req)
		if got := w.Body.String(); !strings.HasPrefix(got, `{"result":"`) || (w.Code == 200) != (got == `{"result":"ok"}`) {
			t.Errorf("answer = %d %q", w.Code, got)
		}
		if len(in.events) > 0 && in.events[0].RobotKey.Reveal() != "xxx" && in.events[0].RobotKey.Reveal() != "other" {
			t.Errorf("event of an unknown robot")
		}
	})
}
