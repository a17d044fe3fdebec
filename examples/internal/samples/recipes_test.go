package samples_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdaurl"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// notifier is a robot as a Notifier of github.com/nikoksr/notify.
type notifier struct{ robot *webhook.Robot }

// Send posts a message that is written in Markdown.
func (n notifier) Send(ctx context.Context, subject, message string) error {
	var b markdown.Builder
	b.Heading(3, subject)
	b.Paragraph(markdown.Raw(commonmark.Convert(message, nil))) // which cannot mention anyone
	_, err := n.robot.SendLong(ctx, webhook.Markdown{Text: b.String()}, nil)
	return err
}

func TestNotifier(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(chat.Config(webhooktest.TestKey()))
	if err != nil {
		t.Fatal(err)
	}
	var n interface { // that of notify v1.3.0
		Send(ctx context.Context, subject, message string) error
	} = notifier{robot}
	if err := n.Send(t.Context(), "Backup", "It took **12** minutes."); err != nil {
		t.Fatal(err)
	}
	if m, ok := chat.Sent()[0].Message.(webhook.Markdown); !ok || m.Text != "### Backup\n\nIt took **12** minutes." {
		t.Errorf("the group sees %v", chat.Sent()[0])
	}
	chat.Remove(webhooktest.TestKey())
	if err := n.Send(t.Context(), "Backup", "again"); err == nil {
		t.Error("an unknown robot: no error")
	}
}

// serve answers as a function of AWS Lambda, or at the port that Cloud Run, Knative and
// their like choose, until they send SIGTERM.
func serve(ctx context.Context, handler http.Handler) error {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		lambdaurl.Start(handler) // for a function URL with the invoke mode RESPONSE_STREAM
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Addr: ":" + cmp.Or(os.Getenv("PORT"), "8080"), Handler: handler, ReadHeaderTimeout: 10 * time.Second,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 9*time.Second) // of ten
	defer cancel()
	return server.Shutdown(ctx)
}

func TestServe(t *testing.T) {
	t.Setenv("PORT", "0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(ctx, http.NotFoundHandler()); err != nil {
		t.Errorf("serve that is ended = %v", err)
	}
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	if address, ok := taken.Addr().(*net.TCPAddr); ok {
		t.Setenv("PORT", strconv.Itoa(address.Port))
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute) // should PORT be passed over
	defer cancel()
	if err := serve(ctx, http.NotFoundHandler()); err == nil {
		t.Error("serve on a port that is taken: no error")
	}
}

// What the service signed is verified after it was an event of AWS Lambda.
func TestSignedEvents(t *testing.T) {
	t.Parallel()
	app := signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key"))
	signer, err := signing.NewSigner(app)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{app}})
	if err != nil {
		t.Fatal(err)
	}
	function := lambdaurl.Wrap(verifier.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}), nil))
	const target = "/v3/3rd/users?user_ids=ann&user_ids=bob%2Fcid"
	for name, tt := range map[string]struct {
		method, body, arrives string
		encoded               bool
		status                int
	}{
		"no body":       {http.MethodGet, "", "", false, http.StatusOK},
		"body":          {http.MethodPost, `{"name":"plan"}`, `{"name":"plan"}`, false, http.StatusOK},
		"encoded body":  {http.MethodPost, `{"name":"plan"}`, `{"name":"plan"}`, true, http.StatusOK},
		"changed body":  {http.MethodPost, `{"name":"plan"}`, `{"name":"plot"}`, false, http.StatusUnauthorized},
		"encoded, also": {http.MethodPost, `{"name":"plan"}`, `{"name":"plot"}`, true, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req, err := http.NewRequestWithContext(t.Context(), tt.method, "https://function.example"+target, bytes.NewReader([]byte(tt.body)))
			if err != nil {
				t.Fatal(err)
			}
			if err := signer.SignRequest(req, time.Now()); err != nil {
				t.Fatal(err)
			}
			path, query, _ := strings.Cut(target, "?")
			event := &events.LambdaFunctionURLRequest{RawPath: path, RawQueryString: query, Headers: map[string]string{}, Body: tt.arrives, IsBase64Encoded: tt.encoded}
			event.RequestContext.DomainName, event.RequestContext.HTTP.Method = "function.example", tt.method
			for name := range req.Header {
				event.Headers[strings.ToLower(name)] = req.Header.Get(name) // as Lambda writes them
			}
			if tt.encoded {
				event.Body = base64.StdEncoding.EncodeToString([]byte(tt.arrives))
			}
			answer, err := function(t.Context(), event)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != tt.status || tt.status == http.StatusOK && string(body) != tt.body {
				t.Errorf("answered %d %q, %v, want %d", answer.StatusCode, body, err, tt.status)
			}
		})
	}
}
