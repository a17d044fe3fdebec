package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// example is a notification as Alertmanager sends it.
const example = `{
  "version": "4", "groupKey": "{}:{alertname=\"DiskFull\"}", "truncatedAlerts": 0,
  "status": "firing", "receiver": "chat",
  "groupLabels": {"alertname": "DiskFull"},
  "commonLabels": {"alertname": "DiskFull", "severity": "critical"},
  "commonAnnotations": {}, "externalURL": "https://alerts.example",
  "alerts": [
    {"status": "firing", "labels": {"alertname": "DiskFull", "severity": "critical", "instance": "web-1"},
     "annotations": {"summary": "/var is 97% full <at user_id=\"-1\">all</at>"},
     "startsAt": "2026-11-21T08:00:00Z", "endsAt": "0001-01-01T00:00:00Z",
     "generatorURL": "https://prometheus.example/graph?g0.expr=disk"},
    {"status": "resolved", "labels": {"alertname": "DiskFull", "severity": "critical", "instance": "web-2"},
     "annotations": {"summary": "/var is 91% full"},
     "startsAt": "2026-11-21T07:00:00Z", "endsAt": "2026-11-21T08:05:00Z", "generatorURL": ""}
  ]
}`

// runDemo plays Alertmanager and the chat, and shows what the group would see.
func runDemo(ctx context.Context, f format, out io.Writer) error {
	chat := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(chat.Config(webhooktest.TestKey()))
	if err != nil {
		return err
	}
	b := newHandler(robot, f, 20*time.Second, slog.New(slog.DiscardHandler))
	defer b.shutdown()
	client := webhooktest.HTTPClient(b)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/alerts", strings.NewReader(example))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	fmt.Fprintf(out, "Alertmanager's notification was answered: %s\nThe group sees:\n\n", resp.Status)
	for _, sent := range chat.Sent() {
		if m, ok := sent.Message.(webhook.Markdown); ok {
			fmt.Fprintln(out, m.Text)
		}
	}
	return nil
}
