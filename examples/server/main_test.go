package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// server is a server that runs.
type server struct {
	*app
	t    testing.TB
	addr string // of the callbacks
	log  *log
	stop func() error // ends it as SIGTERM does
}

// log collects what a server writes.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// settingsOf is what a server is given, on free ports and with a quick poll.
func settingsOf(tb testing.TB, env map[string]string, args ...string) *settings {
	tb.Helper()
	with := map[string]string{
		"WEBOFFICE_ADDR": "127.0.0.1:0", "WEBOFFICE_INTERNAL_ADDR": "127.0.0.1:0", "WEBOFFICE_POLL": "20ms",
		"WEBOFFICE_DRAIN": "20s",
	}
	maps.Copy(with, env)
	s, err := readSettings(args, func(name string) string { return with[name] }, io.Discard)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// start runs a server until the test ends.
func start(tb testing.TB, env map[string]string) *server {
	tb.Helper()
	s := settingsOf(tb, env)
	srv := &server{t: tb, log: &log{}}
	l, err := listen(tb.Context(), s)
	if err != nil {
		tb.Fatal(err)
	}
	srv.addr = l.public.Addr().String()
	srv.app, err = open(tb.Context(), s, slog.New(&contextHandler{slog.NewJSONHandler(srv.log, &slog.HandlerOptions{Level: slog.LevelDebug})}))
	if err != nil {
		l.close()
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- srv.serve(ctx, l, func() { close(ready) }) }()
	srv.stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-ended, srv.close())
	})
	tb.Cleanup(func() {
		if err := srv.stop(); err != nil {
			tb.Errorf("the server ends with %v", err)
		}
		if tb.Failed() {
			for line := range strings.Lines(srv.log.String()) {
				if !strings.Contains(line, `"msg":"request"`) {
					tb.Log(line)
				}
			}
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		tb.Fatal(err)
	}
	return srv
}

// call calls the API, with the header fields that follow.
func (s *server) call(method, path, body string, header ...string) (int, []byte) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.settings.internalURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.settings.apiToken.Reveal())
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, text
}

// post makes a job and returns its path.
func (s *server) post(path, body string, header ...string) string {
	s.t.Helper()
	status, text := s.call(http.MethodPost, path, body, header...)
	var answer struct{ ID string }
	if err := json.Unmarshal(text, &answer); err != nil || status != http.StatusAccepted || answer.ID == "" {
		s.t.Fatalf("POST %s: HTTP %d, %s", path, status, text)
	}
	return path + "/" + answer.ID
}

// await asks until the state is the wanted one. A message may have to wait for a minute.
func (s *server) await(path, want string) (last struct {
	State, Error string
	Files        []resultFile
	Cost         cost
	Repeated     int
},
) {
	s.t.Helper()
	for range 4500 {
		_, text := s.call(http.MethodGet, path, "")
		if err := json.Unmarshal(text, &last); err != nil {
			s.t.Fatal(err)
		}
		if last.State == want {
			return last
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatalf("%s is %+v, want %s", path, last, want)
	return last
}

// chatted waits until the chat has n messages, and a moment longer for one too many.
func chatted(tb testing.TB, chat *webhooktest.Server, n int) []webhooktest.Sent {
	tb.Helper()
	for range 1500 {
		if len(chat.Sent()) >= n {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	return chat.Sent()
}

// weboffice is the token of a user who has a document open.
func (s *server) weboffice(user, fileID string, edit bool) signing.Secret {
	s.t.Helper()
	text, err := s.viewers.token(viewer{User: user, FileID: fileID, Edit: edit, Expires: time.Now().Add(time.Minute).Unix()})
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *server) credentials() signing.Credentials {
	return signing.AppWithScheme(s.settings.scheme, s.settings.appID, s.settings.appKey)
}

// TestEmbedded is what everybody sees first: nothing is set.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, check := range map[string]func(*testing.T, *server){
		"conversion": checkConversion, "viewer": checkViewer, "token": checkToken, "health": checkHealth,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, s)
		})
	}
}

func TestScheme(t *testing.T) {
	t.Parallel()
	s := start(t, map[string]string{"WEBOFFICE_SCHEME": "WPS-2"})
	if s.settings.scheme != "WPS-2" {
		t.Errorf("the scheme is %q", s.settings.scheme)
	}
	checkConversion(t, s)
	checkViewer(t, s)
	checkToken(t, s)
}

func checkConversion(t *testing.T, s *server) {
	t.Helper()
	path := s.post("/api/v1/conversions", `{"file_id":"`+s.sample+`","target":"txt"}`)
	got := s.await(path, stateDone)
	if len(got.Files) == 0 || got.Cost.Pages != len(got.Files) || got.Cost.SourceBytes < int64(len(sample)) || got.Cost.ResultBytes == 0 || got.Cost.TotalSeconds <= 0 {
		t.Fatalf("the conversion is %+v, want files and their cost", got)
	}
	status, text := s.call(http.MethodGet, path+"/files/"+got.Files[0].Name, "")
	if status != http.StatusOK || int64(len(text)) != got.Files[0].Size || !bytes.Contains(text, []byte("Handbook")) {
		t.Errorf("the result is HTTP %d, %d bytes %.80q", status, len(text), text)
	}
}

func TestEmbeddedRobot(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.await(s.post("/api/v1/messages", `{"text":"done <at user_id=\"-1\">x</at>"}`), stateSent)
	for range 2 { // The service may deliver an event twice.
		if err := s.local.chat.Mention(t.Context(), webhook.Event{Content: "@robot 4711", CTime: 1}); err != nil {
			t.Fatal(err)
		}
	}
	sent := chatted(t, s.local.chat, 2)
	if len(sent) != 2 || bytes.Contains(sent[0].Body, []byte(`<at user_id`)) || !bytes.Contains(sent[1].Body, []byte("There is no conversion 4711")) {
		t.Errorf("the chat has %s, want a message without a mention, and one answer", sent)
	}
	for range 2 { // Without a time, it may be a second question.
		if err := s.mentioned(t.Context(), webhook.Event{Content: "@robot 17"}); err != nil {
			t.Fatal(err)
		}
	}
	if sent := chatted(t, s.local.chat, 4); len(sent) != 4 {
		t.Errorf("the chat has %s, want two answers more", sent)
	}
}

func checkViewer(t *testing.T, s *server) {
	t.Helper()
	open := func(token signing.Secret) (*previewtest.Viewer, error) {
		v, err := previewtest.NewViewer(previewtest.ViewerConfig{BaseURL: s.settings.public, Credentials: s.credentials(), WebOfficeToken: token})
		if err != nil {
			return nil, err
		}
		_, err = v.Permission(t.Context(), s.sample)
		return v, err
	}
	ann, err := open(s.weboffice("ann", s.sample, true))
	if err != nil {
		t.Fatal(err)
	}
	file, err := ann.Save(t.Context(), s.sample, sampleName, append(bytes.Clone(sample), "more"...))
	if err != nil || file.Version != 2 || file.ModifierID != "ann" {
		t.Errorf("Save = %+v, %v, want version 2 by ann", file, err)
	}
	var back bytes.Buffer
	if file, err := ann.Open(t.Context(), s.sample, &back); err != nil || file.Version != 2 || !bytes.HasSuffix(back.Bytes(), []byte("more")) {
		t.Errorf("Open = %+v, %v, want what was saved", file, err)
	}
	for name, token := range map[string]signing.Secret{
		"of another document": s.weboffice("ann", "other", true), "forged": signing.NewSecret("e30.AAAA"), "missing": {},
	} {
		if _, err := open(token); err == nil {
			t.Errorf("a token %s opens the document", name)
		}
	}
	rob, err := open(s.weboffice("rob", s.sample, false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rob.Save(t.Context(), s.sample, sampleName, sample); err == nil {
		t.Error("a reader saves")
	}
	if versions, err := rob.Versions(t.Context(), s.sample, preview.Page{}); err != nil || len(versions) != 2 {
		t.Errorf("Versions = %v, %v, want two", versions, err)
	}
}

func checkToken(t *testing.T, s *server) {
	t.Helper()
	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{URL: s.settings.public, Credentials: s.credentials()})
	if err != nil {
		t.Fatal(err)
	}
	for fileID, allowed := range map[string]bool{s.sample: true, "other": false} {
		_, err := plugin.Token(t.Context(), token.Request{AppID: localApp, FileID: fileID, WebOfficeToken: s.weboffice("ann", s.sample, false)})
		if (err == nil) != allowed {
			t.Errorf("the token for %s: %v, want allowed %t", fileID, err, allowed)
		}
	}
}

func checkHealth(t *testing.T, s *server) {
	t.Helper()
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, text := s.call(http.MethodGet, path, ""); status != http.StatusOK {
			t.Errorf("%s: HTTP %d, %s", path, status, text)
		}
	}
}

// TestRun is the whole program, which leaves nothing behind.
func TestRun(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	var out signalled
	out.when, out.then = "/metrics\n", cancel
	if err := run(ctx, []string{"-addr", "127.0.0.1:0", "-internal-addr", "127.0.0.1:0"}, func(string) string { return "" }, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.text.String(), "/api/v1/conversions") {
		t.Errorf("the output is %s, want what to try", &out.text)
	}
}

// signalled calls then once something was written.
type signalled struct {
	text bytes.Buffer
	when string
	then func()
}

func (s *signalled) Write(p []byte) (int, error) {
	n, err := s.text.Write(p)
	if strings.HasSuffix(s.text.String(), s.when) {
		s.then()
	}
	return n, err
}
