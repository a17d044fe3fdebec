package preview_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// document is a row of whatever knows your documents.
type document struct {
	name    string
	version uint32
	content string
	changed time.Time
	author  string
}

// shelf is a Store over a map. A real one asks a database.
type shelf map[string]document

func (s shelf) File(_ context.Context, r preview.Request) (preview.File, error) {
	d, ok := s[r.FileID]
	if !ok {
		return preview.File{}, preview.ErrNotFound
	}
	return preview.File{
		Name: preview.CleanName(d.name), Version: d.version, Size: int64(len(d.content)),
		CreatedAt: d.changed, ModifiedAt: d.changed, CreatorID: d.author, ModifierID: d.author,
	}, nil
}

func (s shelf) Download(_ context.Context, r preview.Request) (preview.Download, error) {
	if _, ok := s[r.FileID]; !ok {
		return preview.Download{}, preview.ErrNotFound
	}
	return preview.Download{URL: "https://files.example.com/" + r.FileID}, nil
}

func (s shelf) Permission(_ context.Context, r preview.Request) (preview.Permission, error) {
	if _, ok := s[r.FileID]; !ok {
		return preview.Permission{}, preview.ErrNotFound
	}
	return preview.Permission{Read: true, Copy: true}, nil
}

// A Store over a map, and a document of it as the viewer's service sees it.
func Example() {
	store := shelf{"plan": {name: "Plan: 2026.docx", version: 3, content: "the plan\n", changed: time.Unix(1767225600, 0), author: "ann"}}
	handler, err := preview.NewHandler(preview.Config{
		Store: store,
		Auth:  signing.Unsigned, // outside of examples: a Verifier's VerifyRequest
	})
	if err != nil {
		panic(err)
	}
	// To serve it: http.ListenAndServe(":8080", handler)

	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		Handler:    handler,
		HTTPClient: previewtest.HTTPClient(previewtest.MapStore{"plan": {Content: []byte("the plan\n")}}),
	})
	if err != nil {
		panic(err)
	}
	file, err := viewer.Open(context.Background(), "plan", os.Stdout)
	fmt.Println(file.Name, "version", file.Version, err)
	_, err = viewer.File(context.Background(), "draft")
	fmt.Println(err)
	// Output:
	// the plan
	// Plan_ 2026.docx version 3 <nil>
	// previewtest: GET /v3/3rd/files/draft: refused: HTTP 404, code 40004, message "not found"
}

// A message for the user of the viewer, instead of a code that it translates.
func ExampleReply() {
	err := fmt.Errorf("virus scan of plan: %w", preview.Reply{
		Code:    preview.CodeMessage,
		Message: "The document is still being scanned. Try again in a minute.",
	})
	reply := preview.DefaultReply(err)
	fmt.Println(reply.Code, reply.Message)
	// Output: 40007 The document is still being scanned. Try again in a minute.
}

// Names from elsewhere become names that the viewer takes.
func ExampleCleanName() {
	for _, name := range []string{"Plan.docx", `Q1/Q2: "final"?.docx`, "計劃\n2026.docx"} {
		fmt.Println(preview.CleanName(name))
	}
	// Output:
	// Plan.docx
	// Q1_Q2_ _final__.docx
	// 計劃_2026.docx
}

// What the front end gave to the viewer comes with every callback.
func ExampleRequest_Query() {
	r := preview.Request{FileID: "plan", UserQuery: "_w_appid=app&file_id=plan&folder=2026%20Q1"}
	fmt.Println(r.Query().Get("folder"))
	fmt.Println(r) // without the query, which may hold anything
	// Output:
	// 2026 Q1
	// Request{file "plan", app "", user "", request ""}
}
