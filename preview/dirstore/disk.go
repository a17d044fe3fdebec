package dirstore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// disk is an open folder. Names are relative to it, and no name leads out of it.
type disk struct {
	*os.Root
	synced func(name string) error // for tests: called after a file or folder was synced
}

func openDisk(name string) (*disk, error) {
	root, err := os.OpenRoot(name)
	return &disk{Root: root, synced: func(string) error { return nil }}, err
}

// syncFile makes the bytes of a file outlast a power failure.
func (d *disk) syncFile(name string) error { return d.sync(name, os.O_RDWR, (*os.File).Sync) }

// syncDir does so for the names in a folder.
func (d *disk) syncDir(name string) error { return d.sync(name, os.O_RDONLY, syncOpenDir) }

func (d *disk) sync(name string, flag int, sync func(*os.File) error) error {
	f, err := d.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(sync(f), f.Close()); err != nil {
		return err
	}
	return d.synced(name)
}

// steadyFile is an open file that cannot be read after it has changed, so that no answer
// has the bytes of two versions. It does not have the methods of os.File by which the
// kernel would send the bytes without Read.
type steadyFile struct {
	file *os.File
	info fs.FileInfo // when it was opened
}

var errChanged = errors.New("dirstore: the file has changed")

func (d *disk) openFile(name string) (steadyFile, error) {
	f, err := d.Open(name)
	if err != nil {
		return steadyFile{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return steadyFile{}, errors.Join(err, f.Close())
	}
	return steadyFile{f, info}, nil
}

func (f steadyFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	if f.changed() {
		return 0, errChanged
	}
	return n, err
}

// Seek tells http.ServeContent the size: of a file that was just emptied it would send
// nothing, without a Read.
func (f steadyFile) Seek(offset int64, whence int) (int64, error) {
	n, err := f.file.Seek(offset, whence)
	if f.changed() {
		return 0, errChanged
	}
	return n, err
}

func (f steadyFile) changed() bool {
	now, err := f.file.Stat()
	return err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime())
}

// copyFile copies f to a new file. File systems that can share blocks share them.
func (d *disk) copyFile(name string, f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	c, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(c, f)
	return errors.Join(err, c.Close())
}

func (d *disk) exists(name string) bool {
	_, err := d.Lstat(name)
	return err == nil
}

func (d *disk) sameFile(a, b string) bool {
	x, errX := d.Lstat(a)
	y, errY := d.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// probe is the name of a file by which takesFiles finds out.
const probe = ".weboffice-probe"

// takesFiles finds out whether a file of one folder can be moved into another.
func (d *disk) takesFiles(from, folder string) error {
	from, to := path.Join(from, probe), path.Join(folder, probe)
	if err := d.WriteFile(from, nil, 0o600); err != nil {
		return err
	}
	if err := d.Rename(from, to); err != nil {
		return err
	}
	return d.Remove(to)
}

// missing is as, if err says that something does not exist.
func missing(err, as error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return as
	}
	return err
}
