package convert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
)

func Example() {
	server := converttest.NewServer(&converttest.Options{
		Converter: converttest.Script{converttest.Pending(50), converttest.Success([]byte("The text of a report."))},
	})
	defer server.Close()
	ctx := context.Background()

	cfg := server.Config()
	cfg.Backoff = convert.Backoff{Min: time.Millisecond, Max: time.Millisecond} // leave it out in production
	client, err := convert.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := client.SubmitText(ctx, convert.TextRequest{
		URL:      "https://files.example/report.docx",
		Filename: "report.docx",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.Wait(ctx, task)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range result.Files {
		if err := client.Download(ctx, file, os.Stdout); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output: The text of a report.
}

// A large document as PDF, with its progress.
func ExampleClient_Save() {
	server := converttest.NewServer(&converttest.Options{
		Converter: converttest.Script{
			converttest.Pending(0), converttest.Pending(35), converttest.Pending(80),
			converttest.Success([]byte("%PDF-1.7 …")),
		},
	})
	defer server.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()

	cfg := server.Config()
	cfg.Backoff = convert.Backoff{Min: time.Millisecond, Max: time.Millisecond} // leave it out in production
	client, err := convert.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := client.SubmitPDF(ctx, convert.PDFRequest{
		URL:      "https://files.example/handbook.docx",
		Filename: "handbook.docx",
		Password: signing.NewSecret("correct horse"),
		Pages:    convert.Span{From: 1, To: 900},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	paths, err := client.Save(ctx, task, dir, &convert.SaveOptions{
		Name:     func(i, n int, _ convert.File) string { return fmt.Sprintf("handbook-%d-of-%d.pdf", i+1, n) },
		Progress: func(s *convert.Status) { fmt.Printf("%s %.0f%%\n", s.State, s.Progress) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range paths {
		fmt.Println(filepath.Base(path))
	}
	// Output:
	// running 0%
	// running 35%
	// running 80%
	// success 100%
	// handbook-1-of-1.pdf
}

// A task outlives the process that submitted it.
func ExampleTask() {
	server := converttest.NewServer(&converttest.Options{
		Converter: converttest.Script{converttest.Pending(50), converttest.Success([]byte("text"))},
	})
	defer server.Close()
	ctx := context.Background()

	// The first process submits, stores the task, and ends.
	cfg := server.Config()
	cfg.Backoff = convert.Backoff{Min: time.Millisecond, Max: time.Millisecond} // leave it out in production
	first, err := convert.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := first.SubmitText(ctx, convert.TextRequest{URL: "https://files.example/a.docx", Filename: "a.docx"})
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, err := json.Marshal(task)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", stored)

	// The second process reads it and goes on.
	second, err := convert.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	var again convert.Task
	if err := json.Unmarshal(stored, &again); err != nil {
		fmt.Println(err)
		return
	}
	result, err := second.Wait(ctx, again)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(result.Files), "file of", result.Files[0].Size, "bytes")
	// Output:
	// {"id":"open:task-000001","target":"txt"}
	// 1 file of 4 bytes
}

func ExampleClient_Watch() {
	server := converttest.NewServer(&converttest.Options{
		Converter: converttest.Script{converttest.Pending(10), converttest.Failure("the document is encrypted")},
	})
	defer server.Close()
	ctx := context.Background()

	cfg := server.Config()
	cfg.Backoff = convert.Backoff{Min: time.Millisecond, Max: time.Millisecond} // leave it out in production
	client, err := convert.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := client.SubmitText(ctx, convert.TextRequest{URL: "https://files.example/a.docx", Filename: "a.docx"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for status, err := range client.Watch(ctx, task) {
		switch {
		case errors.Is(err, convert.ErrFailed):
			fmt.Println("failed:", status.Message)
		case err != nil:
			fmt.Println(err)
			return
		default:
			fmt.Printf("%s %.0f%%\n", status.State, status.Progress)
		}
	}
	// Output:
	// running 10%
	// failed: the document is encrypted
}

// A document of every customer: the keys of the caller come back with the outcomes.
func ExampleBatch() {
	server := converttest.NewServer(&converttest.Options{
		Converter: converttest.Scripts{
			"":         {converttest.Success([]byte("text"))},
			"bad.docx": {converttest.Failure("the document is damaged")},
		},
	})
	defer server.Close()
	cfg := server.Config()
	cfg.Backoff = convert.Backoff{Min: time.Millisecond, Max: time.Millisecond} // leave it out in production
	client, err := convert.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	customers := []struct{ ID, File string }{{"ada", "a.docx"}, {"bob", "bad.docx"}, {"cyd", "c.pptx"}}
	requests := func(yield func(string, convert.Request) bool) {
		for _, c := range customers {
			if !yield(c.ID, convert.TextRequest{URL: "https://files.example/" + c.File, Filename: c.File}) {
				return
			}
		}
	}
	for id, outcome := range convert.Batch(context.Background(), client, requests, &convert.BatchOptions[string]{
		Dir:  dir,
		Name: func(id string, i, _ int, _ convert.File) string { return fmt.Sprintf("%s-%d.txt", id, i+1) },
	}) {
		if outcome.Err != nil {
			fmt.Println(id, "failed:", errors.Is(outcome.Err, convert.ErrFailed))
			continue
		}
		fmt.Println(id, "has", filepath.Base(outcome.Paths[0]))
	}
	// Unordered output:
	// bob failed: true
	// ada has ada-1.txt
	// cyd has cyd-1.txt
}

func ExampleFieldError() {
	client, err := convert.New(convert.Config{
		BaseURL:     "https://office.example",
		Credentials: signing.App("SX2024", signing.NewSecret("key")),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.SubmitPDF(context.Background(), convert.PDFRequest{
		URL:      "https://files.example/scan",
		Filename: "scan.pdf",
		Pages:    convert.Span{From: 5, To: 2},
	})
	fmt.Println(err)
	// Output:
	// convert: submit pdf: Filename: has the extension ".pdf", which cannot be converted to pdf (protocol 2.1)
	// convert: submit pdf: Pages.To: must be greater than Pages.From (protocol 2.1): a single page can be named by Ranges only, for text
}

func ExampleParseRanges() {
	ranges, err := convert.ParseRanges("1,3-5")
	fmt.Println(ranges, len(ranges), err)
	_, err = convert.ParseRanges("1,5-3")
	fmt.Println(err)
	// Output:
	// 1,3-5 2 <nil>
	// convert: parse ranges: Ranges[1]: "5-3" ends before it starts (protocol 2.1)
}
