package samples_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// documents is a Store and a Saver over tables in memory.
type documents struct {
	url      string // of ServeHTTP, as the service reaches it
	mu       sync.Mutex
	versions map[string][]version // by file id, the newest last: a table with a unique key
	uploads  map[string][]byte    // by a random name: objects in a storage
}

type version struct {
	file   preview.File
	bytes  string // the name of its upload
	digest preview.Digest
}

func (d *documents) PrepareUpload(
	_ context.Context, r preview.Request,
) ([]preview.DigestType, error) {
	return []preview.DigestType{preview.SHA256}, d.mayEdit(r)
}

func (d *documents) UploadAddress(
	_ context.Context, r preview.Request, _ preview.Upload,
) (preview.UploadAddress, error) {
	if err := d.mayEdit(r); err != nil {
		return preview.UploadAddress{}, err
	}
	name := rand.Text() // cannot be guessed, and is for this save alone
	back := map[string]string{"upload": name}
	return preview.UploadAddress{URL: d.url + "/" + name, SendBack: back}, nil
}

func (d *documents) CompleteUpload(
	_ context.Context, r preview.Request, u preview.Upload, got preview.UploadResult,
) (preview.File, error) {
	if err := d.mayEdit(r); err != nil {
		return preview.File{}, err
	}
	name := got.SendBack["upload"]
	d.mu.Lock() // a transaction: two saves at the same time get two numbers
	defer d.mu.Unlock()
	for _, v := range d.versions[r.FileID] {
		if v.bytes == name {
			return v.file, nil // a repeated call gets the same answer
		}
	}
	body, ok := d.uploads[name] // look at the storage, not at got.StatusCode
	digest := preview.SHA256Sum(sha256.Sum256(body))
	announced := cmp.Or(u.Digest(preview.SHA256), digest) // it may be missing
	if !ok || int64(len(body)) != u.Size || announced != digest {
		return preview.File{}, preview.ErrNotUploaded
	}
	all := d.versions[r.FileID]
	file := all[len(all)-1].file
	file.Version++
	file.Size, file.ModifiedAt, file.ModifierID = u.Size, time.Now(), r.UserID
	d.versions[r.FileID] = append(all, version{file, name, digest})
	return file, nil
}

// mayEdit refuses an unknown document, and a user who may not edit.
func (d *documents) mayEdit(r preview.Request) error {
	if _, err := d.newest(r.FileID); err != nil {
		return err
	}
	if r.UserID != "ann" {
		return preview.ErrForbidden
	}
	return nil
}

func (d *documents) newest(fileID string) (version, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.versions[fileID]
	if len(all) == 0 {
		return version{}, preview.ErrNotFound
	}
	return all[len(all)-1], nil
}

func (d *documents) File(_ context.Context, r preview.Request) (preview.File, error) {
	v, err := d.newest(r.FileID)
	return v.file, err
}

func (d *documents) Download(_ context.Context, r preview.Request) (preview.Download, error) {
	v, err := d.newest(r.FileID)
	return preview.Download{URL: d.url + "/" + v.bytes}, err
}

func (d *documents) Permission(_ context.Context, r preview.Request) (preview.Permission, error) {
	_, err := d.newest(r.FileID)
	return preview.Permission{Read: true, Update: r.UserID == "ann"}, err
}

func (d *documents) Users(
	_ context.Context, _ preview.Request, userIDs []string,
) (users []preview.User, _ error) {
	for _, id := range []string{"ann", "bob"} {
		if slices.Contains(userIDs, id) {
			users = append(users, preview.User{ID: id, Name: id})
		}
	}
	return users, nil
}

// ServeHTTP plays the object storage.
func (d *documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	body, err := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	old, exists := d.uploads[name]
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case r.Method == http.MethodPut && exists:
		w.WriteHeader(http.StatusConflict)
	case r.Method == http.MethodPut:
		d.uploads[name] = body
	case !exists:
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write(old)
	}
}

func identify(_ context.Context, r preview.Request) (string, error) {
	if user := r.WebOfficeToken.Reveal(); user == "ann" || user == "bob" {
		return user, nil
	}
	return "", preview.ErrUnauthorized
}

func newDocuments(t *testing.T) *documents {
	t.Helper()
	now := time.Now()
	d := &documents{
		versions: map[string][]version{"plan": {{preview.File{
			ID: "plan", Name: "plan.docx", Version: 1, Size: 8,
			CreatedAt: now, ModifiedAt: now, CreatorID: "ann", ModifierID: "ann",
		}, "first", preview.Digest{}}}},
		uploads: map[string][]byte{"first": []byte("the plan")},
	}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
		t.Helper()
		store := newDocuments(t)
		return previewtest.Fixture{
			Config: preview.Config{Store: store, Identify: identify, Users: store, Saver: store},
			Existing: []preview.Request{
				{FileID: "plan", WebOfficeToken: signing.NewSecret("ann")},
				{FileID: "plan", WebOfficeToken: signing.NewSecret("bob")},
			},
			Missing: preview.Request{FileID: "nothing", WebOfficeToken: signing.NewSecret("ann")},
			NoUser:  preview.Request{FileID: "plan", WebOfficeToken: signing.NewSecret("guessed")},
			UserIDs: []string{"ann", "bob"},
		}
	})
}
