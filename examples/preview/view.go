package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// view opens every document (see opens) through the network, as the service would, and says
// what it sees.
func (s *site) view(ctx context.Context, out io.Writer) error {
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: s.public, Credentials: s.credentials, WebOfficeToken: signing.NewSecret("built-in viewer"),
	})
	if err != nil {
		return err
	}
	all, bad := 0, 0
	for d, err := range s.store.documents(ctx) {
		if err != nil {
			return err
		}
		if !opens(d.name) {
			continue
		}
		all++
		var size counter
		file, err := viewer.Open(ctx, d.id, &size)
		if err != nil {
			bad++
			fmt.Fprintf(out, "%s: the service would find:\n  %s\n", printable(d.name), strings.ReplaceAll(err.Error(), "\n", "\n  "))
			continue
		}
		fmt.Fprintf(out, "%s: opens as %q, version %d, %d bytes, last changed %s\n",
			printable(d.name), file.Name, file.Version, size, file.ModifiedAt.Format("2006-01-02 15:04:05"))
	}
	switch {
	case all == 0:
		return s.noDocuments()
	case bad > 0:
		return fmt.Errorf("%d of %d documents do not open", bad, all)
	}
	fmt.Fprintf(out, "All %d documents open.\n", all)
	return nil
}

// maxListed is how many documents are listed: each name in a bucket costs three calls.
const maxListed = 1000

// list shows the ids under which a front end opens the documents.
func (s *site) list(ctx context.Context, out io.Writer) error {
	n := 0
	for d, err := range s.store.documents(ctx) {
		if err != nil {
			return err
		}
		if !opens(d.name) {
			continue
		}
		if n++; n > maxListed {
			fmt.Fprintf(out, "... and others, after the first %d\n", maxListed)
			break
		}
		fmt.Fprintf(out, "%s  %s\n", d.id, printable(d.name))
	}
	return nil
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
