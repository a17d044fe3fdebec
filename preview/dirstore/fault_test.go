package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
)

// errDisk is what a disk says that breaks.
var errDisk = errors.New("input/output error")

// TestSyncFails makes each sync of a save fail in turn. A save that fails leaves the
// document as it was, and can be repeated; one that is committed succeeds, and its
// version is there at once, and in its place at the next look.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	succeeded := 0
	for at := int32(1); ; at++ {
		f := newEditFolder(t, map[string]string{"deep/a.docx": "one"})
		r := f.as("ann", "deep/a.docx")
		f.version(t, "deep/a.docx")
		var count, broken atomic.Int32
		f.OnSync(func(string) error {
			if n := count.Add(1); n == at || broken.Load() != 0 {
				broken.Store(1)
				return errDisk
			}
			return nil
		})
		a, err := f.UploadAddress(t.Context(), r, announced("two"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.put(t.Context(), a, []byte("two"))
		if err != nil {
			t.Fatal(err)
		}
		if got.StatusCode == http.StatusCreated {
			file, err := f.CompleteUpload(t.Context(), r, announced("two"), got)
			if broken.Load() == 0 {
				if succeeded != 2 {
					t.Errorf("%d saves succeeded with a sync that failed, want 2: history and document", succeeded)
				}
				break // no sync is left to fail
			}
			if err == nil {
				succeeded++
				if file.Version != 2 || f.version(t, "deep/a.docx") != 2 || f.content(t, r, 2) != "two" {
					t.Errorf("sync %d: the save succeeded as %+v, and its version is not served", at, file)
				}
				if diff := cmp.Diff([]string{"1 one", "2 two"}, f.history(t, r)); diff != "" {
					t.Errorf("sync %d: history (-want +got):\n%s", at, diff)
				}
			} else if !errors.Is(err, errDisk) {
				t.Errorf("sync %d: CompleteUpload = %v", at, err)
			}
		}
		f.OnSync(func(string) error { return nil })
		if got.StatusCode != http.StatusCreated {
			if got, err = f.put(t.Context(), a, []byte("two")); err != nil || got.StatusCode != http.StatusCreated {
				t.Fatalf("sync %d: the upload again: HTTP %d, %v", at, got.StatusCode, err)
			}
		}
		if file := f.complete(t, r, "two", got); file.Version != 2 {
			t.Errorf("sync %d: the save again is version %d", at, file.Version)
		}
		f.version(t, "deep/a.docx")
		if diff := cmp.Diff([]string{"1 one", "2 two"}, f.history(t, r)); diff != "" || f.read(t, "deep/a.docx") != "two" || len(f.left(t)) > 0 {
			t.Errorf("sync %d: the document holds %q, left over is %q, history (-want +got):\n%s", at, f.read(t, "deep/a.docx"), f.left(t), diff)
		}
	}
}

// TestPlacedLater: a version that is committed and cannot take the document's place is
// served, is restored, and stays even if another program changes the document first.
func TestPlacedLater(t *testing.T) {
	t.Parallel()
	for _, changed := range []bool{false, true} {
		f := newEditFolder(t, map[string]string{"a.docx": "one"})
		r := f.as("ann", "a.docx")
		f.version(t, "a.docx")
		got, other := f.begin(t, r, "two"), f.begin(t, r, "three")
		committed := false
		f.OnSync(func(name string) error {
			if committed = committed || name == dirstore.StateFileName; committed && name != dirstore.StateFileName {
				return errDisk
			}
			return nil
		})
		if file := f.complete(t, r, "two", got); file.Version != 2 {
			t.Errorf("version %d, want 2", file.Version)
		}
		if d := f.get(t, f.download(t, "a.docx", "ann").URL); d.body != "two" || f.read(t, "a.docx") != "one" {
			t.Errorf("served is %q, and the document holds %q", d.body, f.read(t, "a.docx"))
		}
		if again := f.complete(t, r, "two", got); again.Version != 2 {
			t.Errorf("CompleteUpload again = version %d, want 2", again.Version)
		}
		if _, err := f.CompleteUpload(t.Context(), r, announced("three"), other); !errors.Is(err, errDisk) {
			t.Errorf("CompleteUpload of the next save = %v, want the error of the disk", err)
		}
		want := []string{"1 one", "2 two"}
		if changed {
			f.write(t, "a.docx", "by another program")
			want = append(want, "3 by another program")
		}
		f.openEdit(t) // with a disk that works
		f.version(t, "a.docx")
		if diff := cmp.Diff(want, f.history(t, r)); diff != "" || !strings.HasSuffix(want[len(want)-1], f.read(t, "a.docx")) {
			t.Errorf("the document holds %q, history (-want +got):\n%s", f.read(t, "a.docx"), diff)
		}
	}
}

// TestLookupWhileSynced does not wait for the disk, and finds what is in the state file
// although its sync failed, as other processes do.
func TestLookupWhileSynced(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	f.save(t, "ann", "a.docx", "two") // whose time is settled
	got := f.begin(t, r, "three")
	f.OnSync(func(name string) error {
		if name != dirstore.StateFileName {
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if file, err := f.File(ctx, r); err != nil || ctx.Err() != nil || file.Version != 2 {
			t.Errorf("File during the sync = version %d, %v, %v", file.Version, err, ctx.Err())
		}
		return errDisk
	})
	if _, err := f.CompleteUpload(t.Context(), r, announced("three"), got); !errors.Is(err, errDisk) {
		t.Errorf("CompleteUpload = %v", err)
	}
	f.OnSync(func(string) error { return nil })
	if got := f.version(t, "a.docx"); got != 3 {
		t.Errorf("version %d, want 3, which is in the file", got)
	}
}

// TestNewStateFile is in its folder, also after a power failure.
func TestNewStateFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	if err := os.Remove(f.path(dirstore.StateFileName)); err != nil {
		t.Fatal(err)
	}
	var got []string
	f.OnSync(func(name string) error { got = append(got, name); return nil })
	f.version(t, "a.docx")
	if diff := cmp.Diff([]string{".", dirstore.StateFileName}, slices.Compact(got)); diff != "" {
		t.Errorf("syncs (-want +got):\n%s", diff)
	}
}

// TestEditingLater keeps what was seen before Editing was switched on.
func TestEditingLater(t *testing.T) {
	t.Parallel()
	for name, secretly := range map[string]bool{"unchanged": false, "changed with its size and time": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"a.docx": "one"})
			at := f.age(t, "a.docx", 1<<40)
			f.version(t, "a.docx")
			f.openEdit(t)
			r := f.as("ann", "a.docx")
			want := []string{"1 one", "2 two"}
			if diff := cmp.Diff(want[:1], f.history(t, r)); diff != "" {
				t.Errorf("before the first save (-want +got):\n%s", diff)
			}
			if secretly {
				f.write(t, "a.docx", "ONE")
				if err := os.Chtimes(f.path("a.docx"), at, at); err != nil {
					t.Fatal(err)
				}
				want = []string{"2 ONE", "3 two"} // nobody has the bytes of version 1
			}
			f.save(t, "ann", "a.docx", "two")
			if diff := cmp.Diff(want, f.history(t, r)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

// TestProbeLeft does not keep a save from its folder: a crash left the file.
func TestProbeLeft(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one", ".weboffice-probe": ""})
	if got := f.save(t, "ann", "a.docx", "two"); got.Version != 2 {
		t.Errorf("version %d, want 2", got.Version)
	}
	if _, err := os.Stat(f.path(".weboffice-probe")); err == nil {
		t.Error("the probe is still there")
	}
}

// TestHistoryCannotBe says what Editing needs.
func TestHistoryCannotBe(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one", dirstore.HistoryFolderName: "a file"})
	if s, err := dirstore.New(f.editConfig()); err == nil || s != nil || !strings.Contains(err.Error(), "Editing needs a Root that can be written to") {
		t.Errorf("New = %v, %v", s, err)
	}
}

// TestRenameSyncs: the new name is on the disk before the old one goes, and both before
// the line that says so.
func TestRenameSyncs(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"d/a.docx": "one"})
	r := f.as("ann", "d/a.docx")
	f.version(t, "d/a.docx")
	var got []string
	f.OnSync(func(name string) error {
		_, oldErr := os.Stat(f.path("d/a.docx"))
		_, newErr := os.Stat(f.path("d/b.docx"))
		got = append(got, fmt.Sprint(name, " ", oldErr == nil, " ", newErr == nil))
		return nil
	})
	if err := f.Rename(t.Context(), r, "b.docx"); err != nil {
		t.Fatal(err)
	}
	want := []string{dirstore.StateFileName + " true false", "d true true", "d false true", dirstore.StateFileName + " false true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("syncs, and whether the old and the new name exist (-want +got):\n%s", diff)
	}
}

// TestLookFails fails every method that has to know the version of a document, and leaves
// nothing.
func TestLookFails(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	f.OnSync(func(name string) error {
		if strings.HasSuffix(name, "/bytes") {
			return errDisk
		}
		return nil
	})
	for name, call := range map[string]func() error{
		"File":            func() error { _, err := f.File(t.Context(), r); return err },
		"Download":        func() error { _, err := f.Download(t.Context(), r); return err },
		"Versions":        func() error { _, err := f.Versions(t.Context(), r, preview.Page{}); return err },
		"Version":         func() error { _, err := f.Version(t.Context(), r, 1); return err },
		"DownloadVersion": func() error { _, err := f.DownloadVersion(t.Context(), r, 1); return err },
		"Restore":         func() error { _, err := f.Restore(t.Context(), r, 1); return err },
	} {
		if err := call(); !errors.Is(err, errDisk) {
			t.Errorf("%s = %v, want the error of the disk", name, err)
		}
	}
	if left := f.left(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestRenameSyncFails makes each sync of a renaming fail, alone and with all that follow.
// The document is found in any case, and can be renamed again.
func TestRenameSyncFails(t *testing.T) {
	t.Parallel()
	for _, forGood := range []bool{false, true} {
		for at, done := int32(1), false; !done; at++ {
			f := newEditFolder(t, map[string]string{"deep/a.docx": "one"})
			r := f.as("ann", "deep/a.docx")
			f.version(t, "deep/a.docx")
			var count atomic.Int32
			f.OnSync(func(string) error {
				if n := count.Add(1); n == at || forGood && n > at {
					return errDisk
				}
				return nil
			})
			err := f.Rename(t.Context(), r, "b.docx")
			done = count.Load() < at
			if (err == nil) != done || err != nil && !errors.Is(err, errDisk) {
				t.Errorf("sync %d: Rename = %v", at, err)
			}
			_, _ = f.File(t.Context(), r) // which may try to finish it, and fail too
			f.OnSync(func(string) error { return nil })
			if file, err := f.File(t.Context(), r); err != nil || file.Version != 1 {
				t.Errorf("sync %d: File = %+v, %v", at, file, err)
			}
			if err := f.Rename(t.Context(), r, "c.docx"); err != nil {
				t.Errorf("sync %d: Rename again = %v", at, err)
			}
			if files, err := os.ReadDir(f.path("deep")); err != nil || len(files) != 1 || f.read(t, "deep/c.docx") != "one" {
				t.Errorf("sync %d: the folder holds %v, %v", at, files, err)
			}
		}
	}
}

// TestLockedTooLong is not taken for a document that does not exist.
func TestLockedTooLong(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	other := f.replica(t)
	if _, err := other.File(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := f.Rename(t.Context(), r, "b.docx"); err != nil {
		t.Fatal(err)
	}
	asked := errors.New("not asked")
	f.OnSync(func(string) error { // while it holds the lock
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, asked = other.File(ctx, r)
		return nil
	})
	if err := f.Rename(t.Context(), r, "c.docx"); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(asked, context.DeadlineExceeded) {
		t.Errorf("File = %v, want the error of the context", asked)
	}
}

// TestSaveDuringLook commits a save of another process while this one reads the document.
// The save cannot be put in its place yet: the old bytes, which are still there, are not the
// version after it.
func TestSaveDuringLook(t *testing.T) {
	t.Parallel()
	f := newEditFolder(t, map[string]string{"a.docx": "one"})
	r := f.as("ann", "a.docx")
	f.version(t, "a.docx")
	other := f.replica(t)
	got := f.begin(t, r, "two")
	now := time.Now()
	if err := os.Chtimes(f.path("a.docx"), now, now); err != nil { // so that it is read again
		t.Fatal(err)
	}
	save := sync.OnceFunc(func() {
		committed := false
		other.OnSync(func(name string) error {
			committed = committed || name == dirstore.StateFileName
			if committed && strings.HasPrefix(name, dirstore.HistoryFolderName) {
				return errDisk
			}
			return nil
		})
		if file, err := other.CompleteUpload(t.Context(), r, announced("two"), got); err != nil || file.Version != 2 {
			t.Errorf("CompleteUpload = %+v, %v", file, err)
		}
	})
	f.SetClock(func() time.Time { // which is read when the file has been opened
		save()
		return time.Now()
	})
	if got := f.version(t, "a.docx"); got != 2 {
		t.Errorf("version = %d, want 2", got)
	}
	if diff := cmp.Diff([]string{"1 one", "2 two"}, f.history(t, r)); diff != "" || f.read(t, "a.docx") != "two" || len(f.left(t)) > 0 {
		t.Errorf("the document holds %q, left over is %q, history (-want +got):\n%s", f.read(t, "a.docx"), f.left(t), diff)
	}
}
