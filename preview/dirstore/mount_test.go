//go:build linux

package dirstore_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
)

// mount mounts a file system until the test ends, or unmount is called.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) (unmount func()) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		t.Skip("only root can mount: ", err)
	}
	unmount = sync.OnceFunc(func() {
		if err := syscall.Unmount(target, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(unmount)
	return unmount
}

// readOnly makes a folder one that cannot be written to.
func readOnly(t *testing.T, dir string) (unmount func()) {
	t.Helper()
	unmount = mount(t, dir, dir, "", syscall.MS_BIND, "")
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip("only root can mount: ", err)
	}
	return unmount
}

// TestReadOnlyRoot with Editing is refused with a sentence; without, documents open.
func TestReadOnlyRoot(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	if err := errors.Join(f.Close(), os.Remove(f.path(dirstore.StateFileName))); err != nil {
		t.Fatal(err)
	}
	readOnly(t, f.dir)
	cfg := f.editConfig()
	if _, err := dirstore.New(cfg); err == nil || !strings.Contains(err.Error(), "StateFile puts it elsewhere") {
		t.Errorf("New = %v", err)
	}
	cfg.StateFile = filepath.Join(t.TempDir(), "state")
	if _, err := dirstore.New(cfg); err == nil || !strings.Contains(err.Error(), "Editing needs a Root that can be written to") {
		t.Errorf("New = %v", err)
	}
	cfg.Editing = false
	f.open(t, cfg)
	f.version(t, "a.docx")
}

// TestReadOnlyFolder below Root: a save is refused before it is a version.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"deep/a.docx": "one"})
	r := f.as("ann", "deep/a.docx")
	f.version(t, "deep/a.docx")
	got := f.begin(t, r, "two")
	readOnly(t, f.path("deep"))
	if file, err := f.CompleteUpload(t.Context(), r, announced("two"), got); err == nil || !strings.Contains(err.Error(), "no file can be moved into the document's folder") {
		t.Errorf("CompleteUpload = %+v, %v", file, err)
	}
	if diff := cmp.Diff([]string{"1 one"}, f.history(t, r)); diff != "" || f.version(t, "deep/a.docx") != 1 {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if err := f.Rename(t.Context(), r, "b.docx"); err == nil {
		t.Error("Rename has no error")
	}
	if got := f.version(t, "deep/a.docx"); got != 1 {
		t.Errorf("version %d", got)
	}
}

// TestAnotherFileSystem below Root: documents open, and a save is refused.
func TestAnotherFileSystem(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"deep/b.docx": "below the other"})
	mount(t, "tmpfs", f.path("deep"), "tmpfs", 0, "size=1m")
	f.write(t, "deep/a.docx", "one")
	r := f.as("ann", "deep/a.docx")
	got := f.begin(t, r, "two")
	if file, err := f.CompleteUpload(t.Context(), r, announced("two"), got); !errors.Is(err, syscall.EXDEV) {
		t.Errorf("CompleteUpload = %+v, %v", file, err)
	}
	if diff := cmp.Diff([]string{"1 one"}, f.history(t, r)); diff != "" || f.read(t, "deep/a.docx") != "one" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestFolderTurnsReadOnly right after the commit: the save has succeeded.
func TestFolderTurnsReadOnly(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"deep/a.docx": "one"})
	r := f.as("ann", "deep/a.docx")
	f.version(t, "deep/a.docx")
	got := f.begin(t, r, "two")
	var unmount func()
	f.OnSync(func(name string) error {
		if name == dirstore.StateFileName {
			f.OnSync(func(string) error { return nil })
			unmount = readOnly(t, f.path("deep"))
		}
		return nil
	})
	if file := f.complete(t, r, "two", got); file.Version != 2 {
		t.Errorf("version %d, want 2", file.Version)
	}
	if diff := cmp.Diff([]string{"1 one", "2 two"}, f.history(t, r)); diff != "" || f.read(t, "deep/a.docx") != "one" {
		t.Errorf("the document holds %q, history (-want +got):\n%s", f.read(t, "deep/a.docx"), diff)
	}
	if got := f.get(t, f.download(t, "deep/a.docx", "ann").URL); got.body != "two" {
		t.Errorf("served is %q", got.body)
	}
	unmount()
	if f.version(t, "deep/a.docx") != 2 || f.read(t, "deep/a.docx") != "two" || len(f.left(t)) > 0 {
		t.Errorf("the document holds %q, left over is %q", f.read(t, "deep/a.docx"), f.left(t))
	}
}

// TestFullDisk: what is there is served, also after a restart; a save is refused as
// preview.ErrStorageFull, wherever the room ends, and succeeds once there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=1m")
	f := &folder{dir: dir, now: &clock{t: time.Now()}}
	f.write(t, "a.docx", "one")
	f.openEdit(t)
	r := f.as("ann", "a.docx")
	f.version(t, "a.docx")
	fill := func(leave int) {
		t.Helper()
		_ = os.Remove(f.path(".fill"))
		b, err := os.Create(f.path(".fill"))
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = b.Write(make([]byte, 4096))
		}
		if info, err := b.Stat(); err != nil || b.Truncate(info.Size()-int64(leave)) != nil || b.Close() != nil {
			t.Fatal(err)
		}
	}
	body := strings.Repeat("x", 9000) // three pages, twice, and one for the record
	a, err := f.UploadAddress(t.Context(), r, announced(body))
	if err != nil {
		t.Fatal(err)
	}
	for pages := range 7 {
		fill(pages * 4096)
		if got, err := f.put(t.Context(), a, []byte(body)); err != nil || got.StatusCode != http.StatusInsufficientStorage {
			t.Errorf("upload with %d pages left: HTTP %d, %v, want 507", pages, got.StatusCode, err)
		}
		if left := f.left(t); len(left) > 0 {
			t.Errorf("left over: %q", left)
		}
	}
	fill(8 * 4096)
	got, err := f.put(t.Context(), a, []byte(body))
	if err != nil || got.StatusCode != http.StatusCreated {
		t.Fatalf("upload with room: HTTP %d, %v", got.StatusCode, err)
	}
	fill(0)
	state := f.state(t)
	if err := os.WriteFile(f.path(".fill2"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // and after a restart
		if got := f.get(t, f.download(t, "a.docx", "ann").URL); got.body != "one" {
			t.Errorf("HTTP %d %q", got.status, got.body)
		}
		f.openEdit(t)
	}
	// The last page of the state file may have room for the line of one save, so it is
	// filled with lines of others.
	if err := os.WriteFile(f.path(dirstore.StateFileName), []byte(state+strings.Repeat(" ", 4090-len(state))+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.CompleteUpload(t.Context(), r, announced(body), got); !errors.Is(err, preview.ErrStorageFull) {
		t.Errorf("CompleteUpload = %v, want ErrStorageFull", err)
	}
	if f.version(t, "a.docx") != 1 || f.read(t, "a.docx") != "one" {
		t.Errorf("version %d, and the document holds %d bytes", f.version(t, "a.docx"), len(f.read(t, "a.docx")))
	}
	if err := os.Remove(f.path(".fill")); err != nil {
		t.Fatal(err)
	}
	if file := f.complete(t, r, body, got); file.Version != 2 || f.read(t, "a.docx") != body {
		t.Errorf("version %d, want 2", file.Version)
	}
	if diff := cmp.Diff([]string{"1 one", "2 " + body}, f.history(t, r)); diff != "" || len(f.left(t)) > 0 {
		t.Errorf("left over is %q, history (-want +got):\n%s", f.left(t), diff)
	}
	fill(0)
	f.write(t, "a.docx", strings.Repeat("y", 9000)) // in the same pages
	if _, err := f.File(t.Context(), r); !errors.Is(err, preview.ErrStorageFull) || len(f.left(t)) > 0 {
		t.Errorf("File of a version that cannot be kept = %v, and left over is %q", err, f.left(t))
	}
}

// TestNewOnFullDisk fails with a sentence if the folder was never served.
func TestNewOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=4k,nr_inodes=2")
	f := &folder{dir: dir, now: &clock{t: time.Now()}}
	f.write(t, "a.docx", "one")
	if s, err := dirstore.New(f.editConfig()); err == nil || s != nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("New = %v, %v", s, err)
	}
}
