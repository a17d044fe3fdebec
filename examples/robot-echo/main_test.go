package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if err := run(t.Context(), []string{"-demo"}, func(string) string { return "" }, &out, &log); err != nil {
		t.Fatal(err)
	}
	_, answers, _ := strings.Cut(out.String(), "the robot answers")
	for _, want := range []string{"registered", "good morning"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output %q, want %q in it", out.String(), want)
		}
	}
	if !strings.Contains(log.String(), "answered") {
		t.Errorf("the log has %q, want that a mention was answered", log.String())
	}
	if strings.Count(out.String(), "the robot answers") != 2 || strings.Contains(answers, `<at user_id`) {
		t.Errorf("output %q, want two answers without a mention", out.String())
	}
}

func TestRunNeedsARobot(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "https://chat.example/api/v1/webhook/send"} {
		err := run(t.Context(), nil, func(string) string { return address }, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "WEBOFFICE_ROBOT_URL") {
			t.Errorf("run with the address %q = %v, want an error that names the variable", address, err)
		}
	}
}

// Over real sockets: registered, mentioned twice with the same event, shut down.
func TestAnswerOnceAndFinish(t *testing.T) {
	t.Parallel()
	side := webhooktest.NewServer(nil)
	chat := httptest.NewServer(side)
	t.Cleanup(chat.Close)
	logger := slog.New(slog.DiscardHandler)
	e, err := newEcho(webhook.Config{URL: side.Address(chat.URL, webhooktest.TestKey())}, logger)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- answer(ctx, listener, "/robot", e) }()
	address := "http://" + listener.Addr().String() + "/robot"
	if err := side.Register(t.Context(), webhooktest.TestKey(), address); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := side.Mention(t.Context(), webhook.Event{Content: "@echo hi", CTime: 7}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("answer: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("answer did not end")
	}
	if got := side.Sent(); len(got) != 1 || !strings.Contains(string(got[0].Body), "hi") {
		t.Errorf("%d messages arrived, want one answer to one event", len(got))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error("the server still answers")
	}
}

func TestRunRefusesAPathWithoutASlash(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-path", "robot"}, func(string) string { return "https://chat.example/?key=k" }, io.Discard, io.Discard)
	var usage *cli.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "-path") {
		t.Errorf("run = %v, want a mistake in -path", err)
	}
}

// An event whose answer was not sent is answered when it is delivered again, once.
func TestRepeatAfterAnAnswerThatWasNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		side := webhooktest.NewServer(nil)
		cfg := side.Config(webhooktest.TestKey())
		var works atomic.Bool
		cfg.Limiter = webhook.LimiterFunc(func(context.Context) error {
			if !works.Load() {
				return errors.New("limiter is broken")
			}
			return nil
		})
		e, err := newEcho(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err := side.RegisterHandler(t.Context(), webhooktest.TestKey(), e.receiver); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{0, 1, 1} {
			if err := side.Mention(t.Context(), webhook.Event{Content: "@echo hi"}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := len(side.Sent()); got != want {
				t.Errorf("%d answers, want %d", got, want)
			}
			works.Store(true)
		}
	})
}
