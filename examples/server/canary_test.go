package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// canary is in every secret of this test, and must be in nothing that leaves.
const canary = "CANARY"

// collector keeps the spans that it is sent, as they arrive.
type collector struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.Copy(&c.text, r.Body)
}

// hostile is a service that repeats in its answer everything it was sent.
func hostile(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"code":10001,"errno":10001,"error":%[1]q,"message":%[1]q,"result":%[1]q}`, fmt.Sprint(r.URL, r.Header, string(body)))
}

func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(hostile))
	t.Cleanup(service.Close)
	spans := &collector{}
	otlp := httptest.NewServer(spans)
	t.Cleanup(otlp.Close)
	s := start(t, map[string]string{
		"WEBOFFICE_SERVICE": service.URL, "WEBOFFICE_PUBLIC": "http://127.0.0.1", "WEBOFFICE_APP_ID": "app",
		"WEBOFFICE_APP_KEY": canary + "-app-key", "WEBOFFICE_API_TOKEN": canary + "-api-token-0123", "WEBOFFICE_LINK_KEY": canary + "-link-key-0123",
		"WEBOFFICE_ROBOT_URL": service.URL + "/api/v1/webhook/send?key=" + canary + "-robot-key", "WEBOFFICE_ROBOT_SECRET": canary + "-robot-secret",
		"WEBOFFICE_ROBOT_PATH": "/robot/" + canary, "WEBOFFICE_TOKEN_URL": service.URL + "/token", "WEBOFFICE_TOKEN_SECRET": canary + "-client-secret",
		"WEBOFFICE_DATA": t.TempDir(), "WEBOFFICE_OTLP_URL": otlp.URL,
	})
	doc := s.document()
	id := strings.Split(doc, `"`)[3]
	who := s.weboffice("ann", id, true)

	var left bytes.Buffer // what callers and the product get
	say := func(path, key string) {
		s.await(path, stateFailed)
		_, text := s.call(http.MethodGet, path, "")
		fmt.Fprintln(&left, key, string(text))
	}
	say(s.post("/api/v1/conversions", doc), "conversion")
	say(s.post("/api/v1/messages", `{"text":"hi"}`), "message")
	for _, wrong := range []string{"", canary, "Bearer " + canary, "Basic " + canary} {
		_, text := s.call(http.MethodPost, "/api/v1/conversions?key="+canary, doc, "Authorization", wrong)
		left.Write(text)
	}
	addr := "http://" + s.addr
	signer, err := signing.NewSigner(s.credentials())
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := signing.NewSigner(signing.App("app", signing.NewSecret(canary+"-wrong")))
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []*signing.Signer{signer, stranger, nil} {
		for _, with := range []signing.Secret{who, signing.NewSecret(canary + "-viewer"), {}} {
			for _, call := range []struct{ method, path, body string }{
				{"GET", preview.PathPrefix + "files/" + id, ""},
				{"GET", preview.PathPrefix + "files/" + id + "/permission?q=" + canary, ""},
				{"GET", preview.PathPrefix + "nothing/" + id, ""},
				{"POST", token.Path, `{"app_id":"app","file_id":"` + id + `","weboffice_token":"` + with.Reveal() + `"}`},
				{"POST", "/robot/" + canary, `{"robot_key":"` + canary + `-wrong","content":"` + canary + `"}`},
				{"POST", "/robot/" + canary, `{"robot_key":"` + canary + `-robot-key","chatid":1,"creator":2,"ctime":3,"content":"hi"}`},
				{"POST", "/robot/wrong", "{" + canary},
				{"GET", contentPath + "?sig=" + canary, ""},
				{"PUT", contentPath + "?sig=" + canary, canary},
				{canary, "/" + canary, ""},
			} {
				req, err := http.NewRequestWithContext(t.Context(), call.method, addr+call.path, strings.NewReader(call.body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("X-WebOffice-Token", with.Reveal())
				if by != nil {
					if err := by.SignRequest(req, time.Now()); err != nil {
						t.Fatal(err)
					}
				}
				resp, err := new(http.Client).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				left.Write(text)
			}
		}
	}
	_, metrics := s.call(http.MethodGet, "/metrics", "")
	if err := s.stop(); err != nil { // which sends the last spans
		t.Fatal(err)
	}
	spans.mu.Lock()
	defer spans.mu.Unlock()
	for name, text := range map[string]string{"answers": left.String(), "metrics": string(metrics), "spans": spans.text.String(), "log": s.log.String()} {
		if len(text) < 1000 {
			t.Errorf("the %s are %d bytes: were they collected?", name, len(text))
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, canary) || strings.Contains(line, who.Reveal()) {
				t.Errorf("the %s have a secret: %.600s", name, line)
			}
		}
	}
	for _, want := range []string{"convert.submit_pdf", "webhook.send", "preview.permission", "token.access_token", "token.fetch", "signature"} {
		if !strings.Contains(spans.text.String(), want) || !strings.Contains(string(metrics), want) {
			t.Errorf("%s is not in the spans and the metrics", want)
		}
	}
}

// What cannot be reached is reported without the password in its URL.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, map[string]string{"WEBOFFICE_POSTGRES_URL": "postgres://u:" + canary + "@127.0.0.1:1/db", "WEBOFFICE_DATA": t.TempDir()})
	l, err := listen(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), s, slog.New(slog.DiscardHandler))
	l.close()
	if err == nil {
		_ = a.close()
		t.Error("no error")
	} else if strings.Contains(err.Error(), canary) {
		t.Error(err)
	}
}

// Every line of the log is JSON, also what libraries write on their own.
func TestLibrariesLogToo(t *testing.T) { //nolint:paralleltest // It sets what the process has once.
	var text bytes.Buffer
	s := settingsOf(t, map[string]string{"WEBOFFICE_LOG_FORMAT": "json"})
	adopt(newLogger(s, &text))
	stdlog.Print("from net/http")
	otel.Handle(errors.New("from spans"))
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { _ = client.Close() }()
	if client.Ping(t.Context()).Err() == nil {
		t.Fatal("a server answers on port 1")
	}
	for _, want := range []string{"from net/http", "from spans", "127.0.0.1:1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the log has no line with %q: %s", want, &text)
		}
	}
	for line := range strings.Lines(text.String()) {
		if !json.Valid([]byte(line)) || !strings.Contains(line, `"level":"WARN"`) {
			t.Errorf("%s is not a warning in JSON", line)
		}
	}
}
