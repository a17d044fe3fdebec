package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // A digest that the protocol names (protocol 2.5).
	"net/http"
	"path"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// MapStore is a preview.Store in memory, whose keys are file ids. Give
// ViewerConfig.HTTPClient the [HTTPClient] of it.
type MapStore map[string]Entry

// Entry is one file of a [MapStore]. Zero fields are filled in.
type Entry struct {
	_ [0]func()

	File     preview.File     // Zero: a name made of the key, Version 1, the user "owner".
	Download preview.Download // Zero: below https://files.example/.
	Content  []byte

	// By X-WebOffice-Token; "" is for all other users, who are otherwise
	// preview.ErrUnauthorized. If nil, everyone may read.
	Permission map[string]preview.Permission
}

// filesURL is where the files of a MapStore seem to be. There is no such host.
const filesURL = "https://files.example/"

// File implements preview.Store.
func (m MapStore) File(ctx context.Context, r preview.Request) (preview.File, error) {
	e, err := m.entry(ctx, r)
	if err != nil {
		return preview.File{}, err
	}
	f := e.File
	written := time.Date(2024, time.January, 2, 3, 4, 5, 0, time.UTC)
	f.ID = cmp.Or(f.ID, r.FileID)
	f.Name = cmp.Or(f.Name, r.FileID+".docx")
	f.Version = cmp.Or(f.Version, 1)
	f.Size = cmp.Or(f.Size, int64(len(e.Content)))
	f.CreatedAt = cmp.Or(f.CreatedAt, written)
	f.ModifiedAt = cmp.Or(f.ModifiedAt, f.CreatedAt)
	f.CreatorID = cmp.Or(f.CreatorID, "owner")
	f.ModifierID = cmp.Or(f.ModifierID, f.CreatorID)
	return f, nil
}

// Download implements preview.Store.
func (m MapStore) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	switch p, err := m.Permission(ctx, r); {
	case err != nil:
		return preview.Download{}, err
	case !p.Read:
		return preview.Download{}, preview.ErrForbidden
	}
	e := m[r.FileID]
	d := e.Download
	d.URL = cmp.Or(d.URL, filesURL+r.FileID)
	if e.Content != nil && d.Digest == (preview.Digest{}) {
		d.Digest = preview.SHA1Sum(sha1.Sum(e.Content)) //nolint:gosec // See the import.
	}
	return d, nil
}

// Permission implements preview.Store.
func (m MapStore) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	e, err := m.entry(ctx, r)
	if err != nil {
		return preview.Permission{}, err
	}
	if e.Permission == nil {
		return preview.Permission{Read: true}, nil
	}
	for _, token := range []string{r.WebOfficeToken.Reveal(), ""} {
		if p, there := e.Permission[token]; there {
			return p, nil
		}
	}
	return preview.Permission{}, preview.ErrUnauthorized
}

// ServeHTTP serves the Content of the file that the path ends in.
func (m MapStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, there := m[path.Base(r.URL.Path)]
	if !there || e.Content == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(e.Content))
}

func (m MapStore) entry(ctx context.Context, r preview.Request) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	e, there := m[r.FileID]
	if !there {
		return Entry{}, preview.ErrNotFound
	}
	return e, nil
}
