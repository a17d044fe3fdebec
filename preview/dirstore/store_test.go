package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

// TestConformance is the contract of preview.Store.
func TestConformance(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
		t.Helper()
		f := newFolder(t, map[string]string{"plan.docx": "a plan", "deep/down/预算 2025.xlsx": "1+1", "empty.pdf": ""})
		cfg := f.config()
		cfg.Allow = func(_ context.Context, r preview.Request) (preview.Permission, error) {
			switch r.WebOfficeToken.Reveal() {
			case "ann":
				return preview.Permission{UserID: "ann", Read: true, Copy: true}, nil
			case "eve":
				return preview.Permission{}, nil
			default:
				return preview.Permission{}, preview.ErrUnauthorized
			}
		}
		f.open(t, cfg)
		as := func(token, name string) preview.Request {
			return preview.Request{FileID: f.ID(name), WebOfficeToken: signing.NewSecret(token)}
		}
		return previewtest.Fixture{
			Config:   preview.Config{Store: f.Store},
			Existing: []preview.Request{as("ann", "plan.docx"), as("ann", "deep/down/预算 2025.xlsx"), as("ann", "empty.pdf")},
			Missing:  as("ann", "nothing.docx"),
			Denied:   as("eve", "plan.docx"),
			NoUser:   as("bob", "plan.docx"),
			Get:      f.fetch,
		}
	})
}

// TestFile describes a file (protocol 2.4).
func TestFile(t *testing.T) {
	t.Parallel()
	file, name := "deep/bad?name|.docx", "bad_name_.docx"
	if runtime.GOOS == "windows" { // where no file can have that name
		file, name = "deep/bad name.docx", "bad name.docx"
	}
	f := newFolder(t, map[string]string{file: "12345"})
	at := f.age(t, file, time.Hour)
	got, err := f.File(t.Context(), f.request(file))
	if err != nil {
		t.Fatal(err)
	}
	want := preview.File{
		ID: f.ID(file), Name: name, Version: 1, Size: 5,
		CreatedAt: at.UTC(), ModifiedAt: at.UTC(), CreatorID: "owner", ModifierID: "owner",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("File (-want +got):\n%s", diff)
	}
	cfg := f.config()
	cfg.Owner = "u7"
	f.open(t, cfg)
	if got, err := f.File(t.Context(), f.request(file)); err != nil || got.CreatorID != "u7" || got.ModifierID != "u7" {
		t.Errorf("File with an Owner = %+v, %v", got, err)
	}
}

// TestFileTimes are never before 1970, whatever an archive set.
func TestFileTimes(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"old.docx": "x", "new.docx": "x"})
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(-100, 0)} {
		if err := os.Chtimes(f.path("old.docx"), at, at); err != nil {
			t.Fatal(err)
		}
		got, err := f.File(t.Context(), f.request("old.docx"))
		if err != nil || got.CreatedAt.Unix() < 1 || got.ModifiedAt.Unix() < 1 {
			t.Errorf("File = %+v, %v", got, err)
		}
	}
	created := f.age(t, "new.docx", 3*time.Hour)
	f.version(t, "new.docx")
	f.write(t, "new.docx", "y")
	modified := f.age(t, "new.docx", time.Hour)
	got, err := f.File(t.Context(), f.request("new.docx"))
	if err != nil || !got.CreatedAt.Equal(created) || !got.ModifiedAt.Equal(modified) {
		t.Errorf("File = %+v, %v, want it created %v and modified %v", got, err, created, modified)
	}
}

// TestFileTimesFarAhead are no milliseconds, of which a handler would speak.
func TestFileTimesFarAhead(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]int64{0: 1, 1: 1, 1 << 40: 99_999_999_999, 100_000_000_000: 99_999_999_999, 99_999_999_999: 99_999_999_999} {
		got := dirstore.Sayable(time.Unix(at, 0))
		if got.Unix() != want {
			t.Errorf("second %d becomes %d, want %d", at, got.Unix(), want)
		}
		h, err := preview.NewHandler(preview.Config{Store: previewtest.MapStore{"a": {File: preview.File{Name: "a.docx", CreatedAt: got}}}, Auth: signing.Unsigned})
		if err != nil {
			t.Fatal(err)
		}
		v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: h})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.File(t.Context(), "a"); err != nil {
			t.Errorf("second %d: %v", want, err)
		}
	}
}

// TestID is stable, and one that a Handler accepts.
func TestID(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	// The ids of documents are kept by others, so this one may never change.
	if got, want := f.ID("deep/plan.docx"), "nh7a6mydizlmnuhj526ydazxzdbdcah2"; got != want {
		t.Errorf("ID = %q, want %q", got, want)
	}
	seen := map[string]string{}
	for i := range 2000 {
		name := fmt.Sprintf("d%d/文件 %d.docx", i%7, i)
		id := f.ID(name)
		if err := preview.DefaultCheckID(id); err != nil {
			t.Fatalf("ID(%q) = %q: %v", name, id, err)
		}
		if other, ok := seen[id]; ok {
			t.Fatalf("%q and %q have one id", name, other)
		}
		seen[id] = name
	}
	for _, same := range []string{"/deep/plan.docx", "deep//plan.docx", "./deep/plan.docx", "deep/x/../plan.docx"} {
		if f.ID(same) != f.ID("deep/plan.docx") {
			t.Errorf("ID(%q) differs", same)
		}
	}
}

// TestNotDocuments looks for what must not be found.
func TestNotDocuments(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{
		"plan.docx": "x", ".hidden.docx": "x", ".git/config.docx": "x", "deep/.x/y.docx": "x", "~$plan.docx": "x",
	})
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.docx")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(f.dir, secret)
	if err != nil {
		t.Fatal(err)
	}
	f.link(t, secret, "absolute.docx")
	f.link(t, relative, "relative.docx")
	f.link(t, outside, "folder")
	f.link(t, "nowhere", "broken.docx")
	f.link(t, "loop.docx", "loop.docx")
	f.link(t, "plan.docx", "alias.docx")
	f.link(t, ".", "here")
	f.link(t, ".hidden.docx", "to-hidden.docx")
	f.link(t, "../.git/config.docx", "deep/to-git.docx")
	f.link(t, dirstore.StateFileName, "to-state.docx")
	f.link(t, ".git", "git")
	f.link(t, "git/config.docx", "by-folder.docx")
	f.link(t, "to-hidden.docx", "by-link.docx")
	f.link(t, ".plan-link", "by-hidden-link.docx")
	f.link(t, "plan.docx", ".plan-link")
	f.link(t, "../plan.docx", "deep/up.docx")
	f.link(t, "here/deep/up.docx", "round.docx")
	f.version(t, "plan.docx")
	for _, name := range []string{"alias.docx", "deep/up.docx", "round.docx", "by-hidden-link.docx"} {
		if got := f.get(t, f.download(t, name).URL); got.body != "x" {
			t.Errorf("%s is served as HTTP %d %q", name, got.status, got.body)
		}
	}
	for _, name := range []string{
		".hidden.docx", ".git/config.docx", "deep/.x/y.docx", "~$plan.docx", dirstore.StateFileName,
		"absolute.docx", "relative.docx", "folder/secret.docx", "folder", "broken.docx", "loop.docx", "here/plan.docx",
		"to-hidden.docx", "deep/to-git.docx", "to-state.docx", "git", "git/config.docx", "by-folder.docx", "by-link.docx",
		"", ".", "..", "../" + filepath.Base(f.dir) + "/plan.docx", filepath.ToSlash(relative), filepath.ToSlash(secret), "deep", "plan.docx/x",
	} {
		r := f.request(name)
		if _, err := f.File(t.Context(), r); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("File(%q) = %v, want ErrNotFound", name, err)
		}
		if d, err := f.Download(t.Context(), r); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("Download(%q) = %v, %v, want ErrNotFound", name, d, err)
		}
		if _, err := f.Permission(t.Context(), r); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("Permission(%q) = %v, want ErrNotFound", name, err)
		}
	}
	for _, name := range []string{".hidden.docx", ".git/config.docx", "deep/.x/y.docx", "~$plan.docx", dirstore.StateFileName} {
		if got, err := f.Path(t.Context(), f.ID(name)); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("Path of the id of %q = %q, %v, want ErrNotFound", name, got, err)
		}
	}
	for _, id := range []string{"plan.docx", "../plan.docx", strings.ToUpper(f.ID("plan.docx")), ""} {
		if _, err := f.File(t.Context(), preview.Request{FileID: id}); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("File of id %q = %v, want ErrNotFound", id, err)
		}
	}
}

// TestSymlinkAfterwards turns a known document into a link that leads out.
func TestSymlinkAfterwards(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"plan.docx": "x", "deep/note.docx": "x"})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "note.docx"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for _, name := range []string{"plan.docx", "deep/note.docx"} {
		links[name] = f.download(t, name).URL
	}
	if err := errors.Join(os.Remove(f.path("plan.docx")), os.RemoveAll(f.path("deep"))); err != nil {
		t.Fatal(err)
	}
	f.link(t, filepath.Join(outside, "note.docx"), "plan.docx")
	f.link(t, outside, "deep")
	for name, link := range links {
		if _, err := f.File(t.Context(), f.request(name)); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("File(%q) = %v, want ErrNotFound", name, err)
		}
		if got := f.get(t, link); got.status != 404 || strings.Contains(got.body, "secret") {
			t.Errorf("the link to %q gives HTTP %d: %s", name, got.status, got.body)
		}
	}
}

// TestSymlinkToHiddenAfterwards turns known documents into links to what is hidden.
func TestSymlinkToHiddenAfterwards(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"plan.docx": "x", "deep/note.docx": "x", ".deep/note.docx": "secret"})
	links := map[string]string{}
	for _, name := range []string{"plan.docx", "deep/note.docx"} {
		links[name] = f.download(t, name).URL
	}
	if err := errors.Join(os.Remove(f.path("plan.docx")), os.RemoveAll(f.path("deep"))); err != nil {
		t.Fatal(err)
	}
	f.link(t, ".deep/note.docx", "plan.docx")
	f.link(t, ".deep", "deep")
	for name, link := range links {
		if got := f.get(t, link); got.status != 404 || strings.Contains(got.body, "secret") {
			t.Errorf("the link to %q gives HTTP %d: %s", name, got.status, got.body)
		}
		if _, err := f.File(t.Context(), f.request(name)); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("File(%q) = %v, want ErrNotFound", name, err)
		}
	}
}

// TestComeAndGo finds new files, and misses those that are gone.
func TestComeAndGo(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "x"})
	f.version(t, "a.docx")
	f.write(t, "new/b.docx", "y")
	f.version(t, "new/b.docx")
	if err := os.Remove(f.path("a.docx")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.File(t.Context(), f.request("a.docx")); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("File of a file that is gone = %v", err)
	}
	if err := os.Mkdir(f.path("a.docx"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.File(t.Context(), f.request("a.docx")); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("File of a folder = %v", err)
	}
	if name, err := f.Path(t.Context(), f.ID("new/b.docx")); name != "new/b.docx" || err != nil {
		t.Errorf("Path = %q, %v", name, err)
	}
}

// TestAllow is asked for documents that there are, and Download obeys it.
func TestAllow(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "x"})
	broken := errors.New("no permission service")
	var p preview.Permission
	var allowErr error
	cfg := f.config()
	cfg.Allow = func(ctx context.Context, r preview.Request) (preview.Permission, error) {
		if name, err := f.Path(ctx, r.FileID); name != "a.docx" || r.UserID != "ann" {
			t.Errorf("Allow is asked about %q, %v for %q", name, err, r.UserID)
		}
		return p, allowErr
	}
	f.open(t, cfg)
	r := f.request("a.docx")
	r.UserID = "ann"
	for _, tc := range []struct {
		p    preview.Permission
		err  error
		want error
	}{
		{preview.Permission{Read: true, Copy: true}, nil, nil},
		{preview.Permission{Copy: true}, nil, preview.ErrForbidden},
		{preview.Permission{Read: true}, preview.ErrUnauthorized, preview.ErrUnauthorized},
		{preview.Permission{}, broken, broken},
	} {
		p, allowErr = tc.p, tc.err
		if got, err := f.Permission(t.Context(), r); !errors.Is(err, tc.err) || err == nil && got != tc.p {
			t.Errorf("Permission = %v, %v, want %v, %v", got, err, tc.p, tc.err)
		}
		if d, err := f.Download(t.Context(), r); !errors.Is(err, tc.want) || (err == nil) != (d.URL != "") {
			t.Errorf("Download = %v, %v, want %v", d, err, tc.want)
		}
	}
	if p, err := dirstore.ReadOnly(t.Context(), r); err != nil || p != (preview.Permission{Read: true}) {
		t.Errorf("ReadOnly = %v, %v", p, err)
	}
}

// TestContext ends every method.
func TestContext(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": strings.Repeat("x", 1<<20)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, fileErr := f.File(ctx, f.request("a.docx"))
	_, downloadErr := f.Download(ctx, f.request("a.docx"))
	_, permissionErr := f.Permission(ctx, f.request("a.docx"))
	for _, err := range []error{fileErr, downloadErr, permissionErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
	}
	if f.Walks() != 0 || f.KnownVersions() != 0 || f.Reading() != 0 {
		t.Errorf("%d walks, %d versions, %d waiting after nothing was done", f.Walks(), f.KnownVersions(), f.Reading())
	}
}

// TestConcurrent asks for everything while files change.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "0", "b.docx": "0"})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name := []string{"a.docx", "b.docx"}[i%2]
			last := uint32(0)
			for n := range 20 {
				if i < 2 {
					if err := os.WriteFile(f.path(name), fmt.Append(nil, n), 0o600); err != nil {
						t.Error(err)
					}
				}
				got, err := f.File(t.Context(), f.request(name))
				if err != nil && !strings.Contains(err.Error(), "being written") {
					t.Errorf("File = %v", err)
				}
				if err == nil && got.Version < last {
					t.Errorf("version %d follows %d", got.Version, last)
				}
				last = max(last, got.Version)
				if d, err := f.Download(t.Context(), f.request(name)); err == nil {
					f.get(t, d.URL)
				}
				if _, err := f.File(t.Context(), f.request(fmt.Sprint(n))); !errors.Is(err, preview.ErrNotFound) {
					t.Errorf("File of nothing = %v", err)
				}
			}
		})
	}
	group.Wait()
	if f.Reading() != 0 {
		t.Errorf("%d documents still have somebody's turn", f.Reading())
	}
}

// TestNotUTF8 finds files and folders whose names old archives left as they were.
func TestNotUTF8(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := "\xce\xc4\xb5\xb5" // "documents" in GBK
	if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
		t.Skip("this system has no such names: ", err)
	}
	f := &folder{dir: dir, now: &clock{t: time.Date(2025, time.May, 1, 8, 0, 0, 0, time.UTC)}}
	for _, file := range []string{name + "/a.docx", name + "/" + name + ".docx"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o600); err != nil {
			t.Skip("this system has no such names: ", err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || entries[0].Name() != name {
		t.Skip("this system has other names: ", entries, err)
	}
	f.reopen(t)
	for file, want := range map[string]string{name + "/a.docx": "a.docx", name + "/" + name + ".docx": "_ĵ_.docx"} {
		got, err := f.File(t.Context(), f.request(file))
		if err != nil || got.Name != want {
			t.Errorf("File(%q) = %q, %v, want the name %q", file, got.Name, err, want)
		}
	}
}

// TestUnknownIDs cost no reading of folders that have not changed.
func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a/b/c.docx": "x"})
	for _, dir := range []string{"a/b", "a", "."} {
		f.age(t, dir, time.Hour)
	}
	f.version(t, "a/b/c.docx")
	before := f.FoldersRead()
	for range 3 {
		if _, err := f.File(t.Context(), f.request("nothing")); !errors.Is(err, preview.ErrNotFound) {
			t.Errorf("File = %v", err)
		}
	}
	if got := f.FoldersRead() - before; got != 0 {
		t.Errorf("%d folders were read for three unknown ids", got)
	}
	f.write(t, "a/b/d.docx", "y")
	f.version(t, "a/b/d.docx")
	if got := f.FoldersRead() - before; got != 1 {
		t.Errorf("%d folders were read for a new file, want 1", got)
	}
}
