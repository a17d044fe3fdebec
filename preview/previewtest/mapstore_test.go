package previewtest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// TestMapStoreFillsIn gives what a literal leaves out.
func TestMapStoreFillsIn(t *testing.T) {
	t.Parallel()
	given := preview.File{Name: "x.pdf", Version: 7, Size: 9, CreatedAt: time.Unix(5, 0), CreatorID: "ann"}
	m := previewtest.MapStore{"a": {Content: []byte("bytes")}, "b": {File: given, Download: preview.Download{URL: "http://b.example/"}}}
	written := time.Date(2024, time.January, 2, 3, 4, 5, 0, time.UTC)
	for id, want := range map[string]preview.File{
		"a": {ID: "a", Name: "a.docx", Version: 1, Size: 5, CreatedAt: written, ModifiedAt: written, CreatorID: "owner", ModifierID: "owner"},
		"b": {ID: "b", Name: "x.pdf", Version: 7, Size: 9, CreatedAt: time.Unix(5, 0), ModifiedAt: time.Unix(5, 0), CreatorID: "ann", ModifierID: "ann"},
	} {
		got, err := m.File(t.Context(), preview.Request{FileID: id})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("File(%q): %v (-want +got):\n%s", id, err, diff)
		}
	}
	d, err := m.Download(t.Context(), preview.Request{FileID: "a"})
	if err != nil || d.URL != "https://files.example/a" || d.Digest.Hex != "daf529a73101c2be626b99fc6938163e7a27620b" {
		t.Errorf("Download = %v, %v", d, err)
	}
	d, err = m.Download(t.Context(), preview.Request{FileID: "b"})
	if err != nil || d.URL != "http://b.example/" || d.Digest != (preview.Digest{}) {
		t.Errorf("Download = %v, %v", d, err)
	}
}

// TestMapStoreRefuses is by token.
func TestMapStoreRefuses(t *testing.T) {
	t.Parallel()
	m := previewtest.MapStore{
		"some": {Permission: map[string]preview.Permission{"ann": {Read: true, Copy: true}, "eve": {}}},
		"all":  {Permission: map[string]preview.Permission{"ann": {Copy: true}, "": {Read: true}}},
		"open": {},
	}
	for _, tc := range []struct {
		id, token            string
		permission, download error
		want                 preview.Permission
	}{
		{"some", "ann", nil, nil, preview.Permission{Read: true, Copy: true}},
		{"some", "eve", nil, preview.ErrForbidden, preview.Permission{}},
		{"some", "bob", preview.ErrUnauthorized, preview.ErrUnauthorized, preview.Permission{}},
		{"some", "", preview.ErrUnauthorized, preview.ErrUnauthorized, preview.Permission{}},
		{"all", "ann", nil, preview.ErrForbidden, preview.Permission{Copy: true}},
		{"all", "bob", nil, nil, preview.Permission{Read: true}},
		{"open", "bob", nil, nil, preview.Permission{Read: true}},
		{"none", "bob", preview.ErrNotFound, preview.ErrNotFound, preview.Permission{}},
	} {
		r := preview.Request{FileID: tc.id, WebOfficeToken: signing.NewSecret(tc.token)}
		p, err := m.Permission(t.Context(), r)
		if p != tc.want || !errors.Is(err, tc.permission) {
			t.Errorf("Permission of %q for %q = %v, %v", tc.id, tc.token, p, err)
		}
		if _, err := m.Download(t.Context(), r); !errors.Is(err, tc.download) {
			t.Errorf("Download of %q for %q = %v, want %v", tc.id, tc.token, err, tc.download)
		}
	}
	var none previewtest.MapStore
	if _, err := none.File(t.Context(), preview.Request{FileID: "a"}); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("File of a nil MapStore = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.File(ctx, preview.Request{FileID: "open"}); !errors.Is(err, context.Canceled) {
		t.Errorf("File after the end = %v", err)
	}
}

// TestMapStoreOpens serves its own content.
func TestMapStoreOpens(t *testing.T) {
	t.Parallel()
	m := previewtest.MapStore{"a": {Content: []byte("bytes")}, "b": {File: preview.File{Size: 5}}}
	h, err := preview.NewHandler(preview.Config{Store: m, Auth: signing.Unsigned})
	if err != nil {
		t.Fatal(err)
	}
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: h, HTTPClient: previewtest.HTTPClient(m)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open(t.Context(), "a", nil); err != nil {
		t.Error(err)
	}
	var e *previewtest.AnswerError
	if _, err := v.Open(t.Context(), "b", nil); !errors.As(err, &e) || e.Rule != previewtest.RuleFetch {
		t.Errorf("Open of a file without content = %v", err)
	}
	res, err := previewtest.HTTPClient(m).Head("https://files.example/a") //nolint:noctx // A test in memory.
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK || res.ContentLength != 5 {
		t.Errorf("HEAD = %v, %d bytes", res.Status, res.ContentLength)
	}
}
