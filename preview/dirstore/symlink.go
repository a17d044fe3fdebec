package dirstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is how many symbolic links may follow each other, as in most systems.
const maxLinks = 40

var errNotDocument = errors.New("dirstore: not a regular file, or a hidden one")

// stat describes the document at name, as long as it is one: a link that leads to
// what is hidden would show that.
func (x *index) stat(name string) (fs.FileInfo, error) {
	target, info, err := x.target(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || slices.ContainsFunc(strings.Split(target, "/"), hidden) {
		return nil, errNotDocument
	}
	return info, nil
}

// target follows every symbolic link in name, one element after the other. Those that
// lead out of the folder the os.Root refuses.
func (x *index) target(name string) (at string, info fs.FileInfo, err error) {
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		if info, err = x.root.Lstat(next); err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		link, err := x.root.Readlink(next)
		if links++; err != nil || links > maxLinks || filepath.IsAbs(link) {
			return "", nil, fmt.Errorf("dirstore: the link %q cannot be followed: %w", next, errors.Join(err, errNotDocument))
		}
		rest = append(strings.Split(filepath.ToSlash(link), "/"), rest...)
	}
	return at, info, nil
}
