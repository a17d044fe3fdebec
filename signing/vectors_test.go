package signing_test

import (
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

func TestVerifyVectors(t *testing.T) {
	t.Parallel()
	signingtest.RunVectors(t, func(cfg signing.VerifierConfig) func(*http.Request) error {
		v, err := signing.NewVerifier(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return func(req *http.Request) error {
			_, err := v.VerifyRequest(req)
			return err
		}
	})
}

func TestSignVectors(t *testing.T) {
	t.Parallel()
	signingtest.RunSignVectors(t, func(c signing.Credentials) func(http.Header, []byte, time.Time) {
		s, err := signing.NewSigner(c)
		if err != nil {
			t.Fatal(err)
		}
		return s.Sign
	})
}

// The example of the public documentation was made by the service's own people.
func TestVectorsHoldThePublishedExample(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(signingtest.Vectors(), "sign/published.txt")
	if err != nil {
		t.Fatal(err)
	}
	const published = "083500176fa3aab58ca2dc962978013b3ca2b6df"
	if !strings.Contains(string(text), published) {
		t.Errorf("sign/published.txt does not hold %s", published)
	}
}
