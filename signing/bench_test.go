package signing_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

var sizes = []int{64, 300, 2 << 10, 64 << 10}

// BenchmarkSign compares with the two hashes alone, which nothing can undercut,
// and with the usual way of writing it.
func BenchmarkSign(b *testing.B) {
	for _, size := range sizes {
		payload := bytes.Repeat([]byte("x"), size)
		b.Run(fmt.Sprintf("hashes/%d", size), func(b *testing.B) {
			text := bytes.Repeat([]byte("k"), 90)
			for b.Loop() {
				md5.Sum(payload)
				sha1.Sum(text)
			}
		})
		b.Run(fmt.Sprintf("signer/%d", size), func(b *testing.B) {
			signer, h := newSigner(b, signingtest.Credentials()), http.Header{"Content-Type": {signing.ContentType}}
			b.ReportAllocs()
			for b.Loop() {
				signer.Sign(h, payload, time.Now())
			}
		})
		b.Run(fmt.Sprintf("naive/%d", size), func(b *testing.B) {
			h := http.Header{"Content-Type": {signing.ContentType}}
			b.ReportAllocs()
			for b.Loop() {
				naiveSign(h, "test-app", "test-app-key", payload)
			}
		})
	}
}

func naiveSign(h http.Header, id, key string, payload []byte) {
	digest, sum := md5.New(), sha1.New()
	digest.Write(payload)
	contentMD5 := hex.EncodeToString(digest.Sum(nil))
	date := time.Now().UTC().Format(http.TimeFormat)
	sum.Write([]byte(key + contentMD5 + h.Get("Content-Type") + date))
	h.Set("Date", date)
	h.Set("Content-Md5", contentMD5)
	h.Set("Authorization", fmt.Sprintf("SVC-2:%s:%s", id, hex.EncodeToString(sum.Sum(nil))))
}

func BenchmarkVerify(b *testing.B) {
	for _, size := range sizes {
		payload := bytes.Repeat([]byte("x"), size)
		h := http.Header{"Content-Type": {signing.ContentType}}
		newSigner(b, signingtest.Credentials()).Sign(h, payload, time.Now())
		v := newVerifier(b, signing.VerifierConfig{Tolerance: time.Hour})
		b.Run(fmt.Sprintf("accept/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Verify(h, payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, callers := range []int{1, 10, 1000} {
		all := []signing.Credentials{}
		for i := range callers {
			all = append(all, signing.App(fmt.Sprintf("app-%d", i), signing.NewSecret(fmt.Sprintf("key-%d", i))))
		}
		payload := bytes.Repeat([]byte("x"), 300)
		v := newVerifier(b, signing.VerifierConfig{Tolerance: time.Hour, Credentials: all})
		known, unknown := http.Header{"Content-Type": {signing.ContentType}}, http.Header{"Content-Type": {signing.ContentType}}
		newSigner(b, all[callers-1]).Sign(known, payload, time.Now())
		newSigner(b, signing.App("x", signing.NewSecret("x"))).Sign(unknown, payload, time.Now())
		b.Run(fmt.Sprintf("callers/%d", callers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Verify(known, payload); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("unknown/%d", callers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Verify(unknown, payload); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
	b.Run("malformed date", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := signing.ParseDate("Wed, 23 Jan 2013 06:43:08 XYZ"); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}

func TestVerifyAllocations(t *testing.T) {
	v := newVerifier(t, signing.VerifierConfig{Now: func() time.Time { return at }})
	signer := newSigner(t, signingtest.Credentials())
	payload := bytes.Repeat([]byte("x"), 300)
	body := http.Header{"Content-Type": {signing.ContentType}}
	signer.Sign(body, payload, at)
	wrong := body.Clone()
	wrong.Set("Authorization", "SVC-2:test-app:"+hex.EncodeToString(make([]byte, 20)))
	get := signingtest.NewRequest(t, signing.Credentials{}, "GET", "/v3/3rd/users?user_ids=1&user_ids=2&user_ids=3", nil)
	signer.Sign(get.Header, []byte(get.RequestURI), at)
	behind := newVerifier(t, signing.VerifierConfig{PublicPrefix: "/v3", Now: func() time.Time { return at }})
	stripped := get.Clone(t.Context())
	stripped.RequestURI = strings.TrimPrefix(get.RequestURI, "/v3")
	for _, tt := range []struct {
		name string
		most float64
		run  func() error
	}{
		{"accept", 0, func() error { _, err := v.Verify(body, payload); return err }},
		{"accept a GET", 0, func() error { _, err := v.VerifyRequest(get); return err }},
		{"accept a GET behind a prefix", 0, func() error { _, err := behind.VerifyRequest(stripped); return err }},
		{"refuse", 1, func() error { _, err := v.Verify(wrong, payload); return err }},
		{"malformed date", 0, func() error { _, err := signing.ParseDate("yesterday"); return err }},
	} {
		if got := testing.AllocsPerRun(100, func() { _ = tt.run() }); got > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.most)
		}
	}
	if _, err := v.VerifyRequest(get); err != nil {
		t.Errorf("the GET is not accepted: %v", err)
	}
	if _, err := behind.VerifyRequest(stripped); err != nil {
		t.Errorf("the GET behind a prefix is not accepted: %v", err)
	}
}
