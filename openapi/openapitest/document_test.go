package openapitest_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// load reads a document, which must be valid OpenAPI 3.1.
func load(t *testing.T, name string) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !doc.IsOpenAPI31OrLater() {
		t.Errorf("%s is OpenAPI %s, want 3.1", name, doc.OpenAPI)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return doc
}

func TestDocumentsAreValid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"service.yaml", "callbacks.yaml"} {
		load(t, name)
	}
}
