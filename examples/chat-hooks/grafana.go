package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
)

// tolerance is how old a signature with a time may be.
const tolerance = 5 * time.Minute

// verifyGrafana checks the HMAC of the body, of time and body if the contact point names
// a header for the time, or else the bearer token.
func verifyGrafana(secret signing.Secret, h http.Header, body []byte) bool {
	if token, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer "); ok {
		return secret.Equal(signing.NewSecret(token))
	}
	sum, at := h.Get("X-Grafana-Alerting-Signature"), h.Get("X-Grafana-Alerting-Timestamp")
	if at == "" {
		return sameMAC(secret, sum, body)
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	return err == nil && time.Since(time.Unix(seconds, 0)).Abs() <= tolerance && sameMAC(secret, sum, []byte(at+":"), body)
}

// grafanaAlert is an alert, as the contact point sends it.
type grafanaAlert struct {
	Status       string // firing or resolved
	Labels       map[string]string
	Annotations  map[string]string
	StartsAt     time.Time
	EndsAt       time.Time
	Values       map[string]float64
	PanelURL     string
	DashboardURL string
	GeneratorURL string
}

// readGrafana makes a message of a group of alerts.
func readGrafana(_ http.Header, body []byte) (message, error) {
	var in struct {
		Title           string
		ExternalURL     string
		TruncatedAlerts int
		Alerts          []grafanaAlert
	}
	if err := decode(body, &in); err != nil {
		return message{}, err
	}
	if len(in.Alerts) == 0 {
		return message{}, errors.New("not a notification of Grafana: it has no alerts")
	}
	title, color := cmp.Or(in.Title, "Grafana"), "#2e7d32"
	items := make([]any, len(in.Alerts))
	for i, a := range in.Alerts {
		if a.Status == "firing" {
			color = "#c62828"
		}
		items[i] = a.item()
	}
	var b markdown.Builder
	b.Heading(3, markdown.Color(color, title))
	b.List(items...)
	if in.TruncatedAlerts > 0 {
		b.Paragraph(fmt.Sprintf("%d more alerts were left out by Grafana.", in.TruncatedAlerts))
	}
	b.Paragraph(linked("Grafana", in.ExternalURL))
	return message{title, b.String()}, nil
}

// item is one alert: what it is about, its values, since when.
func (a grafanaAlert) item() markdown.Inline {
	text := cmp.Or(a.Annotations["summary"], a.Annotations["description"], a.Labels["alertname"], "an alert")
	const clock = "2006-01-02 15:04 MST"
	parts := []any{linked(text, cmp.Or(a.PanelURL, a.DashboardURL, a.GeneratorURL))}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		values = append(values, name+" = "+strconv.FormatFloat(a.Values[name], 'g', 6, 64))
	}
	if len(values) > 0 {
		parts = append(parts, " ("+strings.Join(values, ", ")+")")
	}
	switch {
	case a.Status == "resolved" && !a.EndsAt.IsZero():
		parts = append(parts, ", resolved at "+a.EndsAt.Format(clock))
	case !a.StartsAt.IsZero():
		parts = append(parts, ", since "+a.StartsAt.Format(clock))
	}
	return markdown.Join(parts...)
}

// linked is text, with a link if there is a URL.
func linked(text, url string) markdown.Inline {
	if url == "" {
		return markdown.Join(text)
	}
	return markdown.Link(text, url)
}
