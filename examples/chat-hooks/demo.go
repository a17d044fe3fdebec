package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// delivery is what a sender posts.
type delivery struct {
	source, body string
	header       map[string]string
}

const secretOfDemo = "a secret of the demo"

// deliveries are one of each source, as they send them.
var deliveries = []delivery{
	{"github", `{
  "action": "published",
  "release": {"html_url": "https://github.example/acme/rocket/releases/tag/v1.4.0", "tag_name": "v1.4.0", "name": "Faster",
    "draft": false, "prerelease": false, "author": {"login": "ann"},
    "body": "## Changes\r\n\r\n* starts in **half** the time by @bob in [#12](/acme/rocket/pull/12)\r\n* <at user_id=\"-1\">all</at>, update now\r\n"},
  "repository": {"full_name": "acme/rocket"}, "sender": {"login": "ann"}
}`, map[string]string{"X-GitHub-Event": "release", "X-GitHub-Delivery": "72d3162e", "Content-Type": "application/json"}},
	{"gitlab", `{
  "object_kind": "release", "action": "create", "tag": "v2.0", "name": "v2.0", "description": "The **second** one.",
  "url": "https://gitlab.example/acme/lander/-/releases/v2.0",
  "project": {"path_with_namespace": "acme/lander"}, "commit": {"author": {"name": "Bob"}}
}`, map[string]string{"X-Gitlab-Event": "Release Hook", "Content-Type": "application/json"}},
	{"grafana", `{
  "receiver": "chat", "status": "firing", "title": "[FIRING:1, RESOLVED:1] Disk", "externalURL": "https://grafana.example/", "truncatedAlerts": 0,
  "alerts": [
    {"status": "firing", "labels": {"alertname": "Disk"}, "annotations": {"summary": "/var of web-1 is nearly full"},
     "startsAt": "2026-11-21T08:00:00Z", "endsAt": "0001-01-01T00:00:00Z", "values": {"A": 97.25},
     "panelURL": "https://grafana.example/d/disk?viewPanel=1"},
    {"status": "resolved", "labels": {"alertname": "Disk"}, "annotations": {},
     "startsAt": "2026-11-21T07:00:00Z", "endsAt": "2026-11-21T08:05:00Z", "values": null}
  ]
}`, map[string]string{"Content-Type": "application/json"}},
}

// request signs a delivery as its sender does.
func (d delivery) request(ctx context.Context, secret signing.Secret) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/"+d.source, strings.NewReader(d.body))
	if err != nil {
		return nil, err
	}
	for name, value := range d.header {
		req.Header.Set(name, value)
	}
	sign := func(text string) string {
		mac := hmac.New(sha256.New, []byte(secret.Reveal()))
		mac.Write([]byte(text))
		return hex.EncodeToString(mac.Sum(nil))
	}
	switch d.source {
	case "github":
		req.Header.Set("X-Hub-Signature-256", "sha256="+sign(d.body))
	case "gitlab":
		req.Header.Set("X-Gitlab-Token", secret.Reveal())
	case "grafana":
		at := strconv.FormatInt(time.Now().Unix(), 10)
		req.Header.Set("X-Grafana-Alerting-Timestamp", at)
		req.Header.Set("X-Grafana-Alerting-Signature", sign(at+":"+d.body))
	}
	return req, nil
}

// runDemo plays the senders and the chat, and shows what the group would see.
func runDemo(ctx context.Context, keywords []string, out io.Writer) error {
	chat := webhooktest.NewServer(nil)
	cfg := chat.Config(webhooktest.TestKey())
	cfg.Keywords = keywords
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		return err
	}
	secret := signing.NewSecret(secretOfDemo)
	h := newHooks(robot, map[string]signing.Secret{"github": secret, "gitlab": secret, "grafana": secret}, time.Minute, slog.New(slog.DiscardHandler))
	defer h.shutdown()
	client := webhooktest.HTTPClient(h)
	for i, d := range deliveries {
		req, err := d.request(ctx, secret)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		fmt.Fprintf(out, "--- %s delivers, and is answered %s. The group sees:\n\n", d.source, resp.Status)
		if sent := chat.Sent(); len(sent) > i {
			if m, ok := sent[i].Message.(webhook.Markdown); ok {
				fmt.Fprintf(out, "%s\n\n", m.Text)
			}
		}
	}
	return nil
}
