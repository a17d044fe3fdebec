package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

const address = "https://chat.example.com/im" + webhook.SendPath + "?key=robot-key"

// at returns the configuration of a robot whose calls go to h.
func at(h http.HandlerFunc) webhook.Config {
	return webhook.Config{URL: signing.NewSecret(address), HTTPClient: memhttp.Client(h), Limiter: free}
}

// free is a Limiter that limits nothing.
var free = webhook.LimiterFunc(func(ctx context.Context) error { return ctx.Err() })

func newRobot(t *testing.T, cfg webhook.Config) *webhook.Robot {
	t.Helper()
	r, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// All that is wrong is reported at once, and nothing that is secret.
func TestNewRobotReportsEverything(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  webhook.Config
		want []string
	}{
		{"nothing", webhook.Config{}, []string{"URL"}},
		{
			"everything",
			webhook.Config{
				URL:      signing.NewSecret("https://h/send?SECRET"),
				Keywords: append(slices.Repeat([]string{"k"}, webhook.MaxKeywords), " "), MaxLength: -1, Attempts: -1,
			},
			[]string{"URL", "Keywords", "Keywords[10]", "MaxLength", "Attempts"},
		},
		{"a limiter without a function", webhook.Config{URL: signing.NewSecret(address), Limiter: webhook.LimiterFunc(nil)}, []string{"Limiter"}},
		{"a limiter without a window", webhook.Config{URL: signing.NewSecret(address), Limiter: (*webhook.Window)(nil)}, []string{"Limiter"}},
		{
			"a key that cannot sign",
			webhook.Config{URL: signing.NewSecret("https://h" + webhook.SendPath + "?key=SECRET:SECRET"), SigningSecret: signing.NewSecret("SECRET")},
			[]string{"SigningSecret"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := webhook.NewRobot(tt.cfg)
			if diff := cmp.Diff(tt.want, fields(err)); diff != "" {
				t.Errorf("fields of %v (-want +got):\n%s", err, diff)
			}
			if err != nil && strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %q holds a secret", err)
			}
		})
	}
}

// Protocol 4.4: a POST to the address, path prefix and key included, and no more.
func TestSendRequest(t *testing.T) {
	t.Parallel()
	var got *http.Request
	cfg := at(func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = w.Write([]byte(`{"result":"ok"}`))
	})
	cfg.URL = signing.NewSecret(strings.Replace(address, "?", "?from=copy&", 1) + "#top")
	if err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	if got.Method != http.MethodPost || got.RequestURI != "/im"+webhook.SendPath+"?key=robot-key" || got.Host != "chat.example.com" {
		t.Errorf("request = %s %s %s", got.Method, got.Host, got.RequestURI)
	}
	if got.Header.Get("Content-Type") != signing.ContentType || got.Header.Get("Authorization") != "" {
		t.Errorf("header = %v, want the Content-Type alone, unsigned", got.Header)
	}
	if want := int64(len(`{"msgtype":"text","text":{"content":"hi"}}`)); got.ContentLength != want {
		t.Errorf("Content-Length = %d, want %d", got.ContentLength, want)
	}
}

// The caller's slices and client are copied.
func TestNewRobotCopies(t *testing.T) {
	t.Parallel()
	cfg := at(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"result":"ok"}`)) })
	cfg.Keywords = []string{"alert"}
	transport := &cfg.HTTPClient.Transport
	before := fmt.Sprintf("%T", *transport)
	r := newRobot(t, cfg)
	cfg.Keywords[0] = "other"
	cfg.HTTPClient.Timeout = time.Nanosecond
	if err := r.Send(t.Context(), webhook.Text{Content: "alert"}); err != nil {
		t.Error(err)
	}
	if fmt.Sprintf("%T", *transport) != before {
		t.Error("the caller's client was changed")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	cfg := at(nil)
	cfg.Keywords, cfg.MaxLength = []string{"alert", "告警"}, 10
	r := newRobot(t, cfg)
	tests := []struct {
		name string
		m    webhook.Message
		want []string
	}{
		{"second keyword", webhook.Text{Content: "a告警b"}, nil},
		{"in the title of a link", webhook.Link{Title: "alert", Text: "x"}, nil},
		{"in a card in another language", webhook.Card{
			Header: webhook.CardHeader{Title: plain("t")}, Elements: []webhook.CardText{plain("e")},
			I18n: map[string]webhook.CardFace{"zh-TW": {Header: webhook.CardHeader{Title: plain("t")}, Elements: []webhook.CardText{plain("告警")}}},
		}, nil},
		{"in a raw", webhook.Raw{Body: []byte(`{"msgtype":"x","x":{"y":["alert"]}}`)}, nil},
		{"not in the msgtype of a raw", webhook.Raw{Body: []byte(`{"msgtype":"alert"}`)}, []string{"Body"}},
		{"in another case", webhook.Text{Content: "ALERT"}, []string{"Content"}},
		{"none, and too long", webhook.Markdown{Text: "01234567890"}, []string{"Text", "Text"}},
		{"no text", webhook.Text{}, []string{"Content"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := r.Check(tt.m)
			if diff := cmp.Diff(tt.want, fields(err)); diff != "" {
				t.Errorf("fields of %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// The mistakes that people make with a webhook URL are named.
func TestNewRobotNamesTheMistake(t *testing.T) {
	t.Parallel()
	const good = "https://chat.example.com" + webhook.SendPath + "?key="
	for _, tt := range []struct {
		url, secret string
		field, want string
	}{
		{"https://chat.example.com/?key=k", "", "URL", webhook.SendPath},
		{"https://chat.example.com" + webhook.SendPath + "/?key=k", "", "URL", webhook.SendPath},
		{good + "k%0A", "", "URL", "white space"},
		{good + "k", "secret\n", "SigningSecret", "white space"},
		{"http://chat.example.com" + webhook.SendPath + "?key=k", "", "URL", "AllowInsecureHTTP"},
		{"http://10.0.0.1" + webhook.SendPath + "?key=k", "", "URL", "AllowInsecureHTTP"},
	} {
		cfg := webhook.Config{URL: signing.NewSecret(tt.url), SigningSecret: signing.NewSecret(tt.secret)}
		_, err := webhook.NewRobot(cfg)
		if got := fields(err); len(got) != 1 || got[0] != tt.field || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NewRobot with %q and %q = %v, want %s and %q", tt.url, tt.secret, err, tt.field, tt.want)
		}
		cfg.AllowInsecureHTTP = true
		if _, err := webhook.NewRobot(cfg); (err == nil) != (tt.want == "AllowInsecureHTTP") {
			t.Errorf("NewRobot with %q and AllowInsecureHTTP = %v", tt.url, err)
		}
	}
	for _, host := range []string{"127.0.0.1:8080", "localhost", "[::1]:80"} {
		if _, err := webhook.NewRobot(webhook.Config{URL: signing.NewSecret("http://" + host + webhook.SendPath + "?key=k")}); err != nil {
			t.Errorf("NewRobot at %s: %v", host, err)
		}
	}
}
