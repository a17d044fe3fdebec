package pagetest

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // It is the signature of the protocol.
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

//go:embed scene
var scenes embed.FS

// Scene fills an emulator with what the screenshots show.
type Scene struct {
	URL      string // Of the emulator, fresh.
	Language string // en or zh-CN.
	Document string // A file to convert.

	script  script
	robots  []string // Ids.
	servers []*httptest.Server
}

// script is what a scene has of a language.
type script struct {
	Robots   json.RawMessage `json:"robots"`
	Messages json.RawMessage `json:"messages"`
	Later    json.RawMessage `json:"later"` // After the answer.
	Refused  json.RawMessage `json:"refused"`
	Line     string          `json:"line"`
	Answer   string          `json:"answer"`
}

// Places are the addresses of the views with something chosen, by view.
type Places map[string]string

// Fill plays the scene, and waits until all of it is done. Close ends what it started.
func (s *Scene) Fill(ctx context.Context) (Places, error) {
	text, err := scenes.ReadFile("scene/" + s.Language + ".json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s.script); err != nil {
		return nil, err
	}
	places := Places{"overview": "overview", "chat": "chat", "plugin": "plugin", "faults": "faults", "explain": "requests/explain"}
	for _, step := range []func(context.Context, Places) error{s.talk, s.convert, s.view, s.ask, s.sign, s.spoil} {
		if err := step(ctx, places); err != nil {
			return nil, err
		}
	}
	return places, nil
}

// Close ends the servers of the scene.
func (s *Scene) Close() {
	for _, server := range s.servers {
		server.Close()
	}
}

func (s *Scene) serve(h http.Handler) string {
	server := httptest.NewServer(h)
	s.servers = append(s.servers, server)
	return server.URL
}

// talk fills the group: messages, one that is refused, a mention and its answer.
func (s *Scene) talk(ctx context.Context, _ Places) error {
	var robots struct {
		Items []struct{ ID, Key, URL string }
	}
	seed := map[string]any{"robots": s.script.Robots, "messages": s.script.Messages}
	if err := errors.Join(
		s.call(ctx, http.MethodDelete, "/chat/robots/r1", nil, nil),
		s.call(ctx, http.MethodPost, "/seed", seed, nil),
		s.call(ctx, http.MethodGet, "/chat/robots", nil, &robots),
	); err != nil {
		return err
	}
	if len(robots.Items) != 2 {
		return fmt.Errorf("pagetest: %d robots", len(robots.Items))
	}
	for _, robot := range robots.Items {
		s.robots = append(s.robots, robot.ID)
	}
	release := robots.Items[0].URL
	answer := s.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"result":"ok"}`)
		if r.Method == http.MethodPost {
			body := map[string]any{"msgtype": "text", "text": map[string]any{"content": s.script.Answer}}
			_ = s.send(context.WithoutCancel(ctx), release, body)
		}
	}))
	if err := s.send(ctx, robots.Items[1].URL, s.script.Refused); err != nil {
		return err
	}
	if err := s.call(ctx, http.MethodPut, "/chat/robots/"+s.robots[0]+"/callback", map[string]any{"url": answer}, nil); err != nil {
		return err
	}
	if err := s.call(ctx, http.MethodPost, "/chat/say", map[string]any{"text": s.script.Line, "robot": s.robots[0], "sender": 2002}, nil); err != nil {
		return err
	}
	return s.call(ctx, http.MethodPost, "/seed", map[string]any{"messages": s.script.Later}, nil)
}

// convert converts the document to PDF and to text, and lets one submit be refused.
func (s *Scene) convert(ctx context.Context, places Places) error {
	for _, fields := range []map[string]string{
		{"target": "pdf", "from_page": "3", "to_page": "2"},
		{"target": "txt", "long_txt": "true"},
		{"target": "pdf"},
	} {
		var made struct{ ID, State string }
		if err := s.upload(ctx, "/conversions", fields, &made); err != nil {
			return err
		}
		for made.State == "waiting" || made.State == "running" {
			time.Sleep(100 * time.Millisecond)
			if err := s.call(ctx, http.MethodGet, "/conversions/"+made.ID, nil, &made); err != nil {
				return err
			}
		}
		places["conversions"] = "conversions/" + made.ID
	}
	return nil
}

// view opens the sample as two users, and asks for the history.
func (s *Scene) view(ctx context.Context, places Places) error {
	places["viewer"] = "viewer"
	var overview struct {
		Sample *struct {
			Gateway     string `json:"gateway"`
			FileID      string `json:"file_id"`
			Token       string `json:"token"`
			ReaderToken string `json:"reader_token"`
		}
	}
	if err := s.call(ctx, http.MethodGet, "/overview", nil, &overview); err != nil {
		return err
	}
	sample := overview.Sample
	if sample == nil {
		return nil
	}
	for _, user := range []struct{ name, token string }{{"Bob", sample.ReaderToken}, {"Ann", sample.Token}} {
		var made struct{ ID string }
		request := map[string]any{"gateway": sample.Gateway, "file_id": sample.FileID, "user": user.name, "token": user.token}
		if err := s.call(ctx, http.MethodPost, "/viewer/sessions", request, &made); err != nil {
			return err
		}
		path := "/viewer/sessions/" + made.ID
		if err := s.call(ctx, http.MethodPost, path+"/open", nil, nil); err != nil {
			return err
		}
		places["viewer"] = "viewer/" + made.ID
		if user.name == "Ann" {
			if err := s.call(ctx, http.MethodPost, path+"/history", nil, nil); err != nil {
				return err
			}
		}
		pages := struct{ State string }{"running"}
		for pages.State == "running" {
			time.Sleep(100 * time.Millisecond)
			if err := s.call(ctx, http.MethodGet, path+"/pages", nil, &pages); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask calls a token callback, which gets its tokens from the emulator.
func (s *Scene) ask(ctx context.Context, _ Places) error {
	const app, key = "dev-app", "dev-app-key"
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: s.URL + "/oauth2/token", Clients: map[string]token.Client{app: {ID: app, Secret: signing.NewSecret(key)}},
	})
	if err != nil {
		return err
	}
	h, err := token.NewHandler(token.Config{
		Auth: signing.Unsigned, Authorize: func(context.Context, token.Request) error { return nil }, Source: source,
	})
	if err != nil {
		return err
	}
	request := map[string]any{"url": s.serve(h), "file_id": "handbook", "token": "ann"}
	return s.call(ctx, http.MethodPost, "/plugin/calls", request, nil)
}

// sign sends a request whose Content-Type got a charset after it was signed.
func (s *Scene) sign(ctx context.Context, places Places) error {
	const body = `{"url":"https://files.example/report.docx","filename":"report.docx"}`
	date, digest := signing.FormatDate(time.Now()), signing.ContentMD5([]byte(body))
	sum := sha1.Sum([]byte("dev-app-key" + digest + signing.ContentType + date)) //nolint:gosec // It is the signature of the protocol.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/developer/v1/office/convert/to/pdf", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Date", date)
	req.Header.Set("Content-Md5", digest)
	req.Header.Set("Content-Type", signing.ContentType+"; charset=utf-8")
	req.Header.Set("Authorization", "SVC-2:dev-app:"+hex.EncodeToString(sum[:]))
	if err := do(req, nil); err != nil {
		return err
	}
	var found struct{ Items []struct{ ID string } }
	if err := s.call(ctx, http.MethodGet, "/exchanges?refused=true&area=conversion&limit=1", nil, &found); err != nil {
		return err
	}
	for _, item := range found.Items {
		places["requests"] = "requests/" + item.ID
	}
	return nil
}

// spoil switches one fault on.
func (s *Scene) spoil(ctx context.Context, _ Places) error {
	return s.call(ctx, http.MethodPut, "/faults/conversion", map[string]any{"kind": "limited", "times": 3}, nil)
}
