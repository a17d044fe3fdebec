package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// view opens every document through the network, as the service would, and says
// what it sees.
func (s *site) view(ctx context.Context, out io.Writer) error {
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: s.public, Credentials: s.credentials, WebOfficeToken: signing.NewSecret("built-in viewer"),
	})
	if err != nil {
		return err
	}
	names, err := documents(s.dir)
	if err != nil {
		return err
	}
	bad := 0
	for _, name := range names {
		var size counter
		file, err := viewer.Open(ctx, s.store.ID(name), &size)
		if err != nil {
			bad++
			fmt.Fprintf(out, "%s: the service would find:\n  %s\n", printable(name), strings.ReplaceAll(err.Error(), "\n", "\n  "))
			continue
		}
		fmt.Fprintf(out, "%s: opens as %q, version %d, %d bytes, last changed %s\n",
			printable(name), file.Name, file.Version, size, file.ModifiedAt.Format("2006-01-02 15:04:05"))
	}
	switch {
	case len(names) == 0:
		return errors.New("there are no documents in " + s.dir)
	case bad > 0:
		return fmt.Errorf("%d of %d documents do not open", bad, len(names))
	}
	fmt.Fprintf(out, "All %d documents open.\n", len(names))
	return nil
}

// list shows the ids under which a front end opens the documents.
func (s *site) list(out io.Writer) error {
	names, err := documents(s.dir)
	for _, name := range names {
		fmt.Fprintf(out, "%s  %s\n", s.store.ID(name), printable(name))
	}
	return err
}

// documents lists the files that are documents, as dirstore sees them.
func documents(dir string) (names []string, err error) {
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

// printable is a name as a terminal can show it: without line breaks and escapes.
func printable(name string) string {
	quoted := strconv.QuoteToGraphic(name)
	if quoted == `"`+name+`"` {
		return name
	}
	return quoted
}

// counter counts the bytes of a document.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
