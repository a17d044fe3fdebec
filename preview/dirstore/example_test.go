package dirstore_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// A folder, a handler over it, and a viewer that opens a document.
func Example() {
	dir, err := os.MkdirTemp("", "documents")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "plan.docx"), []byte("the plan\n"), 0o600); err != nil {
		panic(err)
	}

	store, err := dirstore.New(dirstore.Config{
		Root:      dir,
		PublicURL: "https://office.example.com/files",
		LinkKey:   signing.NewSecret("a long random text from the environment"),
		Allow:     dirstore.ReadOnly,
	})
	if err != nil {
		panic(err)
	}
	defer func() { _ = store.Close() }()
	handler, err := preview.NewHandler(preview.Config{Store: store, Auth: signing.Unsigned})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle(preview.PathPrefix, handler)
	mux.Handle("/files", store)

	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: mux, HTTPClient: previewtest.HTTPClient(mux)})
	if err != nil {
		panic(err)
	}
	file, err := viewer.Open(context.Background(), store.ID("plan.docx"), os.Stdout)
	fmt.Println(file.Name, file.Version, err)
	// Output:
	// the plan
	// plan.docx 1 <nil>
}
