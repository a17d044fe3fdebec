package desk_test

import (
	"bytes"
	"image/png"
	"net/http"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// TestPagesAreShown makes a PDF, and pictures of its pages and of those of a document in
// the viewer.
func TestPagesAreShown(t *testing.T) {
	t.Parallel()
	engine := officetest.Engine(t, office.Config{Instances: 1})
	e := start(t, func(cfg *desk.Config) { cfg.Engine = engine })
	var made desk.Conversion
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "pdf"}, http.StatusCreated, &made)
	e.wait(t, "kind=task&state=success")
	header, _, pdf := e.get(t, desk.Prefix+"/conversions/"+made.ID+"/results/1")
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || header.Get("Content-Disposition") != "attachment; filename=handbook.pdf" {
		t.Errorf("the result is %.20q, %v", pdf, header)
	}
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	var s desk.Session
	e.call(t, http.MethodPost, "/viewer/sessions", `{"gateway":"`+o.Sample.Gateway+`","file_id":"`+o.Sample.FileID+`","token":"`+o.Sample.Token+`"}`, http.StatusCreated, &s)
	e.call(t, http.MethodGet, "/viewer/sessions/"+s.ID+"/pages", "", http.StatusNotFound, nil)
	e.call(t, http.MethodPost, "/viewer/sessions/"+s.ID+"/open", "", http.StatusOK, nil)
	for _, path := range []string{"/conversions/" + made.ID + "/results/1/pages", "/viewer/sessions/" + s.ID + "/pages"} {
		var pages desk.Pages
		for pages.State != "ready" {
			e.call(t, http.MethodGet, path, "", http.StatusOK, &pages)
			if pages.State == "failed" {
				t.Fatalf("%s: %s", path, pages.Message)
			}
			e.call(t, http.MethodGet, "/wait?timeout=20ms&text=nothing", "", http.StatusNoContent, nil)
		}
		if pages.Count != 3 || len(pages.Sizes) != 3 {
			t.Errorf("%s: %+v, want three pages", path, pages)
		}
		_, status, body := e.get(t, desk.Prefix+path+"/3.png?width=200")
		if picture, err := png.Decode(bytes.NewReader(body)); status != http.StatusOK || err != nil || picture.Bounds().Dx() != 200 {
			t.Errorf("%s/3.png: %d %v", path, status, err)
		}
		for _, wrong := range []string{"/4.png", "/0.png", "/01.png", "/1.jpg", "/x.png"} {
			if _, status, _ := e.get(t, desk.Prefix+path+wrong); status != http.StatusNotFound {
				t.Errorf("%s%s: %d, want 404", path, wrong, status)
			}
		}
	}
	_, _, document := e.get(t, desk.Prefix+"/viewer/sessions/"+s.ID+"/document")
	if !bytes.Equal(document, handbook(t)) {
		t.Errorf("the document that was opened has %d bytes", len(document))
	}
}
