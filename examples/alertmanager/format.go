package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
)

// notification is what Alertmanager posts to a webhook, version 4. Its own Go types
// need a newer Go than this module does.
type notification struct {
	GroupKey     string            `json:"groupKey"`
	Truncated    int               `json:"truncatedAlerts"`
	Status       string            `json:"status"` // firing or resolved
	Receiver     string            `json:"receiver"`
	GroupLabels  map[string]string `json:"groupLabels"`
	CommonLabels map[string]string `json:"commonLabels"`
	ExternalURL  string            `json:"externalURL"`
	Alerts       []alert           `json:"alerts"`
}

type alert struct {
	Status       string            `json:"status"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
}

// format is how a notification reads in the chat.
type format struct {
	keyword string // begins every message
	mention string // severity whose alerts mention everyone
}

// label begins each piece of a long message.
func (f format) label(i, n int) string {
	return strings.TrimSpace(fmt.Sprintf("%s Alerts %d/%d", f.keyword, i, n)) + "\n\n"
}

// message writes a notification. What labels and annotations say is text of others,
// which the builder makes inert.
func (f format) message(n notification) string {
	firing, resolved := n.withStatus("firing"), n.withStatus("resolved")
	name := n.CommonLabels["alertname"]
	if name == "" {
		name = n.Receiver
	}
	var b markdown.Builder
	if f.keyword != "" {
		b.Paragraph(markdown.Raw(f.keyword)) // as the robot's creator wrote it
	}
	title := markdown.Color("#2e7d32", "RESOLVED")
	if len(firing) > 0 {
		title = markdown.Color("#c62828", fmt.Sprintf("FIRING %d", len(firing)))
	}
	b.Heading(3, title, " ", name)
	if f.mention != "" && slices.ContainsFunc(firing, func(a alert) bool { return a.Labels["severity"] == f.mention }) {
		b.Paragraph(markdown.MentionAll(""))
	}
	if labels := pairs(n.GroupLabels, nil); labels != "" {
		b.Quote(labels)
	}
	f.section(&b, "Firing", firing, n.CommonLabels)
	f.section(&b, "Resolved", resolved, n.CommonLabels)
	if n.Truncated > 0 {
		b.Paragraph(fmt.Sprintf("%d more alerts were left out by Alertmanager.", n.Truncated))
	}
	if n.ExternalURL != "" {
		b.Paragraph(markdown.Link("Alertmanager", n.ExternalURL))
	}
	return b.String()
}

func (n notification) withStatus(status string) []alert {
	var found []alert
	for _, a := range n.Alerts {
		if a.Status == status {
			found = append(found, a)
		}
	}
	return found
}

func (f format) section(b *markdown.Builder, title string, alerts []alert, common map[string]string) {
	if len(alerts) == 0 {
		return
	}
	b.Paragraph(markdown.Bold(title))
	items := make([]any, len(alerts))
	for i, a := range alerts {
		items[i] = a.item(common)
	}
	b.List(items...)
}

// maxLink bounds text and URL of a link, in bytes: one that is longer than a message
// cannot be posted.
const maxLink = 2000

// item is one alert: what it is about, where it differs from the others, since when.
func (a alert) item(common map[string]string) markdown.Inline {
	text := a.Annotations["summary"]
	if text == "" {
		text = a.Annotations["description"]
	}
	if text == "" {
		text = a.Labels["alertname"]
	}
	parts := []any{text}
	if a.GeneratorURL != "" && len(text)+len(a.GeneratorURL) <= maxLink {
		parts = []any{markdown.Link(text, a.GeneratorURL)}
	}
	if own := pairs(a.Labels, common); own != "" {
		parts = append(parts, " (", own, ")")
	}
	const clock = "2006-01-02 15:04 MST"
	if a.Status == "resolved" && !a.EndsAt.IsZero() {
		parts = append(parts, " until ", a.EndsAt.Format(clock))
	} else if !a.StartsAt.IsZero() {
		parts = append(parts, " since ", a.StartsAt.Format(clock))
	}
	return markdown.Join(parts...)
}

// pairs writes labels in order, without those that are in except too.
func pairs(labels, except map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if _, known := except[name]; !known {
			out = append(out, name+"="+labels[name])
		}
	}
	return strings.Join(out, ", ")
}
