package convert_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// TestFiveHundredDocumentsUnderTenCallsASecond is the story of a nightly run: the
// whole of it takes fake time only.
func TestFiveHundredDocumentsUnderTenCallsASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		server := converttest.NewServer(&converttest.Options{
			CallsPerSecond: convert.DefaultCallsPerSecond,
			RateLimit: func(w http.ResponseWriter) {
				refused++
				w.WriteHeader(http.StatusTooManyRequests)
			},
			Converter: converttest.Script{converttest.Pending(0), converttest.Pending(50), converttest.Success([]byte("text"))},
		})
		defer server.Close()
		client, err := convert.New(server.Config())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()

		requests := func(yield func(int, convert.Request) bool) {
			for id := range 500 {
				if !yield(id, convert.TextRequest{URL: "https://files.example/" + strconv.Itoa(id), Filename: "a.docx"}) {
					return
				}
			}
		}
		saved := 0
		for id, outcome := range convert.Batch(t.Context(), client, requests, &convert.BatchOptions[int]{Dir: dir}) {
			if outcome.Err != nil || len(outcome.Paths) != 1 {
				t.Errorf("document %d: %+v", id, outcome)
				continue
			}
			saved++
		}

		took := time.Since(start)
		if saved != 500 || len(server.Submissions()) != 500 || len(tree(t, dir)) != 500 || refused != 0 {
			t.Errorf("%d saved of %d submitted, %d refused, want all of 500 and none", saved, len(server.Submissions()), refused)
		}
		// A submit and three queries each, ten in 1.1 s: 220 s of full use.
		if took < 219*time.Second || took > 230*time.Second {
			t.Errorf("the run took %v, want the limit to be used to the full: 220 s", took)
		}
	})
}

func TestBatchIsResumedAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		server := converttest.NewServer(&converttest.Options{Converter: converttest.Script{
			converttest.Pending(10), converttest.Pending(20), converttest.Pending(30), converttest.Pending(40), converttest.Success([]byte("text")),
		}})
		defer server.Close()
		client, err := convert.New(server.Config())
		if err != nil {
			t.Fatal(err)
		}
		store := map[string][]byte{} // a table of tasks under way, by document

		ctx, crash := context.WithTimeout(t.Context(), 5*time.Second)
		defer crash()
		requests := func(yield func(string, convert.Request) bool) {
			for i := range 20 {
				if !yield("doc"+strconv.Itoa(i), convert.PDFRequest{URL: "https://files.example/a", Filename: "a.docx"}) {
					return
				}
			}
		}
		options := &convert.BatchOptions[string]{
			Dir:  dir,
			Name: func(id string, _, _ int, _ convert.File) string { return id + ".pdf" },
			Submitted: func(id string, task convert.Task) error {
				b, err := json.Marshal(task)
				store[id] = b
				return err
			},
		}
		for id, outcome := range convert.Batch(ctx, client, requests, options) {
			if outcome.Err == nil {
				delete(store, id)
			}
		}
		if len(store) != 20 {
			t.Fatalf("%d tasks are stored at the crash, want all 20", len(store))
		}

		rest := func(yield func(string, convert.Request) bool) {
			for id, b := range store {
				var task convert.Task
				if err := json.Unmarshal(b, &task); err != nil || !yield(id, task) {
					return
				}
			}
		}
		for id, outcome := range convert.Batch(t.Context(), client, rest, options) {
			if outcome.Err != nil {
				t.Errorf("%s: %v", id, outcome.Err)
			}
		}
		if n := len(tree(t, dir)); n != 20 || len(server.Submissions()) != 20 {
			t.Errorf("%d files of %d submits, want 20 of 20", n, len(server.Submissions()))
		}
	})
}

// faults are the ways in which the other side goes wrong. Whether it took a submit
// on before, its sender cannot know.
var faults = map[string]struct {
	fault   converttest.Fault
	refused bool // the answer says that nothing was done
	query   bool // a query that meets it once is answered in the end
}{
	"429":                  {converttest.TooManyRequests(2 * time.Second), true, true},
	"RateLimiter":          {converttest.Refused(convert.CodeRateLimiter), true, true},
	"TooManyTask":          {converttest.Refused(convert.CodeTooManyTask), true, true},
	"InternalError":        {converttest.Refused(convert.CodeInternalError), false, true},
	"InvalidArgument":      {converttest.Refused(convert.CodeInvalidArgument), false, false},
	"a gateway":            {converttest.Replied(502, "text/html", "<html>"), false, true},
	"a redirect":           {converttest.Redirected("https://elsewhere.example/"), false, false},
	"a reset":              {converttest.Reset, false, true},
	"truncated":            {converttest.Truncated, false, true},
	"half of it":           {converttest.ShortLength, false, true},
	"a length too long":    {converttest.LongLength, false, true},
	"HTML":                 {converttest.HTML, false, true},
	"empty":                {converttest.Empty, false, true},
	"null":                 {converttest.Null, false, true},
	"a list":               {converttest.Array, false, true},
	"no data":              {converttest.NoData, false, true},
	"huge":                 {converttest.Huge(2 << 20), false, false},
	"later than time-outs": {converttest.Late(time.Hour), false, true},
}

// faulty returns a client of a server that converts at once.
func faulty(t *testing.T) (*convert.Client, *converttest.Server) {
	t.Helper()
	server := converttest.NewServer(&converttest.Options{Converter: converttest.Script{converttest.Success([]byte("converted text"))}})
	t.Cleanup(server.Close)
	cfg := server.Config()
	cfg.HTTPClient.Timeout = time.Minute
	client, err := convert.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

func TestSubmitThroughFaults(t *testing.T) {
	t.Parallel()
	for name, test := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := faulty(t)
				server.Fail(converttest.Submits, 1, test.fault)
				submitted, err := client.SubmitText(t.Context(), text())
				if (err == nil) != test.refused || (submitted.ID != "") != test.refused {
					t.Errorf("SubmitText = %v, %v, want success: %v", submitted, err, test.refused)
				}
				if n := len(server.Submissions()); n > 1 {
					t.Errorf("%d submissions of one document", n)
				}
				server.Heal()
				if _, err := client.SubmitPDF(t.Context(), pdf()); err != nil {
					t.Errorf("SubmitPDF afterwards = %v", err)
				}
			})
		})
	}
}

func TestWaitThroughFaults(t *testing.T) {
	t.Parallel()
	for name, test := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := faulty(t)
				submitted, err := client.SubmitText(t.Context(), text())
				if err != nil {
					t.Fatal(err)
				}
				server.Fail(converttest.Queries, 2, test.fault)
				result, err := client.Wait(t.Context(), submitted)
				if (err == nil) != test.query || (result != nil) != test.query {
					t.Errorf("Wait = %v, %v, want success: %v", result, err, test.query)
				}
				var ended *convert.TaskError
				if err != nil && !errors.As(err, &ended) {
					t.Errorf("Wait = %v, want a *TaskError", err)
				}
				server.Heal()
				if _, err := client.Wait(t.Context(), submitted); err != nil {
					t.Errorf("Wait afterwards = %v", err)
				}
			})
		})
	}
}

func TestSaveThroughFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]converttest.Fault{
		"a reset": converttest.Reset, "truncated": converttest.Truncated, "half of it": converttest.ShortLength,
		"a length too long": converttest.LongLength, "HTML": converttest.HTML, "empty": converttest.Empty,
		"huge": converttest.Huge(1 << 20), "a stall": converttest.Late(time.Hour), "slow": converttest.Slow(4 * time.Minute),
		"a failure": converttest.Replied(500, "text/plain", "sorry"), "not allowed": converttest.Replied(403, "text/plain", "no"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				client, server := faulty(t)
				submitted, err := client.SubmitText(t.Context(), text())
				if err != nil {
					t.Fatal(err)
				}
				server.Fail(converttest.Downloads, 1, test)
				paths, err := client.Save(t.Context(), submitted, dir, nil)
				if err != nil || len(paths) != 1 {
					t.Fatalf("Save = %v, %v, want it to try again", paths, err)
				}
				got, err := os.ReadFile(paths[0])
				if err != nil || !bytes.Equal(got, []byte("converted text")) || len(tree(t, dir)) != 1 {
					t.Errorf("the folder holds %v, %v", tree(t, dir), err)
				}
			})
		})
	}
}

func TestResultsThatRunOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		client, _ := faulty(t)
		submitted, err := client.SubmitText(t.Context(), text())
		if err != nil {
			t.Fatal(err)
		}
		result, err := client.Wait(t.Context(), submitted)
		if err != nil {
			t.Fatal(err)
		}
		file := result.Files[0]
		if got, want := file.ExpiresAt, time.Now().Add(30*time.Minute); !got.Equal(want) {
			t.Errorf("ExpiresAt = %v, want %v", got, want)
		}
		time.Sleep(30*time.Minute - time.Second)
		var buf bytes.Buffer
		if err := client.Download(t.Context(), file, &buf); err != nil || buf.String() != "converted text" {
			t.Errorf("Download in time = %v, wrote %q", err, buf.String())
		}
		time.Sleep(time.Second)
		if err := client.Download(t.Context(), file, &buf); !errors.Is(err, convert.ErrExpired) {
			t.Errorf("Download after its time = %v, want ErrExpired", err)
		}
		paths, err := client.Save(t.Context(), submitted, dir, nil)
		if want := filepath.Join(dir, "open%3Atask-000001.txt"); err != nil || fmt.Sprint(paths) != "["+want+"]" {
			t.Errorf("Save = %v, %v, want %s", paths, err, want)
		}
	})
}
