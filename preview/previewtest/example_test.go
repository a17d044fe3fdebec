package previewtest_test

import (
	"context"
	"fmt"
	"os"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// A Viewer opens a document through a handler, as the service would.
func ExampleViewer() {
	store := previewtest.MapStore{
		"plan": {File: preview.File{Name: "Plan.docx"}, Content: []byte("the plan\n")},
	}
	handler, err := preview.NewHandler(preview.Config{Store: store, Auth: signing.Unsigned})
	if err != nil {
		panic(err)
	}
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		Handler:    handler,
		HTTPClient: previewtest.HTTPClient(store), // fetches the bytes
	})
	if err != nil {
		panic(err)
	}
	file, err := viewer.Open(context.Background(), "plan", os.Stdout)
	fmt.Println(file.Name, file.Version, err)
	// Output:
	// the plan
	// Plan.docx 1 <nil>
}

// Check finds what a store does against its contract.
func ExampleCheck() {
	store := previewtest.MapStore{
		"plan": {File: preview.File{Name: "Plan: final.docx"}},
	}
	err := previewtest.Check(context.Background(), previewtest.Fixture{
		Config:   preview.Config{Store: store},
		Existing: []preview.Request{{FileID: "plan"}},
	})
	fmt.Println(err)
	// Output:
	// previewtest: file-name: File.Name is a name that CheckName accepts (protocol 2.4): "plan": preview: name: protocol 2.4: none of \ / | " : * ? < >
}

// A MapStore is written down as it is needed.
func ExampleMapStore() {
	store := previewtest.MapStore{
		"plan": {
			Download:   preview.Download{URL: "https://files.example/plan.docx"},
			Permission: map[string]preview.Permission{"ann's token": {Read: true, Copy: true}},
		},
	}
	file, _ := store.File(context.Background(), preview.Request{FileID: "plan"})
	_, err := store.Permission(context.Background(), preview.Request{FileID: "plan", WebOfficeToken: signing.NewSecret("another")})
	fmt.Println(file.ID, file.Name, file.Version)
	fmt.Println(err)
	// Output:
	// plan plan.docx 1
	// weboffice: the user's token is not valid
}
