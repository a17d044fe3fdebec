package signing_test

import (
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// The usual mistakes of a sender, or of what is in front of the verifier, are named.
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	eat := func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	upper := func(r *http.Request) { r.Header.Set("Content-Md5", strings.ToUpper(r.Header.Get("Content-Md5"))) }
	for name, test := range map[string]struct {
		method, body string
		change       func(*http.Request)
		want         string
	}{
		"a middleware ate the body":           {"POST", "{}", eat, "a handler in front"},
		"it ate a body of unknown length":     {"POST", "{}", func(r *http.Request) { eat(r); r.ContentLength = -1 }, "a handler in front"},
		"it put nothing back":                 {"POST", "{}", func(r *http.Request) { r.Body = http.NoBody }, "a handler in front"},
		"a digest in upper case":              {"POST", "{}", upper, "upper case"},
		"a digest in upper case, no body":     {"GET", "", upper, "upper case"},
		"the digest of nothing":               {"GET", "", func(r *http.Request) { r.Header.Set("Content-Md5", fmt.Sprintf("%x", md5.Sum(nil))) }, "MD5 of nothing"},
		"the digest of nothing in upper case": {"GET", "", func(r *http.Request) { r.Header.Set("Content-Md5", fmt.Sprintf("%X", md5.Sum(nil))) }, "MD5 of nothing"},
		"another target":                      {"GET", "", func(r *http.Request) { r.RequestURI = "/b" }, "PublicPrefix"},
		"another body":                        {"POST", "{}", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{} ")) }, "encoded again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := signingtest.NewRequest(t, signingtest.Credentials(), test.method, "/a", []byte(test.body))
			right := req.Header.Get("Content-Md5")
			test.change(req)
			_, err := newVerifier(t, signing.VerifierConfig{}).VerifyRequest(req)
			var refused *signing.Error
			if !errors.As(err, &refused) || refused.Check != signing.CheckDigest || !strings.Contains(refused.Reason, test.want) {
				t.Errorf("VerifyRequest = %v, want a failure of the digest that says %q", err, test.want)
			}
			if strings.Contains(strings.ToLower(fmt.Sprintf("%v %+v", err, refused)), right) {
				t.Errorf("VerifyRequest = %v shows what would have been right", err)
			}
		})
	}
}

// What signs a GET proves nothing of a request that declares a body, though nothing of
// it can be read.
func TestASignatureOfAGetProvesNoBody(t *testing.T) {
	t.Parallel()
	for _, maxBody := range []int64{0, math.MaxInt64 - 1, math.MaxInt64} {
		v := newVerifier(t, signing.VerifierConfig{MaxBody: maxBody})
		for body, read := range map[string]bool{"{}": false, "[]": true} {
			req := signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/a", nil)
			req.Method, req.Body, req.ContentLength = "POST", io.NopCloser(strings.NewReader(body)), int64(len(body))
			if read {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			if _, err := v.VerifyRequest(req); !errors.Is(err, signing.ErrSignature) {
				t.Errorf("MaxBody %d: VerifyRequest = %v, want ErrSignature", maxBody, err)
			}
		}
		for _, length := range []int64{4, -1, 1 << 62, math.MaxInt64} {
			req := signingtest.NewRequest(t, signingtest.Credentials(), "POST", "/a", []byte("body"))
			req.ContentLength = length
			if _, err := v.VerifyRequest(req); err != nil {
				t.Errorf("MaxBody %d, length %d: VerifyRequest = %v", maxBody, length, err)
			}
		}
	}
}

// A stranger pays for memory with bytes: a declared length gets a little only.
func TestAllocationForADeclaredLength(t *testing.T) {
	req := signingtest.NewRequest(t, signing.Credentials{}, "POST", "/a", []byte("x"))
	req.Header.Set("Date", signing.FormatDate(at))
	v := newVerifier(t, signing.VerifierConfig{Tolerance: -1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader("x")), signing.DefaultMaxBody
		if _, err := v.VerifyRequest(req); err == nil {
			t.Fatal("accepted")
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / 10; got > 256<<10 { // with the race detector, twice the 64 KiB
		t.Errorf("a declared length of 1 MiB allocates %d bytes", got)
	}
}

func TestCredentialsWithWhiteSpace(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"key\n", "key\r\n", " key", "key\t", "k\x00y", "\ufeffkey\u2028"} {
		for _, c := range []signing.Credentials{
			signing.App("app", signing.NewSecret(secret)), signing.Robot(signing.NewSecret("key"), signing.NewSecret(secret)),
		} {
			_, err := signing.NewSigner(c)
			_, also := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{c}})
			for _, err := range []error{err, also} {
				if err == nil || !strings.Contains(err.Error(), "white space") {
					t.Errorf("%v with secret %q: %v, want an error that names the white space", c, secret, err)
				}
			}
		}
	}
	if _, err := signing.NewSigner(signing.App("app", signing.NewSecret("a key 文"))); err != nil {
		t.Errorf("NewSigner: %v", err)
	}
}
