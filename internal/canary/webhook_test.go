package canary_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/canary"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooklog"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

var (
	robotKey    = canary.Secret("robot key")
	robotSecret = canary.Secret("signing secret")
	robotQuery  = "?from=" + canary.Secret("query") + "&key=" + url.QueryEscape(robotKey)
)

// robotAt is the configuration of a robot whose address begins with base.
func robotAt(cage *canary.Cage, base string) webhook.Config {
	return webhook.Config{
		URL:           signing.NewSecret(base + webhook.SendPath + robotQuery),
		SigningSecret: signing.NewSecret(robotSecret),
		Logger:        cage.Logger,
		Observe:       observeInto(cage),
	}
}

// observeInto shows the cage everything that an Observer is told.
func observeInto(cage *canary.Cage) weboffice.Observer {
	return func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
		cage.Value("operation", op)
		return ctx, func(end weboffice.Outcome) { cage.Value("outcome", end) }
	}
}

// keyError panics as a nil pointer.
type keyError struct{ key string }

func (e *keyError) Error() string { return e.key }

// robotFails posts with cfg, and expects an error that shows no secret.
func robotFails(t *testing.T, cage *canary.Cage, cfg webhook.Config) {
	t.Helper()
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cage.Value("config", cfg)
	cage.Value("robot", robot)
	cage.Value("robot's value", *robot)
	cage.Error("Send", robot.Send(ctx, webhook.Text{Content: "hi"}))
	sent, err := robot.SendAll(ctx, webhook.Text{Content: "hi"}, webhook.Text{Content: "ho"})
	if sent != 0 {
		t.Errorf("SendAll sent %d messages", sent)
	}
	cage.Error("SendAll", err)
	ended, end := context.WithCancelCause(ctx)
	end(errors.New("stopped posting to " + robotKey))
	cage.Error("Send after the end", robot.Send(ended, webhook.Text{Content: "hi"}))
	var answered *webhook.APIError
	if errors.As(err, &answered) {
		cage.Value("fields", fmt.Sprintf("%+v %s", *answered, answered.Body))
	}
}

// A server may answer anything, its own request included.
func TestWebhookAnswers(t *testing.T) {
	t.Parallel()
	echo := func(r *http.Request) string {
		body, _ := io.ReadAll(r.Body)
		return fmt.Sprintf("%s %s %v %s %q %x", r.URL, r.RequestURI, r.Header, robotSecret, robotKey, "") + string(body)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"400": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", robotKey)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"result":%q,"msg":%q,"code":%q}`, robotKey, echo(r), robotSecret)
		},
		"429": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = fmt.Fprintf(w, `{"result":"TooMany","msg":%q}`, echo(r))
		},
		"500 as text": func(w http.ResponseWriter, r *http.Request) { http.Error(w, echo(r), http.StatusInternalServerError) },
		"HTML": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "<html><a href='"+r.URL.String()+"'>"+echo(r)+"</a></html>")
		},
		"huge": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat(echo(r), 20000))
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example.com"+r.URL.String(), http.StatusTemporaryRedirect)
		},
		"redirect to nowhere": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://%zz/"+r.URL.RawQuery)
			w.WriteHeader(http.StatusFound)
		},
		"empty":      func(http.ResponseWriter, *http.Request) {},
		"broken off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"not as long as it says": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, echo(r))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cage := canary.New(t)
			cfg := robotAt(cage, "https://chat.example.com")
			cfg.HTTPClient, cfg.Attempts = memhttp.Client(answer), 1
			robotFails(t, cage, cfg)
		})
	}
}

// The network fails in its own words, which repeat addresses.
func TestWebhookNetwork(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, change := range map[string]func(*webhook.Config) (base string){
		"refused":      func(*webhook.Config) string { return closed.URL },
		"no such host": func(*webhook.Config) string { return "https://nowhere.invalid" },
		"TLS":          func(*webhook.Config) string { return secure.URL },
		"not TLS":      func(*webhook.Config) string { return strings.Replace(hanging.URL, "http:", "https:", 1) },
		"time-out": func(cfg *webhook.Config) string {
			cfg.HTTPClient = &http.Client{Timeout: 20 * time.Millisecond}
			return hanging.URL
		},
		"odd transport": func(cfg *webhook.Config) string {
			cfg.HTTPClient = &http.Client{Transport: chatty{}}
			return "https://chat.example.com"
		},
		"proxy": func(cfg *webhook.Config) string {
			cfg.HTTPClient = &http.Client{Transport: &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
				return nil, errors.New("no proxy for " + r.URL.String())
			}}}
			return "https://chat.example.com"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cage := canary.New(t)
			cfg := robotAt(cage, "")
			cfg.URL = signing.NewSecret(change(&cfg) + webhook.SendPath + robotQuery)
			if cfg.HTTPClient == nil {
				cfg.HTTPClient = &http.Client{Timeout: 5 * time.Second}
			}
			robotFails(t, cage, cfg)
		})
	}
}

// chatty is a transport that says all it knows.
type chatty struct{}

func (chatty) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("posting to %s with %v", r.URL, r.Header)}
}

// What goes wrong before the message is posted.
func TestWebhookNotSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*webhook.Config){
		"limiter": func(cfg *webhook.Config) {
			cfg.Limiter = webhook.LimiterFunc(func(context.Context) error { return errors.New("no slot for " + robotKey) })
		},
		"too long":   func(cfg *webhook.Config) { cfg.MaxLength = 1 },
		"no keyword": func(cfg *webhook.Config) { cfg.Keywords = []string{"alert"} },
		"no place": func(cfg *webhook.Config) {
			w := webhook.NewWindow(1, time.Minute)
			w.Allow()
			cfg.Limiter = w
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cage := canary.New(t)
			cfg := robotAt(cage, "https://chat.example.com")
			cfg.HTTPClient = memhttp.Client(http.NotFoundHandler())
			change(&cfg)
			robotFails(t, cage, cfg)
		})
	}
}

// An address that cannot be used is not repeated, whatever is wrong with it.
func TestWebhookAddresses(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	for _, address := range []string{
		robotKey,
		"https://chat.example.com/" + robotKey,
		"https://chat.example.com/?token=" + robotKey,
		"https://chat.example.com/?key=" + robotKey,
		"https://chat.example.com" + webhook.SendPath + "?key=" + robotKey + "%0A",
		"http://chat.example.com" + webhook.SendPath + "?key=" + robotKey,
		"https://chat.example.com/?key=" + robotKey + "&key=" + robotKey,
		"https://chat.example.com/?key=" + robotKey + "%zz",
		"https://" + robotKey + "@chat.example.com/?key=" + robotKey,
		"https://chat.example.com:" + robotKey + "/?key=" + robotKey,
		"https://chat.example.com/\x7f?key=" + robotKey,
		"mailto:" + robotKey,
		"https://chat.example.com" + webhook.SendPath + "?key=a:" + robotKey,
	} {
		_, err := webhook.NewRobot(webhook.Config{URL: signing.NewSecret(address), SigningSecret: signing.NewSecret(robotSecret), Logger: cage.Logger})
		cage.Error("NewRobot", err)
	}
}

// A Receiver neither answers nor logs a key, whoever fails.
func TestWebhookReceiver(t *testing.T) {
	t.Parallel()
	body := func(key string) string {
		return fmt.Sprintf(`{"robot_key":%q,"content":%q,"url":%q}`, key, canary.Secret("content"), "https://h/"+robotQuery)
	}
	lookup := func(_ context.Context, key signing.Secret) (string, bool, error) {
		return "", false, errors.New("no robot " + key.Reveal())
	}
	fails := map[string]func(e webhook.Event) error{
		"error":          func(e webhook.Event) error { return errors.New("robot " + e.RobotKey.Reveal() + " is unknown") },
		"joined errors":  func(e webhook.Event) error { return errors.Join(fmt.Errorf("robot %q", e.RobotKey.Reveal())) },
		"url error":      func(e webhook.Event) error { return &url.Error{Op: "Post", URL: e.URL, Err: errors.New("x")} },
		"panic":          func(e webhook.Event) error { panic("robot " + e.RobotKey.Reveal()) },
		"panic by error": func(e webhook.Event) error { panic(errors.New(e.Content)) },
		"typed nil":      func(webhook.Event) error { var e *keyError; return e },
	}
	for name, fail := range fails {
		for _, background := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s with %d", name, background), func(t *testing.T) {
				t.Parallel()
				cage := canary.New(t)
				r, err := webhook.NewReceiver(webhook.ReceiverConfig{
					Handle:    func(_ context.Context, e webhook.Event) error { return fail(e) },
					RobotKeys: []signing.Secret{signing.NewSecret(robotKey)}, Background: background, Logger: cage.Logger,
					Lookup: lookup, Observe: observeInto(cage), Names: []string{"alerts"},
				})
				if err != nil {
					t.Fatal(err)
				}
				cage.Value("receiver", r)
				for _, sent := range []string{body(robotKey), body(robotKey + "x"), body(robotKey)[:80], robotKey} {
					w := httptest.NewRecorder()
					r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/"+robotQuery, strings.NewReader(sent)))
					cage.Text("answer", w.Body.String())
				}
				if err := r.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if !strings.Contains(cage.Logged(), "handle event") {
					t.Error("no failure was logged")
				}
			})
		}
	}
}

// Events, configurations and errors about messages print no secret and no text.
func TestWebhookValues(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	cage.Value("receiver config", webhook.ReceiverConfig{RobotKeys: []signing.Secret{signing.NewSecret(robotKey)}})
	e := webhook.Event{RobotKey: signing.NewSecret(robotKey)}
	cage.Value("event", e)
	cage.Text("event's id", e.ID())
	text := canary.Secret("text") + strings.Repeat("x", webhook.MaxMessageLength)
	for _, m := range []webhook.Message{
		webhook.Text{Content: text},
		webhook.Link{Title: "t", Text: text, URL: "/" + canary.Secret("link")},
		webhook.Card{I18n: map[string]webhook.CardFace{"no locale " + canary.Secret("text"): {}}},
		webhook.Raw{Body: []byte(canary.Secret("text"))},
	} {
		_, err := webhook.Encode(m)
		cage.Error("Encode", err)
	}
	_, err := webhook.Split(webhook.Text{Content: `<at user_id="1">` + text + `</at>`}, nil)
	cage.Error("Split", err)
	_, err = webhook.Decode([]byte(`{"` + text))
	cage.Error("Decode", err)
}

// The other side keeps what it was sent, and shows no key of it either.
func TestWebhooktestValues(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	key := signing.NewSecret(canary.Secret("fake robot key"))
	s := webhooktest.NewServer(&webhooktest.Options{Logger: cage.Logger})
	robot := webhooktest.Robot{Key: key, SigningSecret: signing.NewSecret(canary.Secret("fake signing secret"))}
	if err := s.Add(robot); err != nil {
		t.Fatal(err)
	}
	r, err := webhook.NewRobot(s.Config(key))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Send(t.Context(), webhook.Text{Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 1 || len(sent[0].Header.Values("Authorization")) != 1 {
		t.Fatalf("Sent() = %v, want one signed message", sent)
	}
	for what, v := range map[string]any{"server": s, "sent": sent, "one sent": sent[0], "robot": robot, "config": s.Config(key)} {
		cage.Value(what, v)
	}
}

// The log handler posts no secret that a record holds as one, and its errors have
// none of the robot.
func TestWebhooklog(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	cfg := robotAt(cage, "https://chat.example.com")
	cfg.HTTPClient = memhttp.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		cage.Text("message", string(body))
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"result":"x","msg":%q}`, r.URL.String())
	}))
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := webhooklog.New(robot, &webhooklog.Options{OnError: func(err error) { cage.Error("OnError", err) }})
	slog.New(h).Error("failed", "key", robot.Key(), "config", cfg)
	cage.Value("handler", h)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	cage.Error("Shutdown", h.Shutdown(ctx))
}
