package signingtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Credentials returns those of the app "test-app", which every fake of this module uses.
func Credentials() signing.Credentials {
	return signing.App("test-app", signing.NewSecret("test-app-key"))
}

// NewRequest is [httptest.NewRequest] with a signature of c, made now. A body is JSON;
// without one there is no Content-Type. The zero Credentials leave it unsigned. To play
// a proxy that removes a path prefix, change URL.Path and RequestURI.
func NewRequest(tb testing.TB, c signing.Credentials, method, target string, body []byte) *http.Request {
	tb.Helper()
	var reader io.Reader
	if len(body) > 0 {
		reader = bytes.NewReader(body)
	}
	req := httptest.NewRequestWithContext(tb.Context(), method, target, reader)
	if len(body) > 0 {
		req.Header.Set("Content-Type", signing.ContentType)
	}
	if c.IsZero() {
		return req
	}
	signer, err := signing.NewSigner(c)
	if err != nil {
		tb.Fatalf("signingtest.NewRequest: %v", err)
	}
	payload := body
	if len(payload) == 0 {
		payload = []byte(req.RequestURI)
		if req.URL.IsAbs() { // no sender signs its host
			payload = []byte(req.URL.RequestURI())
		}
	}
	signer.Sign(req.Header, payload, time.Now())
	return req
}
