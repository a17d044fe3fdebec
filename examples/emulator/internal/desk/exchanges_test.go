package desk_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/webhook"
)

func TestResend(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	e.call(t, http.MethodPut, "/chat/robots/r1", `{"signing_secret":"a-secret"}`, http.StatusOK, nil)
	robot, err := webhook.NewRobot(webhook.Config{URL: newSecret(e.URL + webhook.SendPath + "?key=" + desk.DefaultRobotKey), SigningSecret: newSecret("a-secret")})
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Send(t.Context(), webhook.Text{Content: "again"}); err != nil {
		t.Fatal(err)
	}
	e.call(t, http.MethodPost, "/time/advance", `{"by":"1h","dates":true}`, http.StatusOK, nil)
	var x desk.ExchangeDetail
	e.call(t, http.MethodPost, "/exchanges/x1/resend", `{"sign":false}`, http.StatusOK, &x)
	if !x.Refused || x.Explanation.Cause != "zone" && x.Explanation.Cause != "clock" || x.By != "emulator" {
		t.Errorf("sent again as it was, an hour later: %+v", x)
	}
	e.call(t, http.MethodPost, "/exchanges/x1/resend", "", http.StatusOK, &x)
	if x.Refused || x.Ref != "m3" {
		t.Errorf("signed again: %+v", x)
	}

	called := make(chan string, 2)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- r.Method
		_, _ = w.Write([]byte(`{"result":"ok"}`))
	}))
	t.Cleanup(backend.Close)
	var went desk.Outcome
	e.call(t, http.MethodPut, "/chat/robots/r1/callback", `{"url":"`+backend.URL+`"}`, http.StatusOK, &went)
	e.call(t, http.MethodPost, "/exchanges/"+went.Exchange+"/resend", "", http.StatusOK, &x)
	if len(called) != 2 || x.Direction != "out" || x.Refused {
		t.Errorf("%d calls, the second is %+v", len(called), x)
	}
}

func TestCurlSendsTheSame(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	e := start(t, nil)
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"it's $HOME \"quoted\" `+"`ls`"+`"}}`)
	_, _, command := e.get(t, desk.Prefix+"/exchanges/x1/curl")
	_, _, env := e.get(t, desk.Prefix+"/env")
	if strings.Contains(string(command), desk.DefaultRobotKey) {
		t.Errorf("the key is shown: %s", command)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	if out, err := exec.CommandContext(t.Context(), shell, "-c", string(env)+string(command)).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	var group struct{ Items []desk.Message }
	e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &group)
	if len(group.Items) != 2 || group.Items[0].Refused != "" || group.Items[0].Length != group.Items[1].Length {
		t.Errorf("the group has %+v", group.Items)
	}
}

func TestSlowBodyIsGivenUp(t *testing.T) {
	t.Parallel()
	e := start(t, func(cfg *desk.Config) { cfg.BodyWait = 20 * time.Millisecond })
	for path, want := range map[string]int{
		webhook.SendPath + "?key=" + desk.DefaultRobotKey: http.StatusBadRequest,
		desk.Prefix + "/chat/say":                         http.StatusRequestTimeout,
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(e.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			continue // Closed is right, too.
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: half of a body is answered %s, want %d", path, resp.Status, want)
		}
	}
	if status := e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"quick"}}`); status != http.StatusOK {
		t.Errorf("a whole body is answered %d", status)
	}
}
