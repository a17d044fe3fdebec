package signingtest_test

import (
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// What is signed is the target as the service sends it, whatever the form in which
// a test gives it.
func TestNewRequestSignsThePathAndQuery(t *testing.T) {
	t.Parallel()
	for target, signed := range map[string]string{
		"/v3/files/open:1?a=%20":           "/v3/files/open:1?a=%20",
		"http://office.example/v3/files?a": "/v3/files?a",
		"https://office.example":           "/",
	} {
		req := signingtest.NewRequest(t, signingtest.Credentials(), "GET", target, nil)
		if got, want := req.Header.Get("Content-Md5"), signing.ContentMD5([]byte(signed)); got != want {
			t.Errorf("NewRequest(%q) has Content-Md5 %s, want that of %q, %s", target, got, signed, want)
		}
	}
}
