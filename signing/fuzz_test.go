package signing_test

import (
	"bytes"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// What was signed verifies, and with one bit changed anywhere it does not.
func FuzzSignVerify(f *testing.F) {
	f.Add([]byte(`{"a":1}`), "application/json", int64(1358923388), uint(3))
	f.Add([]byte("/v3/3rd/files/1?x=y"), "", int64(0), uint(999))
	f.Fuzz(func(t *testing.T, payload []byte, contentType string, unix int64, bit uint) {
		at := time.Unix(unix%4e9, 0)
		if at.Year() < 0 {
			t.Skip("a Date has no form for years before Christ")
		}
		for _, c := range []signing.Credentials{
			signingtest.Credentials(),
			signing.Robot(signing.NewSecret("robot-key"), signing.NewSecret("secret")),
		} {
			v := newVerifier(t, signing.VerifierConfig{Credentials: []signing.Credentials{c}, Now: func() time.Time { return at }})
			h := http.Header{"Content-Type": {contentType}}
			newSigner(t, c).Sign(h, payload, at)
			if _, err := v.Verify(h, payload); err != nil {
				t.Fatalf("Verify of what Sign wrote: %v", err)
			}
			checkTampered(t, v, h, payload, bit)
		}
	})
}

func checkTampered(t *testing.T, v *signing.Verifier, h http.Header, payload []byte, bit uint) {
	t.Helper()
	if len(payload) > 0 {
		other := bytes.Clone(payload)
		other[bit/8%uint(len(other))] ^= 1 << (bit % 8)
		if _, err := v.Verify(h, other); !errors.Is(err, signing.ErrSignature) {
			t.Errorf("Verify of another payload = %v, want ErrSignature", err)
		}
	}
	for name := range h {
		changed := h.Clone()
		value := []byte(changed[name][0])
		if len(value) == 0 {
			continue
		}
		at := bit % uint(len(value))
		value[at] ^= 1 // keeps the case of a letter, which is free in a signature
		changed[name][0] = string(value)
		if _, err := v.Verify(changed, payload); err == nil {
			t.Errorf("Verify accepts %s = %q, which was %q", name, value, h[name][0])
		}
	}
}

// Whatever arrives, a verifier answers with one of its own errors.
func FuzzVerifyRequest(f *testing.F) {
	f.Add("Wed, 23 Jan 2013 06:43:08 GMT", "d41d8cd98f00b204e9800998ecf8427e", "SVC-2:test-app:00", "GET", "/a?b", []byte(nil))
	f.Add("", "", ":::", "POST", "/", []byte("x"))
	v := newVerifier(f, signing.VerifierConfig{Tolerance: -1})
	f.Fuzz(func(t *testing.T, date, digest, authorization, method, target string, body []byte) {
		req := signingtest.NewRequest(t, signing.Credentials{}, http.MethodPost, "/", body)
		req.Method, req.RequestURI = method, target
		req.Header["Date"] = []string{date}
		req.Header["Content-Md5"] = []string{digest}
		req.Header["Authorization"] = []string{authorization}
		caller, err := v.VerifyRequest(req)
		var failed *signing.Error
		if err != nil && (!errors.As(err, &failed) || failed.Check == 0 || err.Error() == "") {
			t.Errorf("VerifyRequest = %v, want an *Error with its check", err)
		}
		if err == nil && caller.AppID != "test-app" {
			t.Errorf("VerifyRequest accepts %+v", caller)
		}
	})
}
