package office_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

func ExampleEngine_Convert() {
	engine, err := office.New(office.Config{Plain: true}) // The zero Config uses what is installed.
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	dir, err := os.MkdirTemp("", "results-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := engine.Convert(context.Background(), office.Job{Path: "testdata/words.docx", Target: convert.Text, Dir: dir, Pages: convert.Span{From: 2}})
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
	}
	// Output:
	// The second page ends here.
	// The third page is the last.
}
