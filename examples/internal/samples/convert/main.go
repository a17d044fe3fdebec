// Converts documents to PDF: go run . https://files.example/report.docx …
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"net/url"
	"os"
	"path"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

func main() {
	client, err := newClient()
	if err != nil {
		log.Fatal(err)
	}
	if err := convertAll(context.Background(), client, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func newClient() (*convert.Client, error) {
	appKey := signing.NewSecret(os.Getenv("WEBOFFICE_APP_KEY")) // a Secret prints as "[secret]"
	return convert.New(convert.Config{
		BaseURL:     os.Getenv("WEBOFFICE_BASE_URL"), // such as https://office.example
		Credentials: signing.AppWithScheme("WPS-2", os.Getenv("WEBOFFICE_APP_ID"), appKey),
	})
}

func convertAll(ctx context.Context, client *convert.Client, urls []string) error {
	// Each is a PDFRequest, a TextRequest, or a Task of an earlier run.
	requests := map[string]convert.Request{}
	for _, address := range urls {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		name := path.Base(u.Path) // its extension says how the service reads what it downloads
		requests[name] = convert.PDFRequest{URL: address, Filename: name}
	}
	options := &convert.BatchOptions[string]{
		Dir:  "out",
		Name: func(name string, _, _ int, _ convert.File) string { return name + ".pdf" },
	}
	if err := os.MkdirAll("out", 0o750); err != nil {
		return err
	}
	failed := 0
	for name, outcome := range convert.Batch(ctx, client, maps.All(requests), options) {
		if outcome.Err != nil {
			failed++
			log.Print(name, ": ", outcome.Err) // the others go on
			continue
		}
		fmt.Println(outcome.Paths)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d documents were not converted", failed, len(requests))
	}
	return ctx.Err()
}
