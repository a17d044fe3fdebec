package signingtest

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

//go:embed testdata/vectors
var vectors embed.FS

// Vectors returns the folders sign and verify.
func Vectors() fs.FS {
	sub, err := fs.Sub(vectors, "testdata/vectors")
	if err != nil {
		panic(err) // the name is a constant, and embedded
	}
	return sub
}

// RunVectors makes a verifier for each file of the folder verify, gives it the request,
// and compares. Its errors wrap [signing.ErrTimestamp] or [signing.ErrSignature]; if
// they are a [*signing.Error], the failed check has to agree.
func RunVectors(t *testing.T, newVerify func(signing.VerifierConfig) func(*http.Request) error) {
	t.Helper()
	for _, v := range read(t, "verify") {
		t.Run(v.name, func(t *testing.T) {
			if err := v.compare(newVerify(v.config(t))(v.request(t))); err != nil {
				t.Errorf("%s\n%v", v.Get("comment"), err)
			}
		})
	}
}

// RunSignVectors makes a signer for each file of the folder sign, and compares its
// headers.
func RunSignVectors(t *testing.T, newSign func(signing.Credentials) func(h http.Header, payload []byte, at time.Time)) {
	t.Helper()
	for _, v := range read(t, "sign") {
		t.Run(v.name, func(t *testing.T) {
			h := http.Header{}
			if contentType := v.Get("content-type"); contentType != "" {
				h.Set("Content-Type", contentType)
			}
			newSign(v.credentials(t)[0])(h, []byte(v.text(t, "payload")), v.date(t, "date"))
			for _, name := range []string{"date", "content-md5", "authorization"} {
				if got, want := h.Get(name), v.Get(name); got != want {
					t.Errorf("%s\n%s = %q, want %q", v.Get("comment"), name, got, want)
				}
			}
		})
	}
}

// config is the verifier's side of a file in verify.
func (v vector) config(t *testing.T) signing.VerifierConfig {
	t.Helper()
	now := v.date(t, "now")
	cfg := signing.VerifierConfig{
		Credentials:  v.credentials(t),
		PublicPrefix: v.Get("prefix"),
		Now:          func() time.Time { return now },
	}
	if text := v.Get("tolerance"); text != "" {
		tolerance, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Tolerance = tolerance
	}
	return cfg
}

// request is the request of a file in verify.
func (v vector) request(t *testing.T) *http.Request {
	t.Helper()
	method, target, _ := strings.Cut(v.Get("request"), " ")
	req := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(v.text(t, "body")))
	for _, line := range v.Values("header") {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Add(name, strings.TrimPrefix(value, " "))
	}
	return req
}

// compare says how the result of a verifier differs from what a file expects.
func (v vector) compare(got error) error {
	result := "ok"
	switch {
	case errors.Is(got, signing.ErrTimestamp):
		result = "timestamp failure"
	case errors.Is(got, signing.ErrSignature):
		result = "signature failure"
	case got != nil:
		return fmt.Errorf("error wraps neither ErrTimestamp nor ErrSignature: %w", got)
	}
	if expect := v.Get("expect"); result != expect {
		return fmt.Errorf("result = %s (error %v), want %s", result, got, expect) //nolint:errorlint // It may be nil.
	}
	var detail *signing.Error
	if errors.As(got, &detail) && detail.Check.String() != v.Get("check") {
		return fmt.Errorf("failed check = %v, want %s", detail.Check, v.Get("check"))
	}
	return nil
}

// vector is one file: the values of each name, in order.
type vector struct {
	name string
	textproto.MIMEHeader
}

// read reads a folder of vectors. An empty one proves nothing, and fails.
func read(t *testing.T, folder string) []vector {
	t.Helper()
	files, err := fs.Glob(Vectors(), folder+"/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s (error %v)", folder, err)
	}
	all := make([]vector, 0, len(files))
	for _, file := range files {
		text, err := fs.ReadFile(Vectors(), file)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := textproto.NewReader(bufio.NewReader(strings.NewReader(string(text) + "\n"))).ReadMIMEHeader()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, vector{strings.TrimSuffix(path.Base(file), ".txt"), lines})
	}
	return all
}

// text returns a value that is a JSON string, or "" if it is not there.
func (v vector) text(t *testing.T, name string) (s string) {
	t.Helper()
	if value := v.Get(name); value != "" {
		if err := json.Unmarshal([]byte(value), &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return s
}

func (v vector) date(t *testing.T, name string) time.Time {
	t.Helper()
	at, err := signing.ParseDate(v.Get(name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return at
}

func (v vector) credentials(t *testing.T) (all []signing.Credentials) {
	t.Helper()
	for _, line := range v.Values("credentials") {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("credentials: %q does not have three words", line)
		}
		if words[0] == "robot" {
			all = append(all, signing.Robot(signing.NewSecret(words[1]), signing.NewSecret(words[2])))
			continue
		}
		all = append(all, signing.AppWithScheme(words[0], words[1], signing.NewSecret(words[2])))
	}
	if len(all) == 0 {
		t.Fatal("no credentials")
	}
	return all
}
