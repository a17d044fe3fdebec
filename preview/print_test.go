package preview_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// TestPrinting leaves out what may be a secret, in every form.
func TestPrinting(t *testing.T) {
	t.Parallel()
	secret := map[string]string{"B": "hidden", "A": "hidden"}
	for _, c := range []struct {
		value any
		want  string
	}{
		{
			preview.Download{URL: "https://u:hidden@h.example/a?s=hidden#hidden", Header: secret, Digest: preview.MD5Sum([16]byte{1})},
			"Download{https://h.example/a?[secret], md5:01000000000000000000000000000000, headers [A B]}",
		},
		{preview.Download{URL: "https://h.example/a"}, "Download{https://h.example/a, no digest, headers []}"},
		{
			preview.UploadAddress{URL: "https://h.example/a?s=hidden", Method: "PUT", Header: secret, Params: secret, SendBack: secret},
			"UploadAddress{PUT, https://h.example/a?[secret], headers [A B], params [A B], send back [A B]}",
		},
		{
			preview.UploadResult{StatusCode: 200, Header: http.Header{"A": {"hidden"}}, Body: []byte("hidden"), SendBack: secret},
			"UploadResult{200, headers [A], body 6 bytes, send back [A B]}",
		},
		{
			preview.Request{FileID: "f1", AppID: "app", UserID: "ann", RequestID: "r", WebOfficeToken: signing.NewSecret("hidden"), UserQuery: "a=hidden"},
			`Request{file "f1", app "app", user "ann", request "r"}`,
		},
		{new(preview.Handler), "preview.Handler"},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10v"} {
			if got := fmt.Sprintf(verb, c.value); got != c.want {
				t.Errorf("%s of %T = %s, want %s", verb, c.value, got, c.want)
			}
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", c.value)
		if strings.Contains(log.String(), "hidden") || !strings.Contains(log.String(), strings.SplitAfter(c.want, "{")[0]) {
			t.Errorf("logged %T: %s", c.value, log.String())
		}
	}
}

// TestSums are what crypto/md5 and crypto/sha1 give, in the form of protocol 2.5.
func TestSums(t *testing.T) {
	t.Parallel()
	if got, want := preview.MD5Sum([16]byte{0xd4, 0x1d, 15: 0x7e}), (preview.Digest{Type: preview.MD5, Hex: "d41d000000000000000000000000007e"}); got != want {
		t.Errorf("MD5Sum = %v, want %v", got, want)
	}
	if got, want := preview.SHA1Sum([20]byte{0xda, 19: 0x09}), (preview.Digest{Type: preview.SHA1, Hex: "da00000000000000000000000000000000000009"}); got != want {
		t.Errorf("SHA1Sum = %v, want %v", got, want)
	}
}
