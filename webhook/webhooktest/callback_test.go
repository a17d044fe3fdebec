package webhooktest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestRegisterAndMention(t *testing.T) {
	t.Parallel()
	events := make(chan webhook.Event, 1)
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{webhooktest.TestKey()},
		Handle: func(_ context.Context, e webhook.Event) error {
			events <- e
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	chunked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.ContentLength != -1 {
			t.Errorf("ContentLength = %d, want -1: chunked", r.ContentLength)
		}
		receiver.ServeHTTP(w, r)
	})
	s := webhooktest.NewServer(&webhooktest.Options{HTTPClient: webhooktest.HTTPClient(chunked), Now: func() time.Time { return time.Unix(1700000000, 5) }})
	if err := s.Mention(t.Context(), webhook.Event{}); err == nil {
		t.Error("Mention found a callback before one was registered")
	}
	const address = "https://bot.example/callback?token=t"
	if err := s.Register(t.Context(), webhooktest.TestKey(), address); err != nil {
		t.Fatal(err)
	}
	e := webhook.Event{ChatID: 1<<62 + 1, SenderID: 7, Content: "@bot hi", Reply: &webhook.Quoted{Content: "q", SenderID: 8}}
	if err := s.Mention(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	got := <-events
	if got.ChatID != e.ChatID || got.SenderID != 7 || got.Content != "@bot hi" || *got.Reply != *e.Reply || got.URL != address || got.CTime != 1700000000 || !got.RobotKey.Equal(webhooktest.TestKey()) {
		t.Errorf("the receiver got %+v", got)
	}
	if err := s.Mention(t.Context(), webhook.Event{}); err != nil {
		t.Fatal(err)
	}
	if got := <-events; got.ChatID != 1001 || got.SenderID != 2001 || got.Content != "@robot hello" {
		t.Errorf("the receiver got %+v, want what is filled in", got)
	}
}

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for _, tt := range []struct {
		name, address string
		key           signing.Secret
		h             http.Handler
	}{
		{"status word", "https://x.test/", webhooktest.TestKey(), answer(200, `{"status":"ok"}`)},
		{"not JSON", "https://x.test/", webhooktest.TestKey(), answer(200, `ok`)},
		{"405", "https://x.test/", webhooktest.TestKey(), answer(405, `{"result":"ok"}`)},
		{"unknown robot", "https://x.test/", signing.NewSecret("nobody"), answer(200, `{"result":"ok"}`)},
		{"relative", "/callback", webhooktest.TestKey(), answer(200, `{"result":"ok"}`)},
		{"broken", "https://x.test/?token=hunter2", webhooktest.TestKey(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := webhooktest.NewServer(&webhooktest.Options{HTTPClient: webhooktest.HTTPClient(tt.h)})
			err := s.Register(t.Context(), tt.key, tt.address)
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Register = %v, want an error without the query", err)
			}
			if err := s.Mention(t.Context(), webhook.Event{RobotKey: tt.key}); err == nil {
				t.Error("the address is registered all the same")
			}
		})
	}
}

func TestRegisterObeysItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := webhooktest.NewServer(&webhooktest.Options{HTTPClient: webhooktest.HTTPClient(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))})
	if err := s.Register(ctx, webhooktest.TestKey(), "https://x.test/"); !errors.Is(err, context.Canceled) {
		t.Errorf("Register = %v, want context.Canceled", err)
	}
}
