package converttest_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// tokens are random.
var tokens = regexp.MustCompile(`Signature=[A-Z2-7]{26}`)

// TestAnswersAreGolden holds every byte of the answers: status, header, body.
func TestAnswersAreGolden(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Scripts{
		"a.docx": {converttest.Pending(40), converttest.Success([]byte("one"), []byte("two"))},
		"b.docx": {converttest.Failure("broken <font>"), {Code: -1, Message: "Unknown"}},
	}})
	var got bytes.Buffer
	address := ""
	for _, step := range []struct{ name, method, target, body string }{
		{"submit", http.MethodPost, toText, document},
		{"pending", http.MethodGet, tasks + "open:task-000001", ""},
		{"success, txt", http.MethodGet, tasks + "open:task-000001", ""},
		{"download", "", "", ""},
		{"download without access", "", "http://office.example" + converttest.PathPrefix + "results/open:task-000001/1.txt", ""},
		{"submit to pdf", http.MethodPost, toPDF, document},
		{"pending, pdf", http.MethodGet, tasks + "open:task-000002", ""},
		{"success, pdf", http.MethodGet, tasks + "open:task-000002", ""},
		{"submit, fails later", http.MethodPost, toText, named("b.docx")},
		{"failure", http.MethodGet, tasks + "open:task-000003", ""},
		{"code", http.MethodGet, tasks + "open:task-000003", ""},
		{"broken rule", http.MethodPost, toPDF, with(`"ranges":"1","show_comments":true`)},
		{"unknown task", http.MethodGet, tasks + "open:none", ""},
		{"unknown endpoint", http.MethodPost, "/api/developer/v1/office", "{}"},
		{"wrong method", http.MethodDelete, toText, ""},
	} {
		var req *http.Request
		switch {
		case step.method != "":
			req = signed(t, signingtest.Credentials(), step.method, "http://office.example"+step.target, step.body)
		case step.target != "":
			req = httptest.NewRequest(http.MethodGet, step.target, nil)
		default:
			req = httptest.NewRequest(http.MethodGet, address, nil)
		}
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, req)
		body := rec.Body.String()
		if _, rest, ok := strings.Cut(body, `"url":"`); ok && address == "" {
			address, _, _ = strings.Cut(rest, `"`)
			address = strings.ReplaceAll(address, `\u0026`, "&")
		}
		fmt.Fprintf(&got, "-- %s --\n%d %s\n", step.name, rec.Code, http.StatusText(rec.Code))
		if err := rec.Header().Write(&got); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "\n%s\n\n", tokens.ReplaceAllString(body, "Signature=RANDOM"))
	}
	const golden = "testdata/answers.golden"
	text := strings.ReplaceAll(got.String(), "\r\n", "\n")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}
