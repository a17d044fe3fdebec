package s3test_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
)

// otherStorage makes another kind of storage of the gateway: it changes requests and
// signs them again, as if the gateway had never known what was changed.
type otherStorage func(header http.Header, presigned bool)

func (change otherStorage) RoundTrip(req *http.Request) (*http.Response, error) {
	r := req.Clone(req.Context())
	query := r.URL.Query()
	presigned := query.Has("X-Amz-Signature")
	change(r.Header, presigned)
	for name := range query {
		if strings.HasPrefix(name, "X-Amz-") {
			query.Del(name)
		}
	}
	r.URL.RawQuery = query.Encode()
	r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	credentials, err := s3test.Credentials(s3test.AccessKey, s3test.SecretKey).Retrieve(r.Context()) //nolint:contextcheck // It is the one of the request.
	if err != nil {
		return nil, err
	}
	if err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).
		SignHTTP(r.Context(), credentials, r, "UNSIGNED-PAYLOAD", "s3", "us-east-1", time.Now()); err != nil { //nolint:contextcheck // As above.
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestStorageThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change otherStorage
		want   string
	}{
		"replaces objects": {
			func(h http.Header, _ bool) { h.Del("If-None-Match") },
			"it replaces an existing object although If-None-Match forbids it",
		},
		"replaces objects by presigned uploads": {
			func(h http.Header, presigned bool) {
				if presigned {
					h.Del("If-None-Match")
				}
			},
			"for a presigned upload it replaces an existing object although If-None-Match forbids it",
		},
		"checks no digest": {
			func(h http.Header, presigned bool) {
				if presigned {
					h.Del("Content-Md5")
				}
			},
			"it does not compare an upload with its Content-MD5",
		},
		"keeps no metadata": {
			func(h http.Header, _ bool) { h.Del("X-Amz-Meta-Md5") },
			"it does not keep the size and the metadata of an upload",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := s3test.NewBucket(t)
			s3test.Fill(t, b.NewStore(t, nil))
			before := len(b.Objects(t))
			bad := b.NewStore(t, func(cfg *previews3.Config) {
				cfg.Client = s3test.NewClient("http://"+b.Addr, c.change)
			})
			_, addressErr := announce(t.Context(), bad, "text")
			for method, err := range map[string]error{
				"Check":         bad.Check(t.Context()),
				"UploadAddress": addressErr,
				"Create":        bad.Create(t.Context(), previews3.Document{ID: "new", Name: "New.docx", Body: strings.NewReader("x")}),
			} {
				if !errors.Is(err, previews3.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s = %v, want %q", method, err, c.want)
				}
			}
			if after := b.Objects(t); len(after) != before {
				t.Errorf("the checks left objects: %q", after)
			}
		})
	}
}

// Some storages have a header of their own for a create that replaces nothing.
func TestCreateOnly(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	own := otherStorage(func(h http.Header, _ bool) {
		h.Del("If-None-Match")
		if h.Get("X-Kss-Forbid-Overwrite") == "true" {
			h.Set("If-None-Match", "*")
		}
	})
	s := b.NewStore(t, func(cfg *previews3.Config) {
		cfg.Client = s3test.NewClient("http://"+b.Addr, own)
		cfg.CreateOnly = previews3.Header{Name: "x-kss-forbid-overwrite", Value: "true"}
	})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	s3test.Fill(t, s)
	sv, err := announce(t.Context(), s, "text")
	if err != nil || sv.address.Header["X-Kss-Forbid-Overwrite"] != "true" {
		t.Errorf("the headers of an upload are %v, %v; want the header of the storage", sv.address.Header, err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	if err := b.NewStore(t, nil).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if keys := b.Objects(t); len(keys) != 0 {
		t.Errorf("Check left %q", keys)
	}
	other := b.NewStore(t, func(cfg *previews3.Config) { cfg.Bucket += "-missing" })
	if err := other.Check(t.Context()); err == nil {
		t.Error("Check of a bucket that does not exist is nil")
	}
	if _, err := other.File(t.Context(), ann); err == nil || errors.Is(err, preview.ErrNotFound) {
		t.Errorf("File in a bucket that does not exist is %v, want an internal error", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.NewStore(t, nil).Check(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Check with a canceled context is %v", err)
	}
}

// The storage itself refuses links that are forged or have expired.
func TestLinks(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, func(cfg *previews3.Config) { cfg.LinkLife = time.Second })
	long := b.NewStore(t, nil)
	s3test.Fill(t, s)
	d, err := long.Download(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	signature := s3test.Query(t, d.URL, "X-Amz-Signature")
	for name, address := range map[string]string{
		"forged signature":  strings.Replace(d.URL, signature, strings.Repeat("0", len(signature)), 1),
		"longer life":       strings.Replace(d.URL, "X-Amz-Expires=1800", "X-Amz-Expires=9999", 1),
		"another key":       strings.Replace(d.URL, "/data/0", "/data/1", 1),
		"without signature": d.URL[:strings.IndexByte(d.URL, '?')],
	} {
		if got := status(t, address); address == d.URL || got != http.StatusForbidden {
			t.Errorf("%s: HTTP %d, want 403", name, got)
		}
	}
	short, err := s.Download(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	sv, err := announce(t.Context(), s, "too late")
	if err != nil {
		t.Fatal(err)
	}
	for status(t, short.URL) == http.StatusOK { // Ends when the storage finds that a second has passed.
		time.Sleep(50 * time.Millisecond)
	}
	if got := status(t, short.URL); got != http.StatusForbidden {
		t.Errorf("an expired download: HTTP %d, want 403", got)
	}
	if got, err := s3test.Put(t.Context(), sv.address, []byte("too late")); err != nil || got.StatusCode != http.StatusForbidden {
		t.Errorf("an expired upload: HTTP %d, %v; want 403", got.StatusCode, err)
	}
}

func status(t *testing.T, address string) int {
	t.Helper()
	resp := get(t, address)
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestSweep(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, nil)
	s3test.Fill(t, s)
	saveText := func(text string) {
		t.Helper()
		sv, err := upload(t.Context(), s, text)
		if err == nil {
			_, err = sv.complete(t.Context(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(opts previews3.SweepOptions, want previews3.Swept) {
		t.Helper()
		got, err := s.Sweep(t.Context(), opts)
		if err != nil || got.Uploads != want.Uploads || got.Versions != want.Versions || got.Bytes != want.Bytes {
			t.Errorf("Sweep = %+v, %v; want %+v", got, err, want)
		}
	}
	saveText("second")
	saveText("third")
	if err := s.Rename(t.Context(), ann, "New.docx"); err != nil {
		t.Fatal(err)
	}
	if _, err := upload(t.Context(), s, "abandoned"); err != nil {
		t.Fatal(err)
	}
	keepOne := previews3.SweepOptions{KeepVersions: 1}
	sweep(keepOne, previews3.Swept{}) // All is young.

	b.Age(t, 2*previews3.UploadLife+time.Minute)
	saveText("fourth")
	young, err := upload(t.Context(), s, "young")
	if err != nil {
		t.Fatal(err)
	}
	sweep(previews3.SweepOptions{}, previews3.Swept{Uploads: 1, Bytes: int64(len("abandoned"))})
	sweep(previews3.SweepOptions{KeepVersions: 1, KeepFor: 30 * 24 * time.Hour}, previews3.Swept{})
	// The third was the newest until now, so it stays.
	sweep(keepOne, previews3.Swept{Versions: 2, Bytes: int64(len("the first plan") + len("second"))})
	sweep(keepOne, previews3.Swept{})

	if f, err := young.complete(t.Context(), s); err != nil || f.Version != 5 || f.Name != "New.docx" {
		t.Errorf("the save that was under way is %+v, %v", f, err)
	}
	for version, want := range map[uint32]string{3: "third", 4: "fourth", 5: "young"} {
		if got := read(t, s, version); got != want {
			t.Errorf("version %d is %q, want %q", version, got, want)
		}
	}
	if _, err := s.Version(t.Context(), ann, 1); !errors.Is(err, preview.ErrVersionNotFound) {
		t.Errorf("Version(1) = %v, want ErrVersionNotFound", err)
	}
	if files, err := s.Versions(t.Context(), ann, preview.Page{Offset: 1, Limit: 5}); err != nil || len(files) != 2 {
		t.Errorf("Versions = %+v, %v; want versions 4 and 3", files, err)
	}
	if keys := b.Objects(t); len(keys) != 7 { // Three versions and the name.
		t.Errorf("objects: %q", keys)
	}
}

// Replicas that sweep at once do not stop each other.
func TestSweepTogether(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, nil)
	s3test.Fill(t, s)
	for _, text := range []string{"second", "third", "fourth", "fifth"} {
		sv, err := upload(t.Context(), s, text)
		if err == nil {
			_, err = sv.complete(t.Context(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.Age(t, 5*previews3.UploadLife)
	var group sync.WaitGroup
	for range 8 {
		replica := b.NewStore(t, nil)
		group.Go(func() {
			if _, err := replica.Sweep(t.Context(), previews3.SweepOptions{KeepVersions: 1}); err != nil {
				t.Errorf("Sweep = %v", err)
			}
		})
	}
	group.Wait()
	if keys := b.Objects(t); len(keys) != 2 { // The fifth version.
		t.Errorf("objects: %q", keys)
	}
}

// A folder becomes a bucket, and its documents keep their ids and numbers.
func TestImport(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, nil)
	folder := fstest.MapFS{"a/Plan.docx": {Data: []byte("plan")}, "Budget.xlsx": {Data: []byte("1+1")}, ".state": {Data: []byte("no document")}}
	describe := func(file string) (previews3.Document, error) {
		id, ok := map[string]string{"a/Plan.docx": "plan", "Budget.xlsx": "budget"}[file]
		if !ok {
			return previews3.Document{}, nil
		}
		return previews3.Document{ID: id, Name: path.Base(file), Version: 9, Creator: "ann"}, nil
	}
	for range 2 { // The second changes nothing.
		if err := s.Import(t.Context(), folder, describe); err != nil {
			t.Fatal(err)
		}
		f, err := s.File(t.Context(), ann)
		if err != nil || f.Version != 9 || f.Name != "Plan.docx" || f.CreatorID != "ann" || read(t, s, 9) != "plan" {
			t.Errorf("File = %+v, %v", f, err)
		}
	}
	if keys := b.Objects(t); len(keys) != 4 {
		t.Errorf("objects: %q", keys)
	}
	if err := s.Create(t.Context(), previews3.Document{ID: "plan", Name: "P.docx", Body: strings.NewReader("")}); !errors.Is(err, previews3.ErrExists) {
		t.Errorf("Create again = %v, want ErrExists", err)
	}
	wrong := errors.New("no metadata")
	if err := s.Import(t.Context(), folder, func(string) (previews3.Document, error) { return previews3.Document{}, wrong }); !errors.Is(err, wrong) {
		t.Errorf("Import = %v, want the error of describe", err)
	}
	if err := s.Import(t.Context(), fs.FS(fstest.MapFS{}), describe); err != nil {
		t.Errorf("Import of an empty folder = %v", err)
	}
}

// Ids that only a CheckID of the integrator accepts stay within their own keys.
func TestStrangeIDs(t *testing.T) {
	t.Parallel()
	s := s3test.NewBucket(t).NewStore(t, nil)
	ids := []string{"a/versions/b", "..", ".check", "文档", "a b", "a+b", "%41", "A", "a"}
	for _, id := range ids {
		if err := s.Create(t.Context(), previews3.Document{ID: id, Name: "N.docx", Body: strings.NewReader(id)}); err != nil {
			t.Errorf("Create(%q) = %v", id, err)
		}
	}
	for _, id := range ids {
		d, err := s.Download(t.Context(), preview.Request{FileID: id})
		if err != nil || fetch(t, d) != id {
			t.Errorf("%q has other bytes, %v", id, err)
		}
	}
	var listed []string
	for id, err := range s.IDs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, id)
	}
	slices.Sort(ids)
	slices.Sort(listed)
	if !slices.Equal(listed, ids) {
		t.Errorf("IDs lists %q, want %q", listed, ids)
	}
}

// Delete takes one document, and nothing of those whose ids begin alike.
func TestDelete(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, nil)
	s3test.Fill(t, s)
	if err := s.Create(t.Context(), previews3.Document{ID: "plan-b", Name: "B.docx", Body: strings.NewReader("b")}); err != nil {
		t.Fatal(err)
	}
	other := b.Objects(t)[:2]
	sv, err := upload(t.Context(), s, "saved")
	if err == nil {
		_, err = sv.complete(t.Context(), s)
	}
	if err == nil {
		_, err = upload(t.Context(), s, "not completed")
	}
	if err == nil {
		err = s.Rename(t.Context(), ann, "Renamed.docx")
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Delete(t.Context(), "plan"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.File(t.Context(), ann); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("File = %v, want %v", err, preview.ErrNotFound)
	}
	if _, err := sv.complete(t.Context(), s); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("a late completion = %v, want %v", err, preview.ErrNotFound)
	}
	if keys := b.Objects(t); !slices.Equal(keys, other) {
		t.Errorf("Delete leaves %q, want %q", keys, other)
	}
}
