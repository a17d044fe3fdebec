package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/examples/quickstart/document"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// contentPath is where the store serves the bytes of documents.
const contentPath = "/content"

// openInViewer serves the folder to the viewer, which opens the handbook, saves an
// edited one, and lists its versions.
func openInViewer(ctx context.Context, t *tour) (err error) {
	mux := http.NewServeMux()
	gateway, stop, err := serve.Start(ctx, serve.Local, mux)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	store, err := folder(t.dir, gateway) //nolint:contextcheck // New reads the state file once.
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	handler, err := callbacks(store)
	if err != nil {
		return err
	}
	mux.Handle(preview.PathPrefix, handler)
	mux.Handle(contentPath, store)
	t.say("gateway", "%s, which would be entered in the console", gateway)

	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{BaseURL: gateway, Credentials: signingtest.Credentials()})
	if err != nil {
		return err
	}
	id := store.ID(document.HandbookName)
	permission, err := viewer.Permission(ctx, id)
	if err != nil {
		return err
	}
	t.say("permission", "%s may read: %t, edit: %t", permission.UserID, permission.Read, permission.Update)
	var content bytes.Buffer
	file, err := viewer.Open(ctx, id, &content)
	if err != nil {
		return err
	}
	t.say("opened", "%s, version %d, %d bytes, fetched by its link and checked", file.Name, file.Version, file.Size)
	return edit(ctx, t, viewer, id, file.Name, content.Bytes())
}

// edit saves the document as the editor does: an address is asked for, the bytes are
// uploaded there, and the upload is completed.
func edit(ctx context.Context, t *tour, viewer *previewtest.Viewer, id, name string, content []byte) error {
	edited, err := replaceWord(content, "closed", "by appointment")
	if err != nil {
		return err
	}
	file, err := viewer.Save(ctx, id, name, edited)
	if err != nil {
		return err
	}
	t.say("saved", "%s, now version %d: Sunday is by appointment", file.Name, file.Version)
	versions, err := viewer.Versions(ctx, id, preview.Page{})
	if err != nil {
		return err
	}
	for _, v := range versions {
		t.say("history", "version %d, %d bytes, by %s", v.Version, v.Size, v.ModifierID)
	}
	return nil
}

// replaceWord edits a .docx, which is a zip archive with the text in word/document.xml.
func replaceWord(docx []byte, before, after string) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(docx), int64(len(docx)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, part := range archive.File {
		if part.Name != "word/document.xml" {
			if err := w.Copy(part); err != nil {
				return nil, err
			}
			continue
		}
		r, err := part.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		to, err := w.Create(part.Name)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(bytes.ReplaceAll(text, []byte(before), []byte(after))); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// folder makes a store of the documents in dir, which may be edited.
func folder(dir, gateway string) (*dirstore.Store, error) {
	return dirstore.New(dirstore.Config{
		Root:      dir,
		PublicURL: gateway + contentPath,
		LinkKey:   signing.NewSecret(rand.Text()),
		Editing:   true,
		Users:     []preview.User{{ID: "ada", Name: "Ada"}},
		Allow: func(_ context.Context, r preview.Request) (preview.Permission, error) {
			return preview.Permission{UserID: r.UserID, Read: true, Update: true, History: true}, nil
		},
	})
}

// callbacks is all that an integrator writes to let the viewer open and edit what is in
// a store.
func callbacks(store *dirstore.Store) (http.Handler, error) {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		return nil, err
	}
	return preview.NewHandler(preview.Config{
		Store: store, Saver: store, History: store, Users: store,
		Auth:     verifier.VerifyRequest,
		Identify: func(context.Context, preview.Request) (string, error) { return "ada", nil }, // yours: whose session it is
		Logger:   slog.New(slog.DiscardHandler),                                                // its advice is about real deployments
	})
}
