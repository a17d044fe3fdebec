package signing_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

var at = time.Date(2013, 1, 23, 6, 43, 8, 0, time.UTC)

func newSigner(tb testing.TB, c signing.Credentials) *signing.Signer {
	tb.Helper()
	s, err := signing.NewSigner(c)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestNewSignerReportsEveryProblem(t *testing.T) {
	t.Parallel()
	key := signing.NewSecret("key")
	for _, tt := range []struct {
		name  string
		c     signing.Credentials
		wants []string
	}{
		{"nothing", signing.Credentials{}, []string{"scheme is empty", "app id is empty", "app key is empty"}},
		{"app", signing.App("", signing.Secret{}), []string{"app id is empty", "app key is empty"}},
		{"colon in app id", signing.App("a:b", key), []string{"app id must be"}},
		{"colon in scheme", signing.AppWithScheme("a:b", "id", key), []string{"scheme must be"}},
		{"no scheme", signing.AppWithScheme("", "id", key), []string{"scheme is empty"}},
		{"line feed in app id", signing.App("a\nb", key), []string{"app id must be"}},
		{"robot", signing.Robot(signing.Secret{}, signing.Secret{}), []string{"robot key is empty", "signing secret is empty"}},
		{"colon in robot key", signing.Robot(signing.NewSecret("a:b"), key), []string{"robot key must be"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := signing.NewSigner(tt.c)
			if err == nil {
				t.Fatalf("NewSigner = %v, want an error", s)
			}
			for _, want := range tt.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("NewSigner: %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestSignRequestSendsWhatItSigns(t *testing.T) {
	t.Parallel()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := verifier.VerifyRequest(r); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, r.Header.Get("Content-Type")+" ")
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	signer := newSigner(t, signingtest.Credentials())
	for _, tt := range []struct {
		name, method, target, contentType string
		body                              io.Reader
		want                              string
	}{
		{"body", "POST", "/a", "", strings.NewReader(`{"a":"<&>é"}`), `application/json {"a":"<&>é"}`},
		{"stream of unknown length", "POST", "/a", "", io.MultiReader(strings.NewReader("x"), strings.NewReader("y")), "application/json xy"},
		{"own content type", "POST", "/a", "text/plain; charset=utf-8", strings.NewReader("x"), "text/plain; charset=utf-8 x"},
		{"target", "GET", "/a/open:b%2Fc%20d%E4%BD%A0?x=1&y=%20", "", nil, "application/json "},
		{"root", "GET", "", "", nil, "application/json "},
		{"empty body", "POST", "/a", "", io.MultiReader(), "application/json "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.target, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if tt.contentType != "" {
				req.Header.Set("Content-Type", tt.contentType)
			}
			if err := signer.SignRequest(req, time.Now()); err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			arrived, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK || string(arrived) != tt.want {
				t.Errorf("the server answers %d %q, %v, want 200 %q", resp.StatusCode, arrived, err, tt.want)
			}
		})
	}
}

func TestSignRequestCanBeReplayed(t *testing.T) {
	t.Parallel()
	req := httptest.NewRequest(http.MethodPost, "/a", io.NopCloser(strings.NewReader("payload")))
	if err := newSigner(t, signingtest.Credentials()).SignRequest(req, at); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		body, err := req.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := io.ReadAll(body); string(got) != "payload" {
			t.Errorf("GetBody gives %q, want %q", got, "payload")
		}
	}
	if req.ContentLength != int64(len("payload")) {
		t.Errorf("ContentLength = %d, want %d", req.ContentLength, len("payload"))
	}
}

// failingClose is a body whose Close fails.
type failingClose struct {
	io.Reader
	err error
}

func (f failingClose) Close() error { return f.err }

func TestSignRequestRefuses(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, signingtest.Credentials())
	broken := errors.New("disk is gone")
	req := httptest.NewRequest(http.MethodPost, "/a", iotest.ErrReader(broken))
	if err := signer.SignRequest(req, at); !errors.Is(err, broken) {
		t.Errorf("SignRequest of a broken body = %v, want %v", err, broken)
	}
	unclosed := httptest.NewRequest(http.MethodPost, "/a", http.NoBody)
	unclosed.Body = failingClose{strings.NewReader("x"), broken}
	if err := signer.SignRequest(unclosed, at); !errors.Is(err, broken) {
		t.Errorf("SignRequest of a body that cannot be closed = %v, want %v", err, broken)
	}
	twice := httptest.NewRequest(http.MethodPost, "/a", strings.NewReader("x"))
	twice.Header["Content-Type"] = []string{"application/json", "text/plain"}
	if err := signer.SignRequest(twice, at); err == nil {
		t.Error("SignRequest signed one of two Content-Types")
	}
	for _, r := range []*http.Request{req, unclosed, twice} {
		if r.Header.Get("Authorization") != "" {
			t.Error("a request that could not be signed has an Authorization")
		}
	}
}

func TestSignReplacesOldHeaders(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, signingtest.Credentials())
	h := http.Header{"Date": {"a", "b"}, "Authorization": {"x", "y"}, "Content-Md5": {"z", "z"}, "Content-Type": {signing.ContentType}}
	signer.Sign(h, []byte("one"), at)
	first := h.Clone()
	signer.Sign(h, []byte("two"), at.Add(time.Second))
	for _, name := range []string{"Date", "Authorization", "Content-Md5"} {
		if len(h[name]) != 1 || h[name][0] == first[name][0] {
			t.Errorf("%s = %q after %q, want one new value", name, h[name], first[name])
		}
	}
	h.Add("Date", "later") // must not reach the neighbour in a shared array
	if got := h["Authorization"]; len(got) != 1 || !strings.HasPrefix(got[0], "SVC-2:test-app:") {
		t.Errorf("Authorization = %q after adding a Date", got)
	}
}

func TestContentMD5(t *testing.T) {
	t.Parallel()
	const want = "ef286719a7152877223cc2ea676e7a66" // printed for this path by the public documentation's rule
	if got := signing.ContentMD5([]byte("/api/developer/v1/tasks/cedc9c82ae0c4127")); got != want {
		t.Errorf("ContentMD5 = %s, want %s", got, want)
	}
}

func TestSignAllocations(t *testing.T) {
	signer := newSigner(t, signingtest.Credentials())
	h := http.Header{"Content-Type": {signing.ContentType}}
	payload := bytes.Repeat([]byte("x"), 300)
	if got := testing.AllocsPerRun(100, func() { signer.Sign(h, payload, at) }); got > 2 {
		t.Errorf("Sign allocates %v times, want at most 2", got)
	}
}
