package main

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
)

func TestConvertAll(t *testing.T) {
	service := converttest.NewServer(&converttest.Options{
		Credentials: []signing.Credentials{signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key"))},
		Converter: converttest.Scripts{
			"report.docx": {converttest.Success([]byte("a PDF"))},
			"broken.docx": {converttest.Failure("the document is broken")},
		},
	})
	defer service.Close()
	server := httptest.NewServer(service)
	defer server.Close()
	t.Setenv("WEBOFFICE_BASE_URL", server.URL)
	t.Setenv("WEBOFFICE_APP_ID", "SX2024")
	t.Setenv("WEBOFFICE_APP_KEY", "key")
	t.Chdir(t.TempDir())

	client, err := newClient()
	if err != nil {
		t.Fatal(err)
	}
	err = convertAll(t.Context(), client, []string{"https://files.example/report.docx", "https://files.example/broken.docx"})
	if err == nil || !strings.HasPrefix(err.Error(), "1 of 2 documents") {
		t.Errorf("convertAll = %v, want an error that counts one document", err)
	}
	if got, err := os.ReadFile("out/report.docx.pdf"); err != nil || string(got) != "a PDF" {
		t.Errorf("out/report.docx.pdf = %q, %v", got, err)
	}
}
