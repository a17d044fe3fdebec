package webhooktest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestUpdateKeepsTheMinuteAndTheCallback(t *testing.T) {
	t.Parallel()
	called := 0
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			called++
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"result":"ok"}`))
	}))
	t.Cleanup(callback.Close)
	s := webhooktest.NewServer(nil)
	key := signing.NewSecret("ops")
	add(t, s, webhooktest.Robot{Key: key, PerMinute: 2})
	if err := s.Register(t.Context(), key, callback.URL); err != nil {
		t.Fatal(err)
	}
	send := func(text string) int {
		status, _ := post(t, s, httptest.NewRequest(http.MethodPost, webhook.SendPath+"?key=ops", strings.NewReader(`{"msgtype":"text","text":{"content":"`+text+`"}}`)))
		return status
	}
	var got []int
	got = append(got, send("one"))
	if err := s.Update(webhooktest.Robot{Key: key, PerMinute: 2, Keywords: []string{"two"}}); err != nil {
		t.Fatal(err)
	}
	got = append(got, send("one"), send("two"), send("two"))
	if diff := cmp.Diff([]int{200, 400, 200, 429}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if err := s.Mention(t.Context(), webhook.Event{RobotKey: key}); err != nil || called != 1 {
		t.Errorf("Mention() = %v, called %d times, want once", err, called)
	}

	s.Remove(key)
	if status := send("two"); status != 400 {
		t.Errorf("status of a removed robot = %d, want 400", status)
	}
	if err := s.Update(webhooktest.Robot{Key: key}); err == nil {
		t.Error("Update() of a removed robot did not fail")
	}
	if err := s.Update(webhooktest.Robot{Key: webhooktest.TestKey(), PerMinute: -1}); err == nil {
		t.Error("Update() with a negative PerMinute did not fail")
	}
}

// changing changes the settings of a robot while its message arrives.
type changing struct {
	io.Reader

	change func()
}

func (c changing) Read(p []byte) (int, error) {
	c.change()
	return c.Reader.Read(p)
}

func TestUpdateWhileAMessageArrives(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	update := func() {
		if err := s.Update(webhooktest.Robot{Key: webhooktest.TestKey(), PerMinute: 1}); err != nil {
			t.Error(err)
		}
	}
	const body = `{"msgtype":"text","text":{"content":"a"}}`
	first := httptest.NewRequest(http.MethodPost, sendTarget, changing{strings.NewReader(body), update})
	if status, answer := post(t, s, first); status != http.StatusOK {
		t.Errorf("the first is answered %d %s", status, answer)
	}
	if status, answer := post(t, s, plain(body)); status != http.StatusTooManyRequests {
		t.Errorf("the second is answered %d %s, want 429: the first counts", status, answer)
	}
}

func TestReceivedAndKeep(t *testing.T) {
	t.Parallel()
	type seen struct{ From, Reason string }
	var got []seen
	type from struct{}
	s := webhooktest.NewServer(&webhooktest.Options{
		Keep: 2,
		Received: func(ctx context.Context, sent webhooktest.Sent) {
			name, _ := ctx.Value(from{}).(string)
			got = append(got, seen{name, sent.Reason})
		},
	})
	for _, body := range []string{`{"msgtype":"text","text":{"content":"a"}}`, `{"msgtype":"text"}`, `{"msgtype":"text","text":{"content":"c"}}`} {
		req := plain(body)
		post(t, s, req.WithContext(context.WithValue(req.Context(), from{}, "test")))
	}
	want := []seen{{"test", ""}, {"test", "Text message is empty"}, {"test", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Received (-want +got):\n%s", diff)
	}
	if sent := s.Sent(); len(sent) != 2 || sent[1].Refused != "" || sent[0].Refused != webhooktest.BadMessage {
		t.Errorf("Sent() = %v, want the newest two", sent)
	}
}

func TestDateNowIsTheClockOfDatesOnly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	s := webhooktest.NewServer(&webhooktest.Options{
		Now:     func() time.Time { return now.Add(time.Hour) },
		DateNow: func() time.Time { return now },
	})
	key, secret := signing.NewSecret("ops"), signing.NewSecret("secret")
	add(t, s, webhooktest.Robot{Key: key, SigningSecret: secret})
	cfg := s.Config(key)
	cfg.Now = func() time.Time { return now }
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Send(t.Context(), webhook.Text{Content: "hello"}); err != nil {
		t.Error(err)
	}
	if at := s.Sent()[0].At; !at.Equal(now.Add(time.Hour)) {
		t.Errorf("At = %v, want that of Now", at)
	}
}
