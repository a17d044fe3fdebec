package office

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// dirPrefix begins the names of private folders.
const dirPrefix = "weboffice-office-"

// privateDir is the folder of an engine: profiles, sockets, documents and results
// in progress. It goes with the engine: remove empties it, and where the process of
// the engine is killed, its janitor does. What neither could remove, such as after a
// power cut, the next engine removes.
type privateDir struct {
	path    string
	lock    *os.File
	janitor *exec.Cmd
	leash   io.WriteCloser // The janitor acts when it closes.
}

func newPrivateDir() (*privateDir, error) {
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return nil, err
	}
	sweep(parent)
	for range 100 {
		path, err := os.MkdirTemp(parent, dirPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockDir(path)
		if err != nil || !holds(lock, path) {
			_ = os.RemoveAll(path) // Another engine swept it before it was locked.
			continue
		}
		d := &privateDir{path: path, lock: lock}
		d.janitor, d.leash = startJanitor(path)
		return d, nil
	}
	return nil, fmt.Errorf("cannot lock a folder in %s", parent)
}

// holds reports whether the file of a lock is still in its folder.
func holds(lock *os.File, path string) bool {
	if lock == nil {
		return true // This system locks nothing.
	}
	locked, err := lock.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Stat(filepath.Join(path, filepath.Base(lock.Name()))); err == nil && os.SameFile(locked, there) {
			return true
		}
	}
	_ = lock.Close()
	return false
}

func (d *privateDir) remove() error {
	var err error
	for range 3 { // A process that was just killed may still have been writing.
		if err = os.RemoveAll(d.path); err == nil {
			break
		}
	}
	if d.lock != nil {
		_ = d.lock.Close()
	}
	if d.janitor != nil {
		_ = d.leash.Close()
		_ = d.janitor.Wait()
	}
	if err != nil {
		return fmt.Errorf("office: %w", err)
	}
	return nil
}

// sweep removes the folders below parent whose engine is gone.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(parent, entry.Name())
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), dirPrefix) {
			continue
		}
		if lock, err := lockDir(path); err == nil && lock != nil {
			removeSockets(path)
			_ = os.RemoveAll(path)
			_ = lock.Close()
		}
	}
}
