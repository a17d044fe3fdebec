//go:build unix

package dirstore_test

import (
	"crypto/sha1"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// disk knows what of a folder is certainly on the disk: of a file what it held when it
// was last synced, of a folder the names that it had. It is the hardest disk that there
// may be: each file and each folder is on its own.
type disk struct {
	root string

	mu      sync.Mutex
	files   map[uint64]content
	folders map[uint64]map[string]entry
	acks    map[uint32][sha1.Size]byte      // what was acknowledged, by version
	uploads map[string]preview.UploadResult // what was uploaded and not completed, by content
	name    string                          // the document's
	after   func(d *disk)                   // after each sync
	open    []*os.File
}

type content struct {
	bytes    []byte
	mode     fs.FileMode
	modified time.Time
}

type entry struct {
	inode  uint64
	folder bool
}

func inode(info fs.FileInfo) uint64 {
	stat, _ := info.Sys().(*syscall.Stat_t)
	return stat.Ino
}

// synced notes what a sync has made certain.
func (d *disk) synced(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	name = filepath.Join(d.root, name)
	if f, err := os.Open(name); err == nil {
		d.open = append(d.open, f) // so that no other file gets the inode
	}
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			d.folders[inode(info)] = d.names(name)
		} else {
			d.files[inode(info)] = d.content(name, info)
		}
	}
	d.after(d)
	return nil
}

func (d *disk) content(name string, info fs.FileInfo) content {
	b, _ := os.ReadFile(name)
	return content{b, info.Mode().Perm(), info.ModTime()}
}

func (d *disk) names(dir string) map[string]entry {
	names := map[string]entry{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			names[e.Name()] = entry{inode(info), info.IsDir()}
		}
	}
	return names
}

// all notes that everything is on the disk.
func (d *disk) all() error {
	return filepath.WalkDir(d.root, func(name string, _ fs.DirEntry, err error) error {
		if err == nil {
			rel, _ := filepath.Rel(d.root, name)
			_ = d.synced(rel)
		}
		return err
	})
}

// restored makes a folder of what is left after the power failed. Of what was not
// synced, some has reached the disk as well: the share says how much.
func (d *disk) restored(t *testing.T, random *rand.Rand, share float64) string {
	t.Helper()
	target := t.TempDir()
	files, folders := maps.Clone(d.files), maps.Clone(d.folders)
	_ = filepath.WalkDir(d.root, func(name string, _ fs.DirEntry, err error) error {
		if info, statErr := os.Lstat(name); err == nil && statErr == nil && random.Float64() < share {
			if info.IsDir() {
				folders[inode(info)] = d.names(name)
			} else {
				files[inode(info)] = d.content(name, info)
			}
		}
		return nil
	})
	info, err := os.Stat(d.root)
	if err != nil {
		t.Fatal(err)
	}
	var write func(number uint64, name string)
	write = func(number uint64, name string) {
		for base, e := range folders[number] {
			to := filepath.Join(name, base)
			if e.folder {
				if err := os.Mkdir(to, 0o700); err != nil {
					t.Fatal(err)
				}
				write(e.inode, to)
				continue
			}
			c := files[e.inode] // empty, if it was never synced
			if err := os.WriteFile(to, c.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(to, c.modified, c.modified); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(inode(info), target)
	return target
}

// TestPowerLoss fails the power after each of many syncs, while editors save: every save
// that was acknowledged is there, and no number has other bytes.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	runs := 30
	if os.Getenv(long) != "" {
		runs = 200
	}
	f := newFolder(t, map[string]string{"deep/a.docx": "start"})
	f.now.advance(time.Since(f.now.now()))
	d := &disk{
		root: f.dir, files: map[uint64]content{}, folders: map[uint64]map[string]entry{},
		acks: map[uint32][sha1.Size]byte{}, uploads: map[string]preview.UploadResult{}, name: "deep/a.docx", after: func(*disk) {},
	}
	f.openEdit(t)
	if err := d.all(); err != nil {
		t.Fatal(err)
	}
	f.OnSync(d.synced)
	if got := f.version(t, d.name); got != 1 { // which also makes its folder in the history
		t.Fatalf("version %d", got)
	}
	d.acks[1] = sha1.Sum([]byte("start"))
	random := rand.New(rand.NewPCG(1, 2))
	done := 0
	d.after = func(d *disk) {
		if done < runs && random.IntN(3) == 0 {
			checked := make(chan struct{})
			go func() { // which may end before its end
				defer close(checked)
				d.check(t, f, random, []float64{0, 0, 0.3, 0.7, 1}[done%5])
			}()
			<-checked
			done++
		}
	}
	var group sync.WaitGroup
	for editor := range 4 {
		group.Go(func() {
			for n := 0; !t.Failed() && !d.enough(&done, runs); n++ {
				body := fmt.Sprintf("save %d of editor %d", n, editor)
				r := f.as("ann", d.name)
				uploaded := f.begin(t, r, body)
				d.mu.Lock()
				d.uploads[body] = uploaded
				d.mu.Unlock()
				got := f.complete(t, r, body, uploaded)
				d.mu.Lock()
				delete(d.uploads, body)
				d.acks[got.Version] = sha1.Sum([]byte(body))
				d.mu.Unlock()
			}
		})
	}
	group.Wait()
	for _, f := range d.open {
		_ = f.Close()
	}
}

func (d *disk) enough(done *int, runs int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return *done >= runs
}

// check starts a store on what is left.
func (d *disk) check(t *testing.T, f *folder, random *rand.Rand, share float64) {
	t.Helper()
	left := &folder{dir: d.restored(t, random, share), now: f.now}
	left.openEdit(t)
	defer func() { _ = left.Close() }()
	r := left.as("ann", d.name)
	newest, err := left.File(t.Context(), r)
	if err != nil {
		t.Errorf("File after a power failure = %v", err)
		return
	}
	for _, number := range slices.Sorted(maps.Keys(d.acks)) {
		got := left.content(t, r, number)
		if sha1.Sum([]byte(got)) != d.acks[number] {
			t.Errorf("version %d is %q after a power failure", number, got)
		}
		if number > newest.Version {
			t.Errorf("version %d was acknowledged, and the newest is %d", number, newest.Version)
		}
	}
	if got := left.read(t, d.name); got != left.content(t, r, newest.Version) {
		t.Errorf("the document holds %q, and its newest version is %q", got, left.content(t, r, newest.Version))
	}
	// No number is without bytes, and nothing is a version that nobody wrote.
	for i, got := range left.history(t, r) {
		if want := fmt.Sprintf("%d s", i+1); !strings.HasPrefix(got, want) {
			t.Errorf("the history has %q after a power failure, want %q…", got, want)
		}
	}
	for body, got := range d.uploads {
		file := left.complete(t, r, body, got)
		if stored := left.content(t, r, file.Version); stored != body {
			t.Errorf("the upload of %q is %q after a power failure", body, stored)
		}
		newest.Version = max(newest.Version, file.Version)
	}
	if next := left.save(t, "bob", d.name, "after the power failure"); next.Version != newest.Version+1 {
		t.Errorf("the next save is version %d after %d", next.Version, newest.Version)
	}
}
