package desk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// emulator is a Desk on a port of this machine.
type emulator struct {
	*desk.Desk
	URL string
}

// start plays the service, with an engine that needs no programs.
func start(t *testing.T, change func(*desk.Config)) *emulator {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	url := "http://" + server.Listener.Addr().String()
	cfg := desk.Config{URL: url}
	if change != nil {
		change(&cfg)
	}
	if cfg.Engine == nil {
		engine, err := office.New(office.Config{Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		cfg.Engine = engine
	}
	d, err := desk.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = d.Handler()
	server.Start()
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return &emulator{d, url}
}

// call sends JSON to the API and reads the answer into answer, unless that is nil.
func (e *emulator) call(t *testing.T, method, path, body string, want int, answer any) {
	t.Helper()
	contentType := ""
	if body != "" {
		contentType = "application/json"
	}
	e.send(t, method, path, contentType, strings.NewReader(body), want, answer)
}

func (e *emulator) send(t *testing.T, method, path, contentType string, body io.Reader, want int, answer any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, e.URL+desk.Prefix+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != want {
		t.Fatalf("%s %s = %d %s, want %d", method, path, resp.StatusCode, text, want)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
}

// drop sends a form with a file.
func (e *emulator) drop(t *testing.T, path, name string, file []byte, fields map[string]string, want int, answer any) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field, value := range fields {
		if err := form.WriteField(field, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	e.send(t, http.MethodPost, path, form.FormDataContentType(), &body, want, answer)
}

// wait waits for an event, from the beginning on.
func (e *emulator) wait(t *testing.T, query string) (event struct {
	ID                     int
	Kind, State, Ref, Text string
	Item                   json.RawMessage
},
) {
	t.Helper()
	e.call(t, http.MethodGet, "/wait?since=0&timeout=60s&"+query, "", http.StatusOK, &event)
	return event
}

// robot is the robot of the default seed.
func (e *emulator) robot(t *testing.T) *webhook.Robot {
	t.Helper()
	robot, err := webhook.NewRobot(webhook.Config{URL: signing.NewSecret(e.URL + webhook.SendPath + "?key=" + desk.DefaultRobotKey)})
	if err != nil {
		t.Fatal(err)
	}
	return robot
}

// client is the app of the default seed.
func (e *emulator) client(t *testing.T) *convert.Client {
	t.Helper()
	client, err := convert.New(convert.Config{
		BaseURL: e.URL, Credentials: signing.App(desk.DefaultAppID, signing.NewSecret(desk.DefaultAppKey)),
		Backoff: convert.Backoff{Min: 1, Max: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func handbook(t *testing.T) []byte {
	t.Helper()
	document, err := os.ReadFile("../../../quickstart/document/handbook.docx")
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// post sends a message as curl does.
func (e *emulator) post(ctx context.Context, t *testing.T, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+webhook.SendPath+"?key="+desk.DefaultRobotKey, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
