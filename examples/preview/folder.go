package main

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// folder is a store in a folder, which serves the bytes itself.
type folder struct {
	*dirstore.Store
	dir string
}

func newFolder(o options, key signing.Secret) (folder, error) {
	store, err := dirstore.New(dirstore.Config{
		Root: o.dir, PublicURL: o.public + linksPath, LinkKey: key,
		StateFile: filepath.Join(o.state, dirstore.StateFileName),
		Editing:   o.edit,
		Allow:     o.allow,
	})
	return folder{store, o.dir}, err
}

func (f folder) documents(context.Context) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		names, err := documentsBelow(f.dir)
		for _, name := range names {
			if !yield(document{f.ID(name), name}, nil) {
				return
			}
		}
		if err != nil {
			yield(document{}, err)
		}
	}
}

// draft is the first document: a session has a folder of its own, by copyOfFirst.
func (f folder) draft(_ context.Context, first document, _ []byte) (id string, discard func() error, err error) {
	return first.id, func() error { return nil }, nil
}

// documentsBelow lists the files that are documents, as dirstore sees them.
func documentsBelow(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && (strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "~$")):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// copyOfFirst copies the first office document of a folder, or the first file, for a
// session that changes it.
func copyOfFirst(dir, to string) (string, error) {
	names, err := documentsBelow(dir)
	if err != nil || len(names) == 0 {
		return dir, err
	}
	name := names[max(0, slices.IndexFunc(names, office))]
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	return to, os.WriteFile(filepath.Join(to, filepath.Base(name)), content, 0o600)
}
