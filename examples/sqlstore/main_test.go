package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// newTestStore makes a database and a bucket.
func newTestStore(t *testing.T) (*store, *storage) {
	t.Helper()
	db, err := openDatabase(t.Context(), filepath.Join(t.TempDir(), "100% of documents #1.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	side, b := newStorage(t)
	return &store{db, b}, side
}

// newDocument adds a document and returns its id.
func newDocument(t *testing.T, s *store, user, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.docx")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var id strings.Builder
	if err := s.add(t.Context(), user, file, &id); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(id.String())
}

// token makes a session.
func token(t *testing.T, s *store, user string, life time.Duration) signing.Secret {
	t.Helper()
	var out strings.Builder
	if err := s.newSession(t.Context(), user, life, &out); err != nil {
		t.Fatal(err)
	}
	return signing.NewSecret(strings.TrimSpace(out.String()))
}

func TestStore(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
		t.Helper()
		s, _ := newTestStore(t)
		id, other := newDocument(t, s, "ann", "the plan"), newDocument(t, s, "bob", "another")
		if err := s.share(t.Context(), "cid", id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.ExecContext(t.Context(), `INSERT INTO grants VALUES (?, 'bob', 1)`, id); err != nil {
			t.Fatal(err)
		}
		ann, bob, cid := token(t, s, "ann", time.Hour), token(t, s, "bob", time.Hour), token(t, s, "cid", time.Hour)
		return previewtest.Fixture{
			Config: s.config(nil, slog.New(slog.DiscardHandler)),
			Existing: []preview.Request{
				{FileID: id, WebOfficeToken: ann},
				{FileID: id, WebOfficeToken: bob},
				{FileID: other, WebOfficeToken: bob},
				{FileID: id, WebOfficeToken: cid},
			},
			Missing: preview.Request{FileID: "nothing", WebOfficeToken: ann},
			Denied:  preview.Request{FileID: other, WebOfficeToken: cid},
			NoUser:  preview.Request{FileID: id, WebOfficeToken: token(t, s, "ann", -time.Hour)},
			UserIDs: []string{"ann", "bob"},
		}
	})
}

// Two processes on one database save at once: each save is one version.
func TestTwoProcessesSave(t *testing.T) {
	t.Parallel()
	one, side := newTestStore(t)
	id := newDocument(t, one, "ann", "version 1")
	var file string
	if err := one.db.QueryRowContext(t.Context(), `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&file); err != nil {
		t.Fatal(err)
	}
	db, err := openDatabase(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	app := signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key"))
	const saves = 8
	var group sync.WaitGroup
	for _, s := range []*store{one, {db, one.bucket}} {
		h, err := s.handler(app, "", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: h, Credentials: app, WebOfficeToken: token(t, s, "ann", time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range saves {
			group.Go(func() {
				if _, err := viewer.Save(t.Context(), id, "plan.docx", fmt.Appendf(nil, "save %d", i)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	files, err := one.Versions(t.Context(), preview.Request{FileID: id, UserID: "ann"}, preview.Page{})
	if err != nil || len(files) != 2*saves+1 || files[0].Version != 2*saves+1 {
		t.Errorf("%d versions, %v, want %d", len(files), err, 2*saves+1)
	}
	if side.count() != 2*saves+1 {
		t.Errorf("%d objects, want one for each version", side.count())
	}
}

// A save that is not completed is removed after a day, and no version with it.
func TestSweep(t *testing.T) {
	t.Parallel()
	s, side := newTestStore(t)
	id := newDocument(t, s, "ann", "version 1")
	r := preview.Request{FileID: id, UserID: "ann"}
	begin := func() preview.UploadResult {
		address, err := s.UploadAddress(t.Context(), r, preview.Upload{Name: "plan.docx", Size: 4})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), address.Method, address.URL, strings.NewReader("next"))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range address.Header {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		_ = resp.Body.Close()
		return preview.UploadResult{SendBack: address.SendBack}
	}
	if _, err := s.CompleteUpload(t.Context(), r, preview.Upload{Name: "plan.docx", Size: 4}, begin()); err != nil {
		t.Fatal(err)
	}
	left := begin()
	if err := s.sweep(t.Context()); err != nil || side.count() != 3 {
		t.Errorf("sweep = %v, %d objects are there, want three: nothing is old", err, side.count())
	}
	if _, err := s.db.ExecContext(t.Context(), `UPDATE uploads SET created = created - 86401`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CompleteUpload(t.Context(), r, preview.Upload{Name: "plan.docx", Size: 4}, left); !errors.Is(err, preview.ErrNotUploaded) {
		t.Errorf("a save that is completed a day later = %v, want ErrNotUploaded", err)
	}
	if err := s.sweep(t.Context()); err != nil || side.count() != 2 {
		t.Errorf("sweep = %v, %d objects are there, want the two versions", err, side.count())
	}
}

func TestRun(t *testing.T) { //nolint:paralleltest // It sets the environment of the AWS SDK.
	dir := t.TempDir()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": filepath.Join(dir, "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	} {
		t.Setenv(name, value)
	}
	_, b := newStorage(t)
	endpoint, file := *b.client.Options().BaseEndpoint, filepath.Join(dir, "plan.docx")
	if err := os.WriteFile(file, []byte("the plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	do := func(out io.Writer, args ...string) error {
		getenv := func(name string) string {
			return map[string]string{"WEBOFFICE_APP_ID": "SX2024", "WEBOFFICE_APP_KEY": "canary-of-the-app-55d0"}[name]
		}
		return run(ctx, append([]string{"-db", filepath.Join(dir, "documents.db"), "-bucket", "docs", "-endpoint", endpoint, "-scheme", "WPS-2"}, args...), getenv, out, &errOut)
	}
	var id, session strings.Builder
	if err := errors.Join(do(&id, "-user", "ann", "-add", file), do(&session, "-user", "bob", "-session", "1h")); err != nil {
		t.Fatal(err)
	}
	document := strings.TrimSpace(id.String())
	if err := do(io.Discard, "-user", "bob", "-share", document); err != nil {
		t.Fatal(err)
	}
	address, told := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- do(told, "-addr", "127.0.0.1:0") }()
	var base string
	if _, err := fmt.Fscanf(address, "Listening on %s", &base); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, address) }()
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: strings.TrimSuffix(base, preview.PathPrefix), WebOfficeToken: signing.NewSecret(strings.TrimSpace(session.String())),
		Credentials: signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("canary-of-the-app-55d0")),
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if f, err := viewer.Open(t.Context(), document, &text); err != nil || text.String() != "the plan" || f.Name != "plan.docx" {
		t.Errorf("Open = %v, %v, with %q, want the plan", f, err, &text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if strings.Contains(errOut.String(), "canary") {
		t.Errorf("a secret is in the log: %s", &errOut)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, os.Getenv, &help, io.Discard); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help.String(), "WEBOFFICE_APP_KEY") || !strings.Contains(help.String(), "-session") {
		t.Errorf("-h = %v, and prints %s", err, &help)
	}
	none := func(string) string { return "" }
	database := filepath.Join(t.TempDir(), "documents.db")
	for want, args := range map[string][]string{
		"-bucket":                 {},
		"-user":                   {"-session", "1h"},
		"WEBOFFICE_APP_ID":        {"-bucket", "docs"},
		`no document "elsewhere"`: {"-user", "ann", "-share", "elsewhere"},
	} {
		if err := run(t.Context(), append([]string{"-db", database}, args...), none, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q = %v, want an error that names %s", args, err, want)
		}
	}
}
