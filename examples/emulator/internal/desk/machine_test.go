package desk_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
)

func TestWaitFindsWhatComes(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	found := make(chan desk.Event, 1)
	go func() {
		var event desk.Event
		e.call(t, http.MethodGet, "/wait?kind=message&text=DEPLOYED&timeout=60s&since="+strconv.Itoa(o.LastEvent), "", http.StatusOK, &event)
		found <- event
	}()
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"building"}}`)
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"deployed"}}`)
	if event := <-found; event.Text != "deployed" || event.Ref != "m2" || event.Item == nil {
		t.Errorf("found %+v", event)
	}
	e.call(t, http.MethodGet, "/wait?kind=task&timeout=1ms", "", http.StatusNoContent, nil)
}

func TestAssertions(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"one"}}`)
	e.post(t.Context(), t, `{"msgtype":"text"}`)
	for _, tt := range []struct {
		body   string
		status int
		count  int
	}{
		{`{"kind":"message"}`, 200, 2},
		{`{"kind":"message","state":"refused","min":1,"max":1}`, 200, 1},
		{`{"kind":"message","text":"one","max":0}`, 409, 1},
		{`{"kind":"message","text":"two"}`, 409, 0},
		{`{"kind":"message","text":"two","within":"10ms"}`, 409, 0},
		{`{"kind":"message","text":"two","max":0,"during":"10ms"}`, 200, 0},
		{`{"kind":"message","since":1000}`, 409, 0},
	} {
		var v desk.Verdict
		e.call(t, http.MethodPost, "/assert", tt.body, tt.status, &v)
		if v.Count != tt.count || v.OK != (tt.status == 200) || v.OK != (v.Error == "") || tt.count == 0 && !v.OK && len(v.Near) == 0 {
			t.Errorf("%s: %+v", tt.body, v)
		}
	}
	var found struct {
		Items []desk.Event
		Next  string
	}
	e.call(t, http.MethodGet, "/search?kind=message&limit=1", "", http.StatusOK, &found)
	if len(found.Items) != 1 || found.Items[0].Ref != "m2" || found.Next == "" {
		t.Fatalf("search: %+v", found)
	}
	e.call(t, http.MethodGet, "/search?kind=message&limit=1&before="+found.Next, "", http.StatusOK, &found)
	if len(found.Items) != 1 || found.Items[0].Ref != "m1" {
		t.Errorf("the next page: %+v", found)
	}
}

func TestResetAndSeed(t *testing.T) {
	t.Parallel()
	seed, err := desk.ReadSeed([]byte("robots:\n- name: Ops\n  key: ops-key\n  keywords: [deploy]\nmessages:\n- text: Good morning\n- robot: Ops\n  body: {msgtype: text, text: {content: deploy done}}\ntoken_life: 1h\n"))
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, func(cfg *desk.Config) { cfg.Seed = seed })
	check := func(want int) {
		t.Helper()
		var group struct{ Items []desk.Message }
		e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &group)
		var o desk.Overview
		e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
		if len(group.Items) != want || len(o.Robots) != 1 || o.Robots[0].Name != "Ops" || len(o.Apps) != 1 || len(o.Clients) != 1 {
			t.Errorf("%d messages, want %d; robots %+v", len(group.Items), want, o.Robots)
		}
	}
	check(2)
	e.call(t, http.MethodPost, "/chat/say", `{"text":"hello"}`, http.StatusOK, nil)
	e.call(t, http.MethodPut, "/faults/chat", `{"kind":"refused"}`, http.StatusOK, nil)
	e.call(t, http.MethodPost, "/time/advance", `{"by":"1h","dates":true}`, http.StatusOK, nil)
	check(3)
	e.call(t, http.MethodPost, "/reset", "", http.StatusNoContent, nil)
	check(2)
	apps := strings.Repeat(`{"id":"second","key":"key"},`, 120)
	for i := range 98 {
		apps += fmt.Sprintf(`{"id":"app%d","key":"key"},`, i)
	}
	e.call(t, http.MethodPost, "/seed", `{"apps":[`+strings.TrimSuffix(apps, ",")+`]}`, http.StatusNoContent, nil)
	e.call(t, http.MethodPost, "/seed", `{"apps":[{"id":"one-too-many","key":"key"}]}`, http.StatusBadRequest, nil)
	e.call(t, http.MethodPost, "/reset", "", http.StatusNoContent, nil)
	var clock desk.Time
	e.call(t, http.MethodGet, "/time", "", http.StatusOK, &clock)
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	if clock.Offset != "0s" || clock.DatesOffset != "0s" || o.Areas[1].Fault != nil {
		t.Errorf("after the reset: %+v, %+v", clock, o.Areas)
	}
	e.send(t, http.MethodPost, "/seed", "application/yaml", strings.NewReader("apps:\n- id: second\n  key: second-key\n"), http.StatusNoContent, nil)
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	if len(o.Apps) != 2 {
		t.Errorf("apps: %+v", o.Apps)
	}
}

// TestWrongSeeds also has what is small as a text and large when it is read.
func TestWrongSeeds(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]string{
		"not closed": "robots: [",
		"unknown":    "colour: red",
		"a list":     "- apps",
		"two":        "apps: []\n---\nrobots: []\n",
		"key twice":  "apps: []\napps: []\n",
		"no text":    "[apps]: 1\n",
		"an alias":   "apps: &a []\nrobots: *a\n",
		"deep":       `{"apps":` + strings.Repeat("[", 200_000),
		"wide":       strings.Repeat("apps: []\n", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s, err := desk.ReadSeed([]byte(wrong)); err == nil {
				t.Errorf("ReadSeed = %+v, want an error", s)
			}
		})
	}
}

// stream reads the ids and the data of events.
type stream struct {
	*bufio.Scanner
	close func()
}

func (e *emulator) stream(t *testing.T, last string) *stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL+desk.Prefix+"/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("Content-Type %q, status %d", got, resp.StatusCode)
	}
	s := &stream{bufio.NewScanner(resp.Body), func() { _ = resp.Body.Close() }}
	s.Buffer(nil, 1<<20)
	return s
}

// next is the next event.
func (s *stream) next(t *testing.T) (id, data string) {
	t.Helper()
	for s.Scan() {
		if text, ok := strings.CutPrefix(s.Text(), "id: "); ok {
			id = text
		}
		if text, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			return id, text
		}
	}
	t.Fatalf("the stream ended: %v", s.Err())
	return "", ""
}

func TestStreamGoesOnAfterTheLastEvent(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	s := e.stream(t, "")
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"first </script>"}}`)
	id, data := s.next(t)
	if !strings.Contains(data, `"kind":"message"`) || strings.Contains(data, "</script>") {
		t.Errorf("the event is %s", data)
	}
	s.close()
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"second"}}`)
	again := e.stream(t, id)
	var texts string
	for range 3 {
		_, data := again.next(t)
		texts += data
	}
	if !strings.Contains(texts, "second") || strings.Contains(texts, `"text":"first`) {
		t.Errorf("after event %s: %s", id, texts)
	}
	if _, data := e.stream(t, "100000").next(t); !strings.Contains(data, `"kind":"gap"`) {
		t.Errorf("after an event of another run: %s", data)
	}
}
