package openapitest_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/webhook"
)

const (
	toText   = "/api/developer/v1/office/convert/to/txt"
	toPDF    = "/api/developer/v1/office/convert/to/pdf"
	tasks    = "/api/developer/v1/tasks/"
	contract = `{"url":"https://files.example/contract.docx","filename":"contract.docx"}`
)

// sections cuts a golden file at its "-- name --" lines.
func sections(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^-- (.+) --\n`)
	parts, names := line.Split(string(text), -1), line.FindAllStringSubmatch(string(text), -1)
	all := map[string]string{}
	for i, name := range names {
		all[name[1]] = parts[i+1]
	}
	if len(all) == 0 || len(all) != len(names) {
		t.Fatalf("%s has %d sections of %d names", file, len(names), len(all))
	}
	return all
}

// readAnswer reads a status line, headers and a body.
func readAnswer(t *testing.T, text string, x *exchange) {
	t.Helper()
	head, body, ok := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	status, err := strconv.Atoi(strings.Fields(lines[0])[0])
	if err != nil || !ok {
		t.Fatalf("%q is no answer: %v", text, err)
	}
	x.status, x.header, x.answer = status, http.Header{}, []byte(strings.TrimSuffix(body, "\n\n"))
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		x.header.Add(name, value)
	}
}

func goldenConversions(t *testing.T, service *document) {
	t.Helper()
	task := tasks + "open:task-000001"
	requests := map[string]struct{ method, target, body string }{
		"submit":              {http.MethodPost, toText, contract},
		"pending":             {http.MethodGet, task, ""},
		"success, txt":        {http.MethodGet, task, ""},
		"submit to pdf":       {http.MethodPost, toPDF, contract},
		"pending, pdf":        {http.MethodGet, task, ""},
		"success, pdf":        {http.MethodGet, task, ""},
		"submit, fails later": {http.MethodPost, toText, contract},
		"failure":             {http.MethodGet, task, ""},
		"code":                {http.MethodGet, task, ""},
		"broken rule":         {http.MethodPost, toPDF, contract},
		"unknown task":        {http.MethodGet, task, ""},
		"unknown endpoint":    {http.MethodPost, "/api/developer/v1/office", "{}"},
		"wrong method":        {http.MethodDelete, toText, ""},
	}
	for name, text := range sections(t, "../../../convert/converttest/testdata/answers.golden") {
		if strings.HasPrefix(name, "download") {
			continue // the address of a result is no operation
		}
		asked, ok := requests[name]
		if !ok {
			t.Errorf("there is no request for %q", name)
			continue
		}
		r := signingtest.NewRequest(t, signingtest.Credentials(), asked.method, asked.target, []byte(asked.body))
		x := &exchange{request: r, body: []byte(asked.body)}
		readAnswer(t, text, x)
		if err := service.check(t.Context(), x); err != nil {
			t.Errorf("%s: %v\n%s", name, err, x.answer)
		}
	}
}

func goldenMessages(t *testing.T, service *document) {
	t.Helper()
	files, err := filepath.Glob("../../../webhook/testdata/messages/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		body, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.TrimSpace(body)
		r := httptest.NewRequest(http.MethodPost, webhook.SendPath+"?key=k", nil)
		r.Header.Set("Content-Type", "application/json")
		x := &exchange{r, body, http.StatusOK, http.Header{"Content-Type": {"application/json"}}, []byte(`{"result":"ok"}`)}
		unknown := filepath.Base(file) == "raw.json" // of a msgtype that the protocol does not know
		if err := service.check(t.Context(), x); (err != nil) != unknown {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func goldenCallbacks(t *testing.T, callbacks *document) {
	t.Helper()
	files, err := filepath.Glob("../../../preview/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for name, text := range sections(t, file) {
			head, answer, _ := strings.Cut(text, "\n\n")
			line, body, _ := strings.Cut(head, "\n")
			method, target, _ := strings.Cut(line, " ")
			r := httptest.NewRequest(method, target, nil)
			if body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			x := &exchange{request: r, body: []byte(body)}
			readAnswer(t, answer, x)
			if err := callbacks.check(t.Context(), x); err != nil {
				t.Errorf("%s, %s: %v\n%s", file, name, err, text)
			}
		}
	}
}
