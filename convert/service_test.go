package convert_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// base is the address of the service in tests, below a path prefix.
const base = "https://office.example/gateway"

// received is a call as it arrived.
type received struct {
	Method, Target string
	Header         http.Header
	Body           string
	At             time.Time
}

// service is the other side in memory: it verifies every signature and answers
// with what answer writes, or with answers one after the other, the last for ever.
type service struct {
	answers []string
	answer  http.HandlerFunc

	mu    sync.Mutex
	calls []received
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err == nil {
		_, err = verifier.VerifyRequest(r)
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.calls = append(s.calls, received{r.Method, r.RequestURI, r.Header, string(body), time.Now()})
	n := len(s.calls)
	s.mu.Unlock()
	switch {
	case err != nil:
		http.Error(w, `{"code":30003,"message":"`+err.Error()+`"}`, http.StatusUnauthorized)
	case s.answer != nil:
		s.answer(w, r)
	default:
		_, _ = io.WriteString(w, s.answers[min(n, len(s.answers))-1])
	}
}

// received returns the calls so far.
func (s *service) received() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.calls...)
}

// free is a Limiter that never waits.
type free struct{}

func (free) Wait(ctx context.Context) error { return ctx.Err() }

// newClient returns a Client of h, without a rate limit unless change sets one.
func newClient(tb testing.TB, h http.Handler, change func(*convert.Config)) *convert.Client {
	tb.Helper()
	cfg := convert.Config{
		BaseURL:     base,
		Credentials: signingtest.Credentials(),
		HTTPClient:  memhttp.Client(h),
		Limiter:     free{},
	}
	if change != nil {
		change(&cfg)
	}
	client, err := convert.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

// text is a request that breaks no rule.
func text() convert.TextRequest {
	return convert.TextRequest{URL: "https://files.example/report.docx?sig=1", Filename: "report.docx"}
}

// pdf is a request that breaks no rule.
func pdf() convert.PDFRequest {
	return convert.PDFRequest{URL: "https://files.example/report.docx?sig=1", Filename: "report.docx"}
}

// fields lists the fields of all FieldErrors in err.
func fields(err error) []string {
	var found []string
	var walk func(error)
	walk = func(err error) {
		var field *convert.FieldError
		switch e := err.(type) { //nolint:errorlint // It walks the tree itself.
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				walk(one)
			}
		default:
			if errors.As(err, &field) {
				found = append(found, field.Field)
			}
		}
	}
	walk(err)
	return found
}

const submitted = `{"code":0,"data":{"task_id":"open:abc"},"result":"ok"}`

// running, done and broken are answers to a task query.
func running(progress string) string {
	return `{"code":0,"data":{"status":"running","progress":` + progress + `,"message":null}}`
}

func done(urls ...string) string {
	items := make([]string, len(urls))
	for i, u := range urls {
		items[i] = `{"url":"` + u + `","size":5}`
	}
	return `{"code":0,"data":{"status":"success","progress":100,"message":null,"result":{"task":{"elapsed":410,"resource_size":11884},"txts":[` + strings.Join(items, ",") + `]}}}`
}

func broken(message string) string {
	return `{"code":0,"data":{"status":"failure","progress":3,"message":"` + message + `"}}`
}
