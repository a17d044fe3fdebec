package desk_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

func newSecret(s string) signing.Secret { return signing.NewSecret(s) }

// TestMemoryIsBounded sends more messages than are kept, with many readers of the events,
// most of whom do not read.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	e.call(t, http.MethodPut, "/chat/robots/r1", `{"per_minute":1000000}`, http.StatusOK, nil)
	for range 5 { // which nobody reads
		e.stream(t, "")
	}
	h := e.Handler()
	send := func(n int) {
		for i := range n {
			body := fmt.Sprintf(`{"msgtype":"markdown","markdown":{"text":"message %d %s"}}`, i, strings.Repeat("x ", 50))
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, e.URL+webhook.SendPath+"?key="+desk.DefaultRobotKey, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			if rec.Code != http.StatusOK {
				t.Fatalf("message %d: %d %s", i, rec.Code, rec.Body)
			}
		}
	}
	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	send(10_050)
	full, held := memory(), e.Held()
	send(1000)
	again, heldAgain := memory(), e.Held()
	if grown := int64(again) - int64(full); grown > 6<<20 {
		t.Errorf("1000 messages more took %d MB more", grown>>20)
	}
	if held > 160<<20 || heldAgain > held+held/10 {
		t.Errorf("the lists hold %d and then %d bytes", held, heldAgain)
	}
	pages, before := 0, ""
	for {
		var group struct {
			Items []desk.Message
			Next  string
		}
		e.call(t, http.MethodGet, "/chat/messages?limit=500&before="+before, "", http.StatusOK, &group)
		pages += len(group.Items)
		if before = group.Next; before == "" {
			break
		}
	}
	if pages != 10_000 {
		t.Errorf("%d messages are kept, want 10000", pages)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for range 100 {
		e.stream(t, "")
	}
	if _, status, _ := e.get(t, desk.Prefix+"/events"); status != http.StatusServiceUnavailable {
		t.Errorf("one client too many is answered %d", status)
	}
}

func TestConversionsAreBounded(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	h := e.Handler()
	signer, err := signing.NewSigner(signing.App(desk.DefaultAppID, newSecret(desk.DefaultAppKey)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1100 {
		// One in ten is a task, whose document nobody serves.
		body := `{"url":"http://127.0.0.1:1/a.docx","filename":"a.docx"}`
		if i%10 > 0 {
			body = `{"filename":"a.docx"}`
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, e.URL+"/api/developer/v1/office/convert/to/txt", strings.NewReader(body))
		if err := signer.SignRequest(req, now()); err != nil {
			t.Fatal(err)
		}
		req.RequestURI = req.URL.RequestURI()
		h.ServeHTTP(httptest.NewRecorder(), req)
	}
	var page struct {
		Items []desk.Conversion
		Next  string
	}
	count, before := 0, ""
	for {
		page.Next = ""
		e.call(t, http.MethodGet, "/conversions?limit=500&before="+before, "", http.StatusOK, &page)
		count += len(page.Items)
		if before = page.Next; before == "" {
			break
		}
	}
	if count != 1000 {
		t.Errorf("%d conversions are kept, want 1000", count)
	}
}

func now() time.Time { return time.Now() }
