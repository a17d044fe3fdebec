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

// Register registers a callback URL, as the chat client does, if it answers a GET by
// {"result":"ok"} (protocol 4.4).
func (s *Server) Register(ctx context.Context, key signing.Secret, callbackURL string) error {
	return s.register(ctx, key, registered{callbackURL, s.opts.HTTPClient})
}

// RegisterHandler is Register for a [webhook.Receiver] in memory.
func (s *Server) RegisterHandler(ctx context.Context, key signing.Secret, h http.Handler) error {
	return s.register(ctx, key, registered{callbackURL, HTTPClient(h)})
}

func (s *Server) register(ctx context.Context, key signing.Secret, to registered) error {
	if u, err := url.Parse(to.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("webhooktest: register: the callback must be an absolute http or https URL")
	}
	robot := s.robot(key)
	if robot == nil {
		return errors.New("webhooktest: register: no robot has this key")
	}
	if err := to.call(ctx, http.MethodGet, nil); err != nil {
		return fmt.Errorf("webhooktest: register: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	robot.callback = to
	return nil
}

// Mention delivers e to the callback URL of e.RobotKey, in a chunked body, as the service
// does (public reference 6.2). It fails if no URL is registered, or the answer is not
// {"result":"ok"}.
//
// Fields of e that are zero are filled in: the robot is that of [TestKey], CTime the
// second of the server's clock. To a Receiver two equal events are one.
func (s *Server) Mention(ctx context.Context, e webhook.Event) error {
	if e.RobotKey.IsZero() {
		e.RobotKey = TestKey()
	}
	s.mu.Lock()
	var to registered
	if robot := s.robots[e.RobotKey.Reveal()]; robot != nil {
		to = robot.callback
	}
	s.mu.Unlock()
	if to.url == "" {
		return errors.New("webhooktest: mention: the robot has no callback URL: Register one")
	}
	payload := map[string]any{ // protocol 2.10
		"chatid": cmp.Or(e.ChatID, 1001), "creator": cmp.Or(e.SenderID, 2001), "content": cmp.Or(e.Content, "@robot hello"),
		"robot_key": e.RobotKey.Reveal(), "url": cmp.Or(e.URL, to.url), "ctime": cmp.Or(e.CTime, s.opts.Now().Unix()),
	}
	if e.Reply != nil {
		payload["reply"] = map[string]any{"reply_content": e.Reply.Content, "reply_creator": e.Reply.SenderID}
	}
	body, _ := json.Marshal(payload) // numbers and strings always encode
	if err := to.call(ctx, http.MethodPost, struct{ io.Reader }{bytes.NewReader(body)}); err != nil {
		return fmt.Errorf("webhooktest: mention: %w", err)
	}
	return nil
}

// registered is a callback URL, and who calls it.
type registered struct {
	url    string
	client *http.Client
}

// call expects {"result":"ok"} in answer.
func (to registered) call(ctx context.Context, method string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, method, to.url, body)
	if err != nil {
		return errors.New("the callback is not a URL")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := to.client.Do(req)
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
