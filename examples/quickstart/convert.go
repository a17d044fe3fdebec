package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/quickstart/document"
)

// convertToText submits the handbook and prints its text.
func convertToText(ctx context.Context, t *tour) error {
	// In production the address is one of your document store, and Config has the
	// base URL, app id and app key of your deployment.
	address, err := t.serveHandbook()
	if err != nil {
		return err
	}
	client, err := convert.New(t.side.Config())
	if err != nil {
		return err
	}
	task, err := client.SubmitText(ctx, convert.TextRequest{
		URL: address, Filename: document.HandbookName,
		MergePages: true, KeepLineBreaks: true,
	})
	if err != nil {
		return err
	}
	t.say("submitted", "%s, %d bytes: task %s", document.HandbookName, len(document.Handbook()), task.ID)
	path, err := t.save(ctx, client, task, "handbook.txt")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t.say("saved", "%s, %d bytes:", path, len(text))
	fmt.Fprintln(t.out)
	for line := range bytes.Lines(text) {
		fmt.Fprintf(t.out, "   | %s\n", bytes.TrimRight(line, "\n"))
	}
	return nil
}

// convertToPDF submits the handbook again, to a service which has LibreOffice.
func convertToPDF(ctx context.Context, t *tour) error {
	if err := t.engine.CanPDF(); err != nil {
		t.say("skipped", "%v", err)
		return errSkipped
	}
	address, err := t.serveHandbook()
	if err != nil {
		return err
	}
	client, err := convert.New(t.side.Config())
	if err != nil {
		return err
	}
	task, err := client.SubmitPDF(ctx, convert.PDFRequest{URL: address, Filename: document.HandbookName})
	if err != nil {
		return err
	}
	t.say("submitted", "%s: task %s", document.HandbookName, task.ID)
	path, err := t.save(ctx, client, task, "handbook.pdf")
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	pages, err := t.engine.CountPages(ctx, path)
	if err != nil {
		return err
	}
	t.say("saved", "%s, %d bytes, %d pages", path, info.Size(), pages)
	return nil
}

// save waits for the task, says how far it is, and downloads its one file.
func (t *tour) save(ctx context.Context, client *convert.Client, task convert.Task, name string) (string, error) {
	said := ""
	paths, err := client.Save(ctx, task, t.dir, &convert.SaveOptions{
		Name: func(int, int, convert.File) string { return name },
		Progress: func(s *convert.Status) {
			if now := fmt.Sprintf("%3.0f %%  %s", s.Progress, s.State); now != said {
				said = now
				t.say("progress", "%s", now)
			}
		},
	})
	if err != nil {
		return "", err
	}
	if len(paths) != 1 {
		return "", fmt.Errorf("the task has %d files, want one", len(paths))
	}
	return paths[0], nil
}

// serveHandbook puts the document where the service can fetch it.
func (t *tour) serveHandbook() (address string, err error) {
	file := filepath.Join(t.dir, document.HandbookName)
	if err := os.WriteFile(file, document.Handbook(), 0o644); err != nil {
		return "", err
	}
	return t.side.Serve(file, document.HandbookName), nil
}
