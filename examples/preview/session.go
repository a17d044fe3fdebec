package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// session has two users edit a copy of the first document, as the service does it,
// and says what happens in lines to read.
func (s *site) session(ctx context.Context, out io.Writer) (err error) {
	original, err := s.first(ctx)
	if err != nil {
		return err
	}
	users := map[string]*previewtest.Viewer{}
	for _, name := range []string{"ann", "bob"} {
		if users[name], err = previewtest.NewViewer(previewtest.ViewerConfig{
			BaseURL: s.public, Credentials: s.credentials, WebOfficeToken: signing.NewSecret(name),
		}); err != nil {
			return err
		}
	}
	say := func(format string, args ...any) { fmt.Fprintf(out, "* "+format+"\n", args...) }
	var first bytes.Buffer
	if _, err := users["ann"].Open(ctx, original.id, &first); err != nil {
		return err
	}
	id, discard, err := s.store.draft(ctx, original, first.Bytes())
	defer func() { err = errors.Join(err, discard()) }()
	if err != nil {
		return err
	}
	file, err := users["ann"].Open(ctx, id, io.Discard)
	if err != nil {
		return err
	}
	say("Ann opens %s: version %d, %d bytes.", printable(file.Name), file.Version, file.Size)
	if file, err = users["ann"].Save(ctx, id, file.Name, append(bytes.Clone(first.Bytes()), "Ann was here.\n"...)); err != nil {
		return err
	}
	say("Ann saves: version %d, %d bytes.", file.Version, file.Size)
	if file, err = users["bob"].Save(ctx, id, file.Name, append(bytes.Clone(first.Bytes()), "Bob was here, and has not seen Ann.\n"...)); err != nil {
		return err
	}
	say("Bob saves: version %d, %d bytes. Ann's version is kept.", file.Version, file.Size)
	name := strings.TrimSuffix(file.Name, filepath.Ext(file.Name)) + " of Bob" + filepath.Ext(file.Name)
	if err := users["bob"].Rename(ctx, id, name); err != nil {
		return err
	}
	say("Bob renames it: %s. Its id stays.", printable(name))
	if err := rollBack(ctx, users["ann"], id, name, 1); err != nil {
		return err
	}
	say("Ann rolls back to version 1, whose bytes are saved again.")
	versions, err := users["ann"].Versions(ctx, id, preview.Page{})
	if err != nil {
		return err
	}
	say("The history of %s:", printable(name))
	for _, v := range versions {
		who := v.ModifierID
		if found, err := users["ann"].Users(ctx, who); err == nil && len(found) == 1 {
			who = found[0].Name
		}
		fmt.Fprintf(out, "    version %d  %6d bytes  %s  by %s\n", v.Version, v.Size, v.ModifiedAt.Format("2006-01-02 15:04:05"), who)
	}
	return nil
}

// rollBack saves the bytes of an earlier version, as the service does.
func rollBack(ctx context.Context, v *previewtest.Viewer, id, name string, version uint32) error {
	file, err := v.Version(ctx, id, version)
	if err != nil {
		return err
	}
	d, err := v.DownloadVersion(ctx, id, version)
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := v.Fetch(ctx, file, d, &content); err != nil {
		return err
	}
	_, err = v.Save(ctx, id, name, content.Bytes())
	return err
}
