package dirstore_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// long names the environment variable that makes tests run for minutes.
const long = "WEBOFFICE_LONG"

// everything lets ann and bob do all, and eve nothing.
func everything(_ context.Context, r preview.Request) (preview.Permission, error) {
	switch user := r.UserID; user {
	case "ann", "bob":
		return preview.Permission{
			UserID: user, Read: true, Update: true, Download: true, Rename: true, History: true, Copy: true, Print: true, Comment: true,
		}, nil
	case "eve":
		return preview.Permission{}, nil
	default:
		return preview.Permission{}, preview.ErrUnauthorized
	}
}

// editConfig is config with everything switched on.
func (f *folder) editConfig() dirstore.Config {
	cfg := f.config()
	cfg.Editing, cfg.KeepVersions, cfg.Allow = true, -1, everything
	cfg.Users = []preview.User{{ID: "ann", Name: "Ann"}, {ID: "bob", Name: "Bob"}}
	return cfg
}

// newEditFolder is newFolder with everything switched on.
func newEditFolder(tb testing.TB, files map[string]string) *folder {
	tb.Helper()
	f := newFolder(tb, files)
	f.openEdit(tb)
	return f
}

func (f *folder) openEdit(tb testing.TB) {
	tb.Helper()
	f.open(tb, f.editConfig())
}

// replica is the store of another process on the same folder.
func (f *folder) replica(tb testing.TB) *dirstore.Store {
	tb.Helper()
	s, err := dirstore.New(f.editConfig())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// capabilities is the store as a Handler gets it.
func (f *folder) capabilities() preview.Config {
	return preview.Config{
		Store: f.Store, Users: f.Store, Saver: f.Store, Renamer: f.Store, History: f.Store, Auth: signing.Unsigned,
		Identify: func(_ context.Context, r preview.Request) (string, error) { return r.WebOfficeToken.Reveal(), nil },
	}
}

func (f *folder) as(user, name string) preview.Request {
	return preview.Request{FileID: f.ID(name), UserID: user, WebOfficeToken: signing.NewSecret(user)}
}

// put uploads as previewtest asks for it.
func (f *folder) put(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, a.URL, bytes.NewReader(body))
	if err != nil {
		return preview.UploadResult{}, err
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, req)
	return preview.UploadResult{StatusCode: w.Code, Header: w.Header(), SendBack: a.SendBack}, nil
}

// announced is what the service says of a save.
func announced(body string) preview.Upload {
	return preview.Upload{Name: "x.docx", Size: int64(len(body)), Digests: []preview.Digest{preview.SHA1Sum(sha1.Sum([]byte(body)))}, Manual: true}
}

// begin makes the first two steps of a save.
func (f *folder) begin(tb testing.TB, r preview.Request, body string) preview.UploadResult {
	tb.Helper()
	a, err := f.UploadAddress(tb.Context(), r, announced(body))
	if err != nil {
		tb.Fatalf("UploadAddress: %v", err)
	}
	got, err := f.put(tb.Context(), a, []byte(body))
	if err != nil || got.StatusCode != http.StatusCreated {
		tb.Fatalf("upload: HTTP %d, %v", got.StatusCode, err)
	}
	return got
}

func (f *folder) complete(tb testing.TB, r preview.Request, body string, got preview.UploadResult) preview.File {
	tb.Helper()
	file, err := f.CompleteUpload(tb.Context(), r, announced(body), got)
	if err != nil {
		tb.Fatalf("CompleteUpload: %v", err)
	}
	return file
}

// save saves a version.
func (f *folder) save(tb testing.TB, user, name, body string) preview.File {
	tb.Helper()
	r := f.as(user, name)
	return f.complete(tb, r, body, f.begin(tb, r, body))
}

// content gives the bytes of a version.
func (f *folder) content(tb testing.TB, r preview.Request, version uint32) string {
	tb.Helper()
	d, err := f.DownloadVersion(tb.Context(), r, version)
	if err != nil {
		tb.Fatalf("DownloadVersion(%d): %v", version, err)
	}
	got := f.get(tb, d.URL)
	if got.status != http.StatusOK || d.Digest != preview.SHA1Sum(sha1.Sum([]byte(got.body))) {
		tb.Fatalf("version %d: HTTP %d, digest %v", version, got.status, d.Digest)
	}
	return got.body
}

// history gives the contents of all versions that are listed, the oldest first.
func (f *folder) history(tb testing.TB, r preview.Request) (contents []string) {
	tb.Helper()
	all, err := f.Versions(tb.Context(), r, preview.Page{})
	if err != nil {
		tb.Fatalf("Versions: %v", err)
	}
	for _, v := range slices.Backward(all) {
		contents = append(contents, fmt.Sprintf("%d %s", v.Version, f.content(tb, r, v.Version)))
	}
	return contents
}

func (f *folder) read(tb testing.TB, name string) string {
	tb.Helper()
	b, err := os.ReadFile(f.path(name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// left lists the uploads that are there.
func (f *folder) left(tb testing.TB) []string {
	tb.Helper()
	left, err := filepath.Glob(f.path(dirstore.HistoryFolderName + "/.uploads/*"))
	if err != nil {
		tb.Fatal(err)
	}
	return left
}

// TestConformanceEditing is the contract of all interfaces, with everything switched on.
func TestConformanceEditing(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
		t.Helper()
		f := newEditFolder(t, map[string]string{"plan.docx": "a plan", "deep/down/预算 2025.xlsx": "1+1", "deep/down/b.docx": "b"})
		f.save(t, "ann", "plan.docx", "a better plan")
		return previewtest.Fixture{
			Config: f.capabilities(),
			Existing: []preview.Request{
				f.as("ann", "plan.docx"), f.as("bob", "plan.docx"), f.as("bob", "deep/down/预算 2025.xlsx"), f.as("bob", "deep/down/b.docx"),
			},
			Missing: f.as("ann", "nothing.docx"),
			Denied:  f.as("eve", "plan.docx"),
			NoUser:  f.as("nobody", "plan.docx"),
			UserIDs: []string{"ann", "bob"},
			Get:     f.fetch,
			Put:     f.put,
		}
	})
}

// TestSave makes versions of saves and of what other programs write.
func TestSave(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"deep/plan.docx": "one"})
	if err := os.Chmod(f.path("deep/plan.docx"), 0o640); err != nil {
		t.Fatal(err)
	}
	r := f.as("ann", "deep/plan.docx")
	f.now.advance(time.Since(f.now.now()))
	first, err := f.File(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	f.now.advance(time.Minute)
	got := f.save(t, "ann", "deep/plan.docx", "two two")
	want := preview.File{
		ID: r.FileID, Name: "plan.docx", Version: 2, Size: 7, CreatedAt: first.CreatedAt, ModifiedAt: f.now.now().UTC(), CreatorID: "owner", ModifierID: "ann",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("CompleteUpload (-want +got):\n%s", diff)
	}
	f.write(t, "deep/plan.docx", "three, by another program") // which nobody asks for
	f.save(t, "bob", "deep/plan.docx", "four")
	f.write(t, "deep/plan.docx", "five!")
	if got, err := f.File(t.Context(), r); err != nil || got.ModifierID != "owner" {
		t.Errorf("File = %+v, %v, want that the owner wrote it", got, err)
	}
	if got := f.read(t, "deep/plan.docx"); got != "five!" {
		t.Errorf("the document holds %q", got)
	}
	f.save(t, "bob", "deep/plan.docx", "six")
	for range 2 { // and after a restart
		want := []string{"1 one", "2 two two", "3 three, by another program", "4 four", "5 five!", "6 six"}
		if diff := cmp.Diff(want, f.history(t, r)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if got := f.get(t, f.download(t, "deep/plan.docx", "ann").URL); got.body != "six" || f.read(t, "deep/plan.docx") != "six" {
			t.Errorf("the newest version is %q, and the document holds %q", got.body, f.read(t, "deep/plan.docx"))
		}
		f.openEdit(t)
	}
	if info, err := os.Stat(f.path("deep/plan.docx")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the document has mode %v, %v", info.Mode(), err)
	}
	if left := f.left(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	kept, err := filepath.Glob(f.path(dirstore.HistoryFolderName + "/plan.docx.*/4.docx"))
	if err != nil || len(kept) != 1 {
		t.Errorf("version 4 is in %q, %v", kept, err)
	}
}

// TestTouched is no version, and not one twice.
func TestTouched(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	f.version(t, "a.docx")
	f.age(t, "a.docx", time.Hour)
	if diff := cmp.Diff([]string{"1 one"}, f.history(t, f.as("ann", "a.docx"))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestSavedLongName is kept in a folder with a part of the name. What was saved is not
// read again, and served from the document if the history was damaged.
func TestSavedLongName(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("文", 80) + ".docx"
	f := newEditFolder(t, map[string]string{name: "one"})
	f.save(t, "ann", name, "two")
	kept, err := filepath.Glob(f.path(dirstore.HistoryFolderName + "/" + strings.Repeat("文", 50) + ".*/2.docx"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("version 2 is in %q, %v", kept, err)
	}
	if err := os.Truncate(kept[0], 1); err != nil {
		t.Fatal(err)
	}
	f.SetClock(func() time.Time { t.Error("the file is read again"); return time.Now() })
	if diff := cmp.Diff([]string{"1 one", "2 two"}, f.history(t, f.as("ann", name))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestSaveOnce: a repeated complete gives the same version, also after another save, a
// restart, and by another process; a link cannot change what was saved.
func TestSaveOnce(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	a, err := f.UploadAddress(t.Context(), r, announced("two"))
	if err != nil {
		t.Fatal(err)
	}
	upload := func(body string, want int) preview.UploadResult {
		t.Helper()
		got, err := f.put(t.Context(), a, []byte(body))
		if err != nil || got.StatusCode != want {
			t.Errorf("upload of %q: HTTP %d, %v, want %d", body, got.StatusCode, err, want)
		}
		return got
	}
	if _, err := f.CompleteUpload(t.Context(), r, announced("two"), preview.UploadResult{StatusCode: 201, SendBack: a.SendBack}); !errors.Is(err, preview.ErrNotUploaded) {
		t.Errorf("CompleteUpload before the upload = %v", err)
	}
	upload("longer", http.StatusBadRequest)
	upload("s", http.StatusBadRequest)
	got := upload("two", http.StatusCreated)
	upload("two", http.StatusCreated)
	upload("TWO", http.StatusConflict)
	for _, wrong := range []preview.Upload{announced("TWO"), {Size: 4}, {Size: 3, Digests: []preview.Digest{{Type: preview.SHA256, Hex: strings.Repeat("0", 64)}}}} {
		if _, err := f.CompleteUpload(t.Context(), r, wrong, got); !errors.Is(err, preview.ErrNotUploaded) {
			t.Errorf("CompleteUpload of what was not announced = %v", err)
		}
	}
	first := f.complete(t, r, "two", got)
	if first.Version != 2 {
		t.Errorf("version %d, want 2", first.Version)
	}
	upload("two", http.StatusCreated) // too late, and harmless
	upload("TWO", http.StatusConflict)
	f.save(t, "bob", "a.docx", "three")
	other := &folder{dir: f.dir, now: f.now}
	other.openEdit(t)
	for _, f := range []*folder{f, other} {
		if again := f.complete(t, r, "two", got); !cmp.Equal(again, first) {
			t.Errorf("CompleteUpload again = %+v, want %+v", again, first)
		}
	}
	f.openEdit(t)
	if again := f.complete(t, r, "two", got); !cmp.Equal(again, first) {
		t.Errorf("CompleteUpload after a restart = %+v, want %+v", again, first)
	}
	if diff := cmp.Diff([]string{"1 one", "2 two", "3 three"}, f.history(t, r)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestUploadRefused: links of others, too large, too late, another document, no upload.
func TestUploadRefused(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one", "b.docx": "one"})
	cfg := f.editConfig()
	cfg.MaxUpload = 10
	f.open(t, cfg)
	r := f.as("ann", "a.docx")
	if _, err := f.UploadAddress(t.Context(), r, announced("eleven byte")); !errors.Is(err, preview.ErrStorageFull) {
		t.Errorf("UploadAddress of too much = %v", err)
	}
	a, err := f.UploadAddress(t.Context(), r, announced("two"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(url string) string{
		"size":      func(url string) string { return strings.Replace(url, "size=3", "size=4", 1) },
		"file":      func(url string) string { return strings.Replace(url, r.FileID, f.ID("b.docx"), 1) },
		"upload":    func(url string) string { return strings.Replace(url, "upload=", "upload=9", 1) },
		"signature": func(url string) string { return strings.Replace(url, "signature=", "signature=x", 1) },
		"download":  func(string) string { return f.download(t, "a.docx", "ann").URL + "&upload=1-A&size=3" },
	} {
		if got := f.do(t, http.MethodPut, change(a.URL)); got.status != http.StatusForbidden {
			t.Errorf("a link with another %s: HTTP %d", name, got.status)
		}
	}
	if got := f.do(t, http.MethodGet, a.URL); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "PUT" {
		t.Errorf("GET of an upload link: HTTP %d, Allow %q", got.status, got.header.Get("Allow"))
	}
	f.now.advance(dirstore.DefaultLinkLife)
	if got, _ := f.put(t.Context(), a, []byte("two")); got.StatusCode != http.StatusForbidden {
		t.Errorf("an expired link: HTTP %d", got.StatusCode)
	}
	got := f.begin(t, r, "two")
	if _, err := f.CompleteUpload(t.Context(), f.as("ann", "b.docx"), announced("two"), got); !errors.Is(err, preview.ErrNotUploaded) {
		t.Errorf("CompleteUpload for another document = %v", err)
	}
	for _, token := range []string{"", "x", "../..", "1-../../x", "1-.", "99999999999-", "1-\x00", "1-" + strings.Repeat("A", 300), strings.Repeat("0", 300) + "1-A"} {
		got := preview.UploadResult{StatusCode: 200, SendBack: map[string]string{"upload": token}}
		if _, err := f.CompleteUpload(t.Context(), r, announced("two"), got); !errors.Is(err, preview.ErrNotUploaded) {
			t.Errorf("CompleteUpload of %q = %v", token, err)
		}
	}
	if err := os.Remove(f.path("a.docx")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.CompleteUpload(t.Context(), r, announced("two"), got); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("CompleteUpload of a document that is gone = %v", err)
	}
}

// TestSweep removes what was abandoned, and nothing else.
func TestSweep(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	abandoned := f.begin(t, r, "abandoned")
	f.write(t, dirstore.HistoryFolderName+"/.uploads/1-AAAA.BBBB/bytes", "half")
	f.now.advance(dirstore.DefaultLinkLife + 30*time.Minute)
	used := f.begin(t, r, "used")
	f.openEdit(t)
	if left := f.left(t); len(left) != 2 {
		t.Errorf("half an hour after the link expired: %q", left)
	}
	f.now.advance(31 * time.Minute)
	f.openEdit(t)
	if left := f.left(t); len(left) != 1 {
		t.Errorf("an hour after the link expired: %q", left)
	}
	if _, err := f.CompleteUpload(t.Context(), r, announced("abandoned"), abandoned); !errors.Is(err, preview.ErrNotUploaded) {
		t.Errorf("CompleteUpload of what was swept = %v", err)
	}
	if got := f.complete(t, r, "used", used); got.Version != 2 {
		t.Errorf("version %d, want 2", got.Version)
	}
	f.begin(t, r, "x")
	f.now.advance(48 * time.Hour)
	f.SetClock(func() time.Time { return time.Now().Add(2 * time.Hour) })
	f.begin(t, r, "y") // sweeps, an hour after the last time
	if left := f.left(t); len(left) != 1 {
		t.Errorf("swept while running: %q", left)
	}
}

// TestKeep removes versions by number and by time.
func TestKeep(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "0"})
	f.now.advance(time.Since(f.now.now()))
	cfg := f.editConfig()
	cfg.KeepVersions, cfg.KeepFor = 3, time.Hour
	f.open(t, cfg)
	r := f.as("ann", "a.docx")
	first := f.begin(t, r, "first")
	saved := f.complete(t, r, "first", first)
	for n := range 5 {
		f.save(t, "ann", "a.docx", fmt.Sprint(n))
	}
	if diff := cmp.Diff([]string{"5 2", "6 3", "7 4"}, f.history(t, r)); diff != "" {
		t.Errorf("three are kept (-want +got):\n%s", diff)
	}
	if _, err := f.Version(t.Context(), r, 2); !errors.Is(err, preview.ErrVersionNotFound) {
		t.Errorf("Version that is not kept = %v", err)
	}
	if again := f.complete(t, r, "first", first); !cmp.Equal(again, saved) {
		t.Errorf("CompleteUpload of a version that is not kept = %+v, want %+v", again, saved)
	}
	f.now.advance(time.Hour + time.Second)
	f.save(t, "ann", "a.docx", "late")
	if diff := cmp.Diff([]string{"7 4", "8 late"}, f.history(t, r)); diff != "" {
		t.Errorf("an hour later (-want +got):\n%s", diff)
	}
	cfg.KeepVersions, cfg.KeepFor = 1, 0
	f.open(t, cfg)
	f.save(t, "ann", "a.docx", "last")
	if diff := cmp.Diff([]string{"9 last"}, f.history(t, r)); diff != "" {
		t.Errorf("one is kept (-want +got):\n%s", diff)
	}
	f.write(t, "a.docx", "of another program")
	if diff := cmp.Diff([]string{"10 of another program"}, f.history(t, r)); diff != "" || len(f.left(t)) > 0 {
		t.Errorf("one is kept, and no upload but %q (-want +got):\n%s", f.left(t), diff)
	}
}

// TestRestore goes back to a version by making it the newest.
func TestRestore(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("bob", "a.docx")
	f.save(t, "ann", "a.docx", "two")
	got, err := f.Restore(t.Context(), r, 1)
	if err != nil || got.Version != 3 || got.ModifierID != "bob" || f.read(t, "a.docx") != "one" {
		t.Errorf("Restore = %+v, %v; the document holds %q", got, err, f.read(t, "a.docx"))
	}
	if diff := cmp.Diff([]string{"1 one", "2 two", "3 one"}, f.history(t, r)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if _, err := f.Restore(t.Context(), r, 9); !errors.Is(err, preview.ErrVersionNotFound) {
		t.Errorf("Restore of nothing = %v", err)
	}
	if _, err := f.Restore(t.Context(), f.as("eve", "a.docx"), 1); !errors.Is(err, preview.ErrForbidden) {
		t.Errorf("Restore by eve = %v", err)
	}
}

// TestRename keeps id and history, and takes nobody's name.
func TestRename(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"d/a.docx": "one", "d/b.docx": "b"})
	r := f.as("ann", "d/a.docx")
	f.save(t, "ann", "d/a.docx", "two")
	for name, want := range map[string]error{
		"b.docx": preview.ErrNameConflict, ".a.docx": preview.ErrInvalid, "..": preview.ErrInvalid, "a\nb.docx": preview.ErrInvalid,
		"~$a.docx": preview.ErrInvalid, strings.Repeat("x", 300): preview.ErrInvalid, "a.docx": nil,
	} {
		if err := f.Rename(t.Context(), r, name); !errors.Is(err, want) {
			t.Errorf("Rename to %q = %v, want %v", name, err, want)
		}
	}
	rename := func(r preview.Request, name string) {
		t.Helper()
		if err := f.Rename(t.Context(), r, name); err != nil {
			t.Fatalf("Rename to %q: %v", name, err)
		}
	}
	rename(r, "预算 c.docx")
	f.write(t, "d/a.docx", "another document")
	second := f.as("bob", "d/a.docx")
	if second.FileID == r.FileID {
		t.Fatal("two documents have one id")
	}
	rename(second, "d.docx")
	f.write(t, "d/a.docx", "a third")
	other := &folder{dir: f.dir, now: f.now}
	other.openEdit(t)
	for _, f := range []*folder{f, other} {
		for name, want := range map[string]string{"d/预算 c.docx": "1 one,2 two", "d/d.docx": "1 another document", "d/a.docx": "1 a third", "d/b.docx": "1 b"} {
			if got := strings.Join(f.history(t, f.as("ann", name)), ","); got != want {
				t.Errorf("%s has the history %q, want %q", name, got, want)
			}
		}
		if f.ID("d/预算 c.docx") != r.FileID || f.ID("d/d.docx") != second.FileID {
			t.Error("a document that was renamed has another id")
		}
		if got, err := f.File(t.Context(), r); err != nil || got.Name != "预算 c.docx" || got.Version != 2 {
			t.Errorf("File = %+v, %v", got, err)
		}
		if name, err := f.Path(t.Context(), r.FileID); err != nil || name != "d/预算 c.docx" {
			t.Errorf("Path = %q, %v", name, err)
		}
	}
	f.save(t, "ann", "d/预算 c.docx", "three")
	if err := os.Remove(f.path("d/a.docx")); err != nil {
		t.Fatal(err)
	}
	rename(r, "a.docx") // back
	if got := strings.Join(f.history(t, r), ","); got != "1 one,2 two,3 three" || f.read(t, "d/a.docx") != "three" {
		t.Errorf("the history is %q", got)
	}
	if kept, err := filepath.Glob(f.path(dirstore.HistoryFolderName + "/a.docx." + r.FileID + "/3.docx")); err != nil || len(kept) != 1 {
		t.Errorf("version 3 is in %q, %v", kept, err)
	}
}

// TestRenameIsToldAgain to a state file that was restored from a backup.
func TestRenameIsToldAgain(t *testing.T) {
	t.Parallel()
	for renamed, lines := range map[string]int{"never": 1, "once": 3, "twice": 5} { // each renaming has two
		f := newEditFolder(t, map[string]string{"a.docx": "one"})
		r := f.as("ann", "a.docx")
		f.version(t, "a.docx")
		for _, name := range []string{"b.docx", "c.docx"} {
			if err := f.Rename(t.Context(), r, name); err != nil {
				t.Fatal(err)
			}
		}
		saved := f.state(t)
		f.save(t, "ann", "c.docx", "two")
		backup := strings.Join(strings.SplitAfter(saved, "\n")[:lines], "")
		if err := os.WriteFile(f.path(dirstore.StateFileName), []byte(backup), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // and after a restart
			if got, err := f.File(t.Context(), r); err != nil || got.Name != "c.docx" || got.Version != 2 {
				t.Errorf("renamed %s before the backup: File = %+v, %v", renamed, got, err)
			}
			told := f.state(t)
			if err := f.Rename(t.Context(), r, "c.docx"); err != nil || f.state(t) != told {
				t.Errorf("renamed %s before the backup: Rename to the same name = %v, and the state file is told more than once", renamed, err)
			}
			f.openEdit(t)
		}
	}
}

// TestRenameOfAnotherProcess is followed at once.
func TestRenameOfAnotherProcess(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	f.version(t, "a.docx")
	for call, follows := range map[string]func(other *dirstore.Store) bool{
		"ID": func(other *dirstore.Store) bool {
			_, _ = other.Permission(t.Context(), f.as("ann", "b.docx"))
			return other.ID("b.docx") == r.FileID
		},
		"Path": func(other *dirstore.Store) bool {
			name, err := other.Path(t.Context(), r.FileID)
			return err == nil && name == "b.docx"
		},
		"File": func(other *dirstore.Store) bool {
			file, err := other.File(t.Context(), r)
			return err == nil && file.Name == "b.docx"
		},
		"Permission": func(other *dirstore.Store) bool {
			_, err := other.Permission(t.Context(), r)
			return err == nil
		},
	} {
		other := f.replica(t)
		if _, err := other.File(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := f.Rename(t.Context(), r, "b.docx"); err != nil {
			t.Fatal(err)
		}
		if !follows(other) {
			t.Errorf("%s does not know the new name", call)
		}
		if err := f.Rename(t.Context(), r, "a.docx"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRenameCut finishes a renaming that a crash cut after any of its steps.
func TestRenameCut(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(f *folder) error{
		"before the link":      func(*folder) error { return nil },
		"after the link":       func(f *folder) error { return os.Link(f.path("a.docx"), f.path("b.docx")) },
		"after the removal":    func(f *folder) error { return os.Rename(f.path("a.docx"), f.path("b.docx")) },
		"the new name is gone": func(f *folder) error { return os.WriteFile(f.path("b.docx"), []byte("another"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newEditFolder(t, map[string]string{"a.docx": "one"})
			r := f.as("ann", "a.docx")
			f.save(t, "ann", "a.docx", "two")
			line := fmt.Sprintf(`{"id":%q,"path":"b.docx","from":"a.docx","born":"a.docx"}`+"\n", r.FileID)
			if err := os.WriteFile(f.path(dirstore.StateFileName), []byte(f.state(t)+line), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := cut(f); err != nil {
				t.Fatal(err)
			}
			f.openEdit(t)
			want := "b.docx"
			if name == "the new name is gone" {
				want = "a.docx"
			}
			for _, name := range []string{"a.docx", "b.docx"} {
				if _, err := os.Stat(f.path(name)); (err == nil) != (name == want || want == "a.docx") {
					t.Errorf("%s: %v", name, err)
				}
			}
			f.save(t, "bob", want, "three")
			if got := strings.Join(f.history(t, r), ","); got != "1 one,2 two,3 three" {
				t.Errorf("history = %q", got)
			}
			if got, err := f.File(t.Context(), r); err != nil || got.Name != want {
				t.Errorf("File = %+v, %v", got, err)
			}
		})
	}
}

// TestLinkedDocument opens, and is not edited.
func TestLinkedDocument(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	f.link(t, "a.docx", "b.docx")
	p, err := f.Permission(t.Context(), f.as("ann", "b.docx"))
	if err != nil || p.Update || p.Rename || !p.Read || !p.History {
		t.Errorf("Permission = %v, %v", p, err)
	}
	if _, err := f.PrepareUpload(t.Context(), f.as("ann", "b.docx")); !errors.Is(err, preview.ErrForbidden) {
		t.Errorf("PrepareUpload = %v", err)
	}
	if got := f.history(t, f.as("ann", "b.docx")); len(got) != 1 || got[0] != "1 one" {
		t.Errorf("history = %q", got)
	}
}

// TestEditingOff keeps a store that only reads from doing anything else.
func TestEditingOff(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	cfg := f.config()
	cfg.Allow = everything
	f.open(t, cfg)
	r := f.as("ann", "a.docx")
	_, prepareErr := f.PrepareUpload(t.Context(), r)
	_, addressErr := f.UploadAddress(t.Context(), r, announced("x"))
	_, completeErr := f.CompleteUpload(t.Context(), r, announced("x"), preview.UploadResult{SendBack: map[string]string{"upload": "1-A"}})
	_, versionsErr := f.Versions(t.Context(), r, preview.Page{})
	_, restoreErr := f.Restore(t.Context(), r, 1)
	for i, err := range []error{prepareErr, addressErr, completeErr, versionsErr, restoreErr, f.Rename(t.Context(), r, "b.docx")} {
		if err == nil || !strings.Contains(err.Error(), "Config.Editing is off") {
			t.Errorf("method %d = %v", i, err)
		}
	}
	if _, err := os.Stat(f.path(dirstore.HistoryFolderName)); err == nil {
		t.Error("a store that only reads has a history")
	}
}

// TestSavesTogether saves one document from eight editors of two processes: every save
// is a version with its own bytes.
func TestSavesTogether(t *testing.T) {
	t.Parallel()
	each := 10
	if os.Getenv(long) != "" {
		each = 300
	}
	a := newEditFolder(t, map[string]string{"a.docx": "start"})
	b := &folder{dir: a.dir, now: a.now}
	b.openEdit(t)
	var mu sync.Mutex
	saved := map[uint32]string{1: "start"}
	var group sync.WaitGroup
	for editor := range 8 {
		group.Go(func() {
			f := []*folder{a, b}[editor%2]
			for n := range each {
				body := fmt.Sprintf("save %d of editor %d", n, editor)
				got := f.save(t, []string{"ann", "bob"}[editor%2], "a.docx", body)
				mu.Lock()
				if before, ok := saved[got.Version]; ok {
					t.Errorf("version %d is %q and %q", got.Version, before, body)
				}
				saved[got.Version] = body
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for _, f := range []*folder{a, b} {
		history := f.history(t, f.as("ann", "a.docx"))
		if len(history) != 8*each+1 {
			t.Errorf("%d versions, want %d", len(history), 8*each+1)
		}
		for i, got := range history {
			if want := fmt.Sprintf("%d %s", i+1, saved[uint32(i+1)]); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	}
	if left := a.left(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestSavesAndOtherPrograms: what another program writes by renaming is never lost once
// it was seen, and the document ends as the newest version.
func TestSavesAndOtherPrograms(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "start"})
	r := f.as("ann", "a.docx")
	seen := map[uint32]int64{}
	for n := range 10 {
		f.write(t, ".tmp", strings.Repeat("p", n+1))
		if err := os.Rename(f.path(".tmp"), f.path("a.docx")); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			file, err := f.File(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			seen[file.Version] = file.Size
		}
		file := f.save(t, "ann", "a.docx", strings.Repeat("s", 100+n))
		seen[file.Version] = file.Size
	}
	if len(seen) != 15 {
		t.Errorf("%d versions, want 15", len(seen))
	}
	for number, size := range seen {
		if got := f.content(t, r, number); int64(len(got)) != size {
			t.Errorf("version %d has %d bytes, want %d", number, len(got), size)
		}
	}
}

// TestSaveAfterAChangeInOneTick looks at a document again that may have changed since it was
// read, although its size and time are the same.
func TestSaveAfterAChangeInOneTick(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	now := time.Now()
	f.SetClock(func() time.Time { return now })
	if err := os.Chtimes(f.path("a.docx"), now, now); err != nil {
		t.Fatal(err)
	}
	f.version(t, "a.docx")
	got := f.begin(t, r, "three")
	f.write(t, "a.docx", "two")
	if err := os.Chtimes(f.path("a.docx"), now, now); err != nil {
		t.Fatal(err)
	}
	f.complete(t, r, "three", got)
	if diff := cmp.Diff([]string{"1 one", "2 two", "3 three"}, f.history(t, r)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(f.path(dirstore.HistoryFolderName + "/README.txt")); err != nil {
		t.Errorf("nothing says what the folder is: %v", err)
	}
}

// TestClockSetBack loses nothing, and no time goes back.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	f.now.advance(time.Since(f.now.now()))
	first := f.save(t, "ann", "a.docx", "two")
	f.now.advance(-24 * time.Hour)
	f.SetClock(func() time.Time { return time.Now().Add(-24 * time.Hour) })
	second := f.save(t, "ann", "a.docx", "three")
	f.openEdit(t)
	third := f.save(t, "ann", "a.docx", "four")
	if first.Version != 2 || second.Version != 3 || third.Version != 4 || second.ModifiedAt.Before(first.ModifiedAt) || third.ModifiedAt.Before(second.ModifiedAt) {
		t.Errorf("saves = %+v, %+v, %+v", first, second, third)
	}
	if diff := cmp.Diff([]string{"1 one", "2 two", "3 three", "4 four"}, f.history(t, f.as("ann", "a.docx"))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestUsers finds those of the Config, and the owner.
func TestUsers(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, nil)
	got, err := f.Users(t.Context(), preview.Request{}, []string{"bob", "nobody", "owner"})
	want := []preview.User{{ID: "bob", Name: "Bob"}, {ID: "owner", Name: "owner"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Users: %v (-want +got):\n%s", err, diff)
	}
}

// TestUploadBreaksOff leaves nothing of an upload whose connection ends.
func TestUploadBreaksOff(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	a, err := f.UploadAddress(t.Context(), r, announced("twenty bytes of text"))
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPut, a.URL, io.MultiReader(strings.NewReader("twenty"), failing{}))
	w := httptest.NewRecorder()
	if f.ServeHTTP(w, req); w.Code < 400 {
		t.Errorf("HTTP %d", w.Code)
	}
	if left := f.left(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	if got, _ := f.put(t.Context(), a, []byte("twenty bytes of text")); got.StatusCode != http.StatusCreated {
		t.Errorf("the upload again: HTTP %d", got.StatusCode)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
