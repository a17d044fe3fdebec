package converttest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// newClient is what the code under test gets. Waiting is short here; in a
// testing/synctest bubble it takes no time at all.
func newClient(cfg convert.Config) *convert.Client {
	cfg.Backoff = convert.Backoff{Min: time.Millisecond, Max: time.Millisecond}
	c, err := convert.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

var contract = convert.TextRequest{URL: "https://files.example/contract.docx", Filename: "contract.docx"}

func Example() {
	s := converttest.NewServer(&converttest.Options{Converter: converttest.Script{
		converttest.Pending(30),
		converttest.Pending(80),
		converttest.Success([]byte("first page"), []byte("second page")),
	}})
	defer s.Close()
	ctx, client := context.Background(), newClient(s.Config())

	task, err := client.SubmitText(ctx, contract)
	if err != nil {
		fmt.Println(err)
		return
	}
	for status, err := range client.Watch(ctx, task) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(status.State, status.Progress)
		if status.Result == nil {
			continue
		}
		for _, f := range status.Result.Files {
			var text bytes.Buffer
			if err := client.Download(ctx, f, &text); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(&text)
		}
	}
	// Output:
	// running 30
	// running 80
	// success 100
	// first page
	// second page
}

// A Submission is what the service understood of a request.
func ExampleServer_Submissions() {
	s := converttest.NewServer(nil)
	defer s.Close()
	client := newClient(s.Config())

	_, err := client.SubmitPDF(context.Background(), convert.PDFRequest{
		URL: "https://files.example/talk.pptx?sign=secret", Filename: "talk.pptx",
		Pages: convert.Span{From: 2, To: 9}, ShowComments: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, sub := range s.Submissions() {
		fmt.Println(sub)
		fmt.Println(sub.Pages, sub.ShowComments)
	}
	// Output:
	// {open:task-000001 to pdf, app test-app, "talk.pptx", https://files.example/talk.pptx?[secret]}
	// {2 9} true
}

// The service refuses the first submit for its rate, and breaks the connection
// over the second after it took it on: the first is repeated, the second is not.
func ExampleServer_Fail() {
	s := converttest.NewServer(nil)
	defer s.Close()
	s.Fail(converttest.Submits, 1, converttest.Refused(convert.CodeRateLimiter))
	s.Fail(converttest.Submits, 1, converttest.Reset)
	client := newClient(s.Config())

	_, err := client.SubmitText(context.Background(), contract)
	fmt.Println("error:", err != nil, "tasks:", len(s.Submissions()))
	// Output:
	// error: true tasks: 1
}

func ExampleScripts() {
	s := converttest.NewServer(&converttest.Options{Converter: converttest.Scripts{
		"contract.docx": {converttest.Failure("the document is encrypted")},
		"":              {converttest.Success([]byte("text"))},
	}})
	defer s.Close()
	ctx, client := context.Background(), newClient(s.Config())

	task, err := client.SubmitText(ctx, contract)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Wait(ctx, task)
	fmt.Println(errors.Is(err, convert.ErrFailed), strings.Contains(err.Error(), "the document is encrypted"))
	// Output:
	// true true
}

// Async does real work: here it fetches the document, and shouts.
func ExampleAsync() {
	store := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hereby agreed") })
	s := converttest.NewServer(&converttest.Options{
		Sources: converttest.HTTPClient(store),
		Converter: converttest.Async(func(ctx context.Context, s converttest.Submission, progress func(float64)) ([][]byte, error) {
			document, err := s.Open(ctx)
			if err != nil {
				return nil, err
			}
			defer func() { _ = document.Close() }()
			progress(50)
			text, err := io.ReadAll(document)
			return [][]byte{bytes.ToUpper(text)}, err
		}),
	})
	defer s.Close()
	ctx, client := context.Background(), newClient(s.Config())

	task, err := client.SubmitText(ctx, contract)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.Wait(ctx, task)
	if err != nil {
		fmt.Println(err)
		return
	}
	var text bytes.Buffer
	if err := client.Download(ctx, result.Files[0], &text); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(&text)
	// Output:
	// HEREBY AGREED
}

// A middleware sees what goes over the wire.
func ExampleHTTPClient() {
	s := converttest.NewServer(nil)
	defer s.Close()
	cfg := s.Config()
	cfg.HTTPClient = converttest.HTTPClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL.Path, r.Header.Get("Content-Type"))
		s.ServeHTTP(w, r)
	}))

	_, err := newClient(cfg).SubmitText(context.Background(), contract)
	fmt.Println(err)
	// Output:
	// POST /api/developer/v1/office/convert/to/txt application/json
	// <nil>
}
