package webhooktest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// Register registers a callback URL, as the chat client does: it sends a GET there, and
// takes the URL if the answer is {"result":"ok"} (protocol 4.4).
func (s *Server) Register(ctx context.Context, key signing.Secret, callbackURL string) error {
	return s.register(ctx, key, callbackURL, nil)
}

// RegisterHandler is Register for a [webhook.Receiver], which it calls in memory.
func (s *Server) RegisterHandler(ctx context.Context, key signing.Secret, h http.Handler) error {
	return s.register(ctx, key, callbackURL, HTTPClient(h))
}

func (s *Server) register(ctx context.Context, key signing.Secret, callbackURL string, client *http.Client) error {
	if u, err := url.Parse(callbackURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("webhooktest: register: the callback must be an absolute http or https URL")
	}
	s.mu.Lock()
	robot := s.robots[key.Reveal()]
	s.mu.Unlock()
	if robot == nil {
		return errors.New("webhooktest: register: no robot has this key")
	}
	if err := s.call(ctx, client, http.MethodGet, callbackURL, nil); err != nil {
		return fmt.Errorf("webhooktest: register: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	robot.callback, robot.client = callbackURL, client
	return nil
}

// payload is what a callback carries (protocol 2.10).
type payload struct {
	ChatID   int64         `json:"chatid"`
	Creator  int64         `json:"creator"`
	Content  string        `json:"content"`
	Reply    *replyPayload `json:"reply,omitempty"`
	RobotKey string        `json:"robot_key"`
	URL      string        `json:"url"`
	CTime    int64         `json:"ctime"`
}

type replyPayload struct {
	Content string `json:"reply_content"`
	Creator int64  `json:"reply_creator"`
}

// Mention delivers e to the callback URL of e.RobotKey, in a chunked body, as
// the service does (public reference 6.2). It fails if no URL is registered, or the
// answer is not {"result":"ok"}.
//
// Fields of e that are zero are filled in: the robot is that of [TestKey], CTime the
// second of the server's clock. A Receiver takes two events that do not differ for one
// that is delivered twice.
func (s *Server) Mention(ctx context.Context, e webhook.Event) error {
	if e.RobotKey.IsZero() {
		e.RobotKey = TestKey()
	}
	s.mu.Lock()
	var to robot
	if robot := s.robots[e.RobotKey.Reveal()]; robot != nil {
		to = *robot
	}
	s.mu.Unlock()
	if to.callback == "" {
		return errors.New("webhooktest: mention: the robot has no callback URL: Register one")
	}
	p := payload{
		ChatID: cmp.Or(e.ChatID, 1001), Creator: cmp.Or(e.SenderID, 2001), Content: cmp.Or(e.Content, "@robot hello"),
		RobotKey: e.RobotKey.Reveal(), URL: cmp.Or(e.URL, to.callback), CTime: cmp.Or(e.CTime, s.opts.Now().Unix()),
	}
	if e.Reply != nil {
		p.Reply = &replyPayload{Content: e.Reply.Content, Creator: e.Reply.SenderID}
	}
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("webhooktest: mention: %w", err)
	}
	if err := s.call(ctx, to.client, http.MethodPost, to.callback, body); err != nil {
		return fmt.Errorf("webhooktest: mention: %w", err)
	}
	return nil
}

// call expects {"result":"ok"} in answer.
func (s *Server) call(ctx context.Context, client *http.Client, method, address string, body []byte) error {
	var reader io.Reader
	if body != nil {
		reader = struct{ io.Reader }{bytes.NewReader(body)} // whose length net/http does not know
	}
	req, err := http.NewRequestWithContext(ctx, method, address, reader)
	if err != nil {
		return errors.New("the callback is not a URL")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := cmp.Or(client, s.opts.HTTPClient).Do(req)
	if err != nil {
		return redact.Error(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return redact.Error(err)
	}
	var got struct {
		Result string `json:"result"`
	}
	if err := json.Unmarshal(text, &got); err != nil || resp.StatusCode != http.StatusOK || got.Result != "ok" {
		const most = 200
		return fmt.Errorf(`the callback must answer 200 and {"result":"ok"} (protocol 4.4), and answered %d and %q`, resp.StatusCode, text[:min(len(text), most)])
	}
	return nil
}
