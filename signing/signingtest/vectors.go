package signingtest

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

//go:embed testdata/vectors
var vectors embed.FS

// Vectors returns the folders sign and verify: see the package comment.
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
			cfg, req, err := v.request(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := v.compare(newVerify(cfg)(req)); err != nil {
				t.Errorf("%s\n%v", v.one("comment"), err)
			}
		})
	}
}

// RunSignVectors makes a signer for each file of the folder sign, and compares the
// headers that it sets.
func RunSignVectors(t *testing.T, newSign func(signing.Credentials) func(h http.Header, payload []byte, at time.Time)) {
	t.Helper()
	for _, v := range read(t, "sign") {
		t.Run(v.name, func(t *testing.T) {
			credentials, err := v.credentials()
			if err != nil {
				t.Fatal(err)
			}
			payload, _, err := v.text("payload")
			if err != nil {
				t.Fatal(err)
			}
			at, err := signing.ParseDate(v.one("date"))
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			if contentType := v.one("content-type"); contentType != "" {
				h.Set("Content-Type", contentType)
			}
			newSign(credentials[0])(h, []byte(payload), at)
			for _, name := range []string{"date", "content-md5", "authorization"} {
				if got, want := h.Get(name), v.one(name); got != want {
					t.Errorf("%s\n%s = %q, want %q", v.one("comment"), name, got, want)
				}
			}
		})
	}
}

// request gives the verifier's side and the request of a file in verify.
func (v vector) request(ctx context.Context) (signing.VerifierConfig, *http.Request, error) {
	credentials, err := v.credentials()
	if err != nil {
		return signing.VerifierConfig{}, nil, err
	}
	now, err := signing.ParseDate(v.one("now"))
	if err != nil {
		return signing.VerifierConfig{}, nil, err
	}
	cfg := signing.VerifierConfig{
		Credentials:  credentials,
		PublicPrefix: v.one("prefix"),
		Now:          func() time.Time { return now },
	}
	if text := v.one("tolerance"); text != "" {
		if cfg.Tolerance, err = time.ParseDuration(text); err != nil {
			return cfg, nil, err
		}
	}
	method, target, _ := strings.Cut(v.one("request"), " ")
	body, hasBody, err := v.text("body")
	if err != nil {
		return cfg, nil, err
	}
	req := httptest.NewRequestWithContext(ctx, method, target, nil)
	if hasBody {
		req = httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	}
	for _, line := range v.lines["header"] {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Add(name, strings.TrimPrefix(value, " "))
	}
	return cfg, req, nil
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
	if expect := v.one("expect"); result != expect {
		return fmt.Errorf("result = %s (error %v), want %s", result, got, expect) //nolint:errorlint // It may be nil.
	}
	var detail *signing.Error
	if errors.As(got, &detail) && detail.Check.String() != v.one("check") {
		return fmt.Errorf("failed check = %v, want %s", detail.Check, v.one("check"))
	}
	return nil
}
