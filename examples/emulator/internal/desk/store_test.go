package desk_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
)

func TestStateOutlivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"result":"ok"}`))
	}))
	t.Cleanup(callback.Close)
	type state struct {
		Messages    struct{ Items []desk.Message }
		Conversions struct{ Items []desk.Conversion }
		Exchange    desk.ExchangeDetail
		Robots      struct{ Items []desk.Robot }
		Calls       struct{ Items []desk.PluginCall }
		Clock       desk.Time
		Last        int
	}
	read := func(e *emulator) (s state) {
		e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &s.Messages)
		e.call(t, http.MethodGet, "/conversions", "", http.StatusOK, &s.Conversions)
		e.call(t, http.MethodGet, "/exchanges/x1", "", http.StatusOK, &s.Exchange)
		e.call(t, http.MethodGet, "/chat/robots", "", http.StatusOK, &s.Robots)
		e.call(t, http.MethodGet, "/plugin/calls", "", http.StatusOK, &s.Calls)
		e.call(t, http.MethodGet, "/time", "", http.StatusOK, &s.Clock)
		var o desk.Overview
		e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
		s.Last = o.LastEvent
		s.Exchange.Resendable = false
		for i := range s.Robots.Items {
			s.Robots.Items[i].URL, s.Robots.Items[i].Curl = "", "" // The port has changed.
		}
		for i := range s.Calls.Items {
			s.Calls.Items[i].ExpiresIn = nil
		}
		s.Clock.Now, s.Clock.Real = s.Clock.Now.Truncate(0), s.Clock.Now.Truncate(0)
		return s
	}
	open := func() *emulator {
		return start(t, func(cfg *desk.Config) {
			store, err := desk.OpenStore(dir)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Store = store
		})
	}

	first := open()
	first.post(t.Context(), t, `{"msgtype":"markdown","markdown":{"text":"**kept**"}}`)
	first.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "txt", "long_txt": "true"}, http.StatusCreated, nil)
	first.wait(t, "kind=task&state=success")
	first.call(t, http.MethodPut, "/chat/robots/r1", `{"name":"Ops","keywords":["deploy"]}`, http.StatusOK, nil)
	first.call(t, http.MethodPut, "/chat/robots/r1/callback", `{"url":"`+callback.URL+`"}`, http.StatusOK, nil)
	first.call(t, http.MethodPost, "/time/advance", `{"by":"1h"}`, http.StatusOK, nil)
	first.call(t, http.MethodPost, "/plugin/calls", `{"url":"`+first.URL+desk.SamplePrefix+`/v3/3rd/open/access_token","file_id":"plan","token":"ann-session"}`, http.StatusOK, nil)
	want := read(first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := open()
	got := read(second)
	got.Clock, want.Clock = desk.Time{Offset: got.Clock.Offset}, desk.Time{Offset: want.Clock.Offset}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(), ignoreUnexported()); diff != "" {
		t.Errorf("after a restart (-before +after):\n%s", diff)
	}
	if _, status, body := second.get(t, desk.Prefix+"/conversions/c1/results/1"); status != http.StatusOK || len(body) < 100 {
		t.Errorf("the result is answered %d with %d bytes", status, len(body))
	}
	result, err := second.client(t).Wait(t.Context(), convert.Task{ID: want.Conversions.Items[0].TaskID, Target: convert.Text})
	if err != nil || len(result.Files) != 1 {
		t.Errorf("a task of the run before: %+v, %v", result, err)
	}
	var said struct{ Delivery desk.Outcome }
	second.call(t, http.MethodPost, "/chat/say", `{"robot":"r1","text":"still there?"}`, http.StatusOK, &said)
	if !said.Delivery.OK {
		t.Errorf("the callback of the run before: %+v", said)
	}
	second.post(t.Context(), t, `{"msgtype":"text","text":{"content":"deploy"}}`)
	second.call(t, http.MethodGet, "/chat/messages/m3", "", http.StatusOK, nil)
	second.call(t, http.MethodPost, "/reset", "", http.StatusNoContent, nil)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}

	third := open()
	if s := read3(t, third); len(s) != 0 {
		t.Errorf("after a reset and a restart there are %+v", s)
	}
}

func read3(t *testing.T, e *emulator) []desk.Message {
	t.Helper()
	var group struct{ Items []desk.Message }
	e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &group)
	return group.Items
}

func ignoreUnexported() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		field, ok := p.Last().(cmp.StructField)
		return ok && (field.Name()[0] < 'A' || field.Name()[0] > 'Z')
	}, cmp.Ignore())
}
