package office_test

import (
	"context"
	"fmt"
	"os"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

func ExampleEngine_Convert() {
	engine, err := office.New(office.Config{Plain: true}) // The zero Config uses what is installed.
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = engine.Close() }()
	dir, err := os.MkdirTemp("", "results-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := engine.Convert(context.Background(), office.Job{Path: "testdata/words.docx", Target: convert.Text, Dir: dir, Pages: convert.Span{From: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(text))
	}
	// Output:
	// The second page ends here.
	// The third page is the last.
}
