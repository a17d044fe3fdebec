package desk_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// answerTo sends a message and says what came back.
func (e *emulator) answerTo(t *testing.T, text string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.URL+webhook.SendPath+"?key="+desk.DefaultRobotKey, strings.NewReader(`{"msgtype":"text","text":{"content":"`+text+`"}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "cut"
	}
	return resp.Status + " " + resp.Header.Get("Retry-After") + " " + string(body)
}

func TestFaultsOfAnArea(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for kind, want := range map[string]string{
		"limited": "429 Too Many Requests 2 ", "refused": "500 ", "reset": "no answer", "cut": "cut", "malformed": "200 OK  <!doctype html>", "slow": `200 OK  {"result":"ok"}`,
	} {
		setting := `{"kind":"` + kind + `","times":1}`
		if kind == "slow" {
			setting = `{"kind":"slow","times":1,"delay":"8ms"}`
		}
		e.call(t, http.MethodPut, "/faults/chat", setting, http.StatusOK, nil)
		if got := e.answerTo(t, "fault-"+kind); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		if got := e.answerTo(t, "after "+kind); got != `200 OK  {"result":"ok"}` {
			t.Errorf("after %s: %q", kind, got)
		}
		e.wait(t, "kind=exchange&text=fault-"+kind) // What was cut is recorded after the client has noticed.
		var x struct{ Items []desk.Exchange }
		e.call(t, http.MethodGet, "/exchanges?text=fault-"+kind, "", http.StatusOK, &x)
		if len(x.Items) != 1 || x.Items[0].Fault != kind || kind != "cut" && x.Items[0].Refused != (kind != "slow" && kind != "malformed") {
			t.Errorf("%s is shown as %+v", kind, x.Items)
		}
	}
}

func TestFaultIsSwitchedOff(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	e.call(t, http.MethodPut, "/faults/chat", `{"kind":"refused"}`, http.StatusOK, nil)
	var all struct {
		Areas []struct {
			Area   string
			Active *desk.FaultSetting
			Hits   int
			Offers []desk.Offer
		}
	}
	e.answerTo(t, "one")
	e.call(t, http.MethodGet, "/faults", "", http.StatusOK, &all)
	if a := all.Areas[1]; a.Active == nil || a.Hits != 1 || a.Active.Left != nil || len(all.Areas) != 5 {
		t.Errorf("the faults are %+v", all)
	}
	for _, a := range all.Areas {
		for _, o := range a.Offers {
			if o.What == "" || len(o.On) == 0 {
				t.Errorf("%s: %+v", a.Area, o)
			}
		}
	}
	e.call(t, http.MethodDelete, "/faults/chat", "", http.StatusNoContent, nil)
	if got := e.answerTo(t, "two"); !strings.HasPrefix(got, "200") {
		t.Errorf("after it was switched off: %s", got)
	}
	e.call(t, http.MethodPut, "/faults/chat", `{"kind":"refused"}`, http.StatusOK, nil)
	e.call(t, http.MethodDelete, "/faults", "", http.StatusNoContent, nil)
	if got := e.answerTo(t, "three"); !strings.HasPrefix(got, "200") {
		t.Errorf("after all were switched off: %s", got)
	}
}

func TestWrongClockRefusesAndIsSent(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	client := e.client(t)
	submit := func() error {
		_, err := client.SubmitText(t.Context(), convert.TextRequest{URL: e.URL + "/a.docx", Filename: "a.docx"})
		return err
	}
	e.call(t, http.MethodPut, "/faults/conversion", `{"kind":"wrong_clock"}`, http.StatusOK, nil)
	var refused *convert.APIError
	if err := submit(); !errors.As(err, &refused) || refused.Code != convert.CodeInvalidSignature {
		t.Errorf("with a wrong clock: %v", err)
	}
	var x struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges?refused=true", "", http.StatusOK, &x)
	if len(x.Items) != 1 || !strings.Contains(x.Items[0].Reason, "The clocks differ by") {
		t.Errorf("the exchange is %+v", x.Items)
	}
	e.call(t, http.MethodPut, "/faults/conversion", `{"kind":"wrong_clock","delay":"-1m"}`, http.StatusOK, nil)
	if err := submit(); err != nil {
		t.Errorf("a minute is allowed: %v", err)
	}

	e.call(t, http.MethodPut, "/faults/plugin", `{"kind":"wrong_clock","delay":"-1h"}`, http.StatusOK, nil)
	var call desk.PluginCall
	e.call(t, http.MethodPost, "/plugin/calls", `{"url":"`+e.URL+desk.SamplePrefix+token.Path+`","file_id":"plan","token":"ann-session"}`, http.StatusOK, &call)
	if call.OK || call.Broken[0].Status != http.StatusUnauthorized {
		t.Errorf("a callback with a wrong Date: %+v", call)
	}
}

func TestMovedClockEndsLinksButNotSignatures(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var made desk.Conversion
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "txt", "long_txt": "true"}, http.StatusCreated, &made)
	client := e.client(t)
	result, err := client.Wait(t.Context(), convert.Task{ID: made.TaskID, Target: convert.Text})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Download(t.Context(), result.Files[0], io.Discard); err != nil {
		t.Fatal(err)
	}
	e.call(t, http.MethodPost, "/time/advance", `{"by":"31m"}`, http.StatusOK, nil)
	if err := client.Download(t.Context(), result.Files[0], io.Discard); err == nil {
		t.Error("a link of half an hour works after 31 minutes")
	}
	if _, err := client.Status(t.Context(), convert.Task{ID: made.TaskID, Target: convert.Text}); err != nil {
		t.Errorf("the signature of the real time is refused: %v", err)
	}
	e.call(t, http.MethodPost, "/time/advance", `{"by":"31m","dates":true}`, http.StatusOK, nil)
	if _, err := client.Status(t.Context(), convert.Task{ID: made.TaskID, Target: convert.Text}); !errors.Is(err, signing.ErrTimestamp) && err == nil {
		t.Error("the signature of the real time is accepted after Dates were moved")
	}
}

func TestExpiredLinks(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	e.call(t, http.MethodPut, "/faults/conversion", `{"kind":"expired_links","on":["document"],"times":1}`, http.StatusOK, nil)
	var made desk.Conversion
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "txt"}, http.StatusCreated, &made)
	e.wait(t, "kind=task&state=failed")
	e.call(t, http.MethodGet, "/conversions/"+made.ID, "", http.StatusOK, &made)
	if !strings.Contains(made.Message, "403") {
		t.Errorf("the conversion is %+v", made)
	}
}

func TestCallbacksAreSpoilt(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	bodies := make(chan string, 10)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			bodies <- string(body)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"result":"ok"}`))
	}))
	t.Cleanup(backend.Close)
	e.call(t, http.MethodPut, "/chat/robots/r1/callback", `{"url":"`+backend.URL+`"}`, http.StatusOK, nil)
	for kind, ok := range map[string]bool{"slow": true, "malformed": true, "reset": false} {
		setting := `{"kind":"` + kind + `","on":["mention"],"times":1}`
		if kind == "slow" {
			setting = `{"kind":"slow","delay":"1ms","on":["mention"],"times":1}`
		}
		e.call(t, http.MethodPut, "/faults/chat", setting, http.StatusOK, nil)
		var said struct{ Delivery desk.Outcome }
		e.call(t, http.MethodPost, "/chat/say", `{"robot":"r1","text":"hello"}`, http.StatusOK, &said)
		if said.Delivery.OK != ok {
			t.Errorf("%s: %+v", kind, said)
		}
		if whole := strings.HasSuffix(<-bodies, "}"); whole == (kind == "malformed") {
			t.Errorf("%s: the body is whole: %t", kind, whole)
		}
	}
}

func TestCancelledConversion(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	release := make(chan struct{})
	files := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(files.Close)
	t.Cleanup(func() { close(release) })
	client := e.client(t)
	task, err := client.SubmitText(t.Context(), convert.TextRequest{URL: files.URL + "/a.docx", Filename: "a.docx"})
	if err != nil {
		t.Fatal(err)
	}
	e.call(t, http.MethodPost, "/conversions/c1/cancel", "", http.StatusOK, nil)
	e.wait(t, "kind=task&state=cancelled")
	if _, err := client.Wait(t.Context(), task); !errors.Is(err, convert.ErrFailed) {
		t.Errorf("Wait() = %v, want ErrFailed", err)
	}
	e.call(t, http.MethodPost, "/conversions/c1/cancel", "", http.StatusConflict, nil)
}
