package converttest_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// asyncServer is a server of fn with one submission, in a bubble.
func asyncServer(t *testing.T, fn func(context.Context, converttest.Submission, func(float64)) ([][]byte, error)) (s *converttest.Server, ask func() state) {
	t.Helper()
	start := time.Now()
	s = newServer(t, &converttest.Options{Converter: converttest.Async(fn), Now: func() time.Time { return at.Add(time.Since(start)) }})
	id := submit(t, s, toText, document)
	return s, func() state { return query(t, s, id) }
}

func TestAsyncRunsWhileItIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, ask := asyncServer(t, func(_ context.Context, s converttest.Submission, progress func(float64)) ([][]byte, error) {
			for _, p := range []float64{25, math.NaN(), 120, -1} {
				time.Sleep(time.Second)
				progress(p)
			}
			time.Sleep(time.Second)
			time.AfterFunc(time.Millisecond, func() { progress(5) }) // too late to matter
			return [][]byte{[]byte("text of " + s.Filename)}, nil
		})
		time.Sleep(500 * time.Millisecond)
		for i, want := range []float64{0, 25, 25, 100, 0} {
			if got := ask(); got.Status != "running" || got.Progress != want {
				t.Errorf("after %d s: %+v, want running at %v", i, got, want)
			}
			time.Sleep(time.Second)
		}
		got := ask()
		if got.Status != convert.StateSuccess || got.Progress != 100 || len(got.Result.Texts) != 1 || got.Result.Texts[0].Size != len("text of a.docx") {
			t.Errorf("at the end: %+v, want success with the text", got)
		}
	})
}

func TestAsyncFails(t *testing.T) {
	t.Parallel()
	for name, fn := range map[string]func(context.Context, converttest.Submission, func(float64)) ([][]byte, error){
		"oh": func(context.Context, converttest.Submission, func(float64)) ([][]byte, error) {
			return [][]byte{{1}}, errors.New("oh")
		},
		"panic: oh": func(context.Context, converttest.Submission, func(float64)) ([][]byte, error) { panic("oh") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, ask := asyncServer(t, fn)
				synctest.Wait()
				if got := ask(); got.Status != "failure" || got.Message == nil || *got.Message != name || got.Result != nil {
					t.Errorf("query = %+v, want a failure with message %q", got, name)
				}
			})
		})
	}
}

func TestCloseEndsWorkAndWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := false
		s, ask := asyncServer(t, func(ctx context.Context, _ converttest.Submission, _ func(float64)) ([][]byte, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // cleaning up
			ended = true
			return nil, ctx.Err()
		})
		time.Sleep(10 * time.Minute) // the end of the submit is not the end of the work
		if got := ask(); got.Status != "running" {
			t.Errorf("query = %+v, want running", got)
		}
		s.Close()
		if !ended {
			t.Error("Close returned before the work did")
		}
		s.Close()
		if got := ask(); got.Status != "failure" {
			t.Errorf("query after Close = %+v, want a failure", got)
		}
		r := serve(t, s, signedBy(t, signingtest.Credentials(), at.Add(10*time.Minute), http.MethodPost, toText, document))
		if r.Status != http.StatusServiceUnavailable || r.Code != convert.CodeInternalError {
			t.Errorf("submit after Close = %d %s, want 503 and code 30004", r.Status, r.Raw)
		}
	})
}

// TestAsyncInsideAnotherConverter: the server waits for its work all the same.
func TestAsyncInsideAnotherConverter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := false
		work := converttest.Async(func(ctx context.Context, _ converttest.Submission, _ func(float64)) ([][]byte, error) {
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		s := converttest.NewServer(&converttest.Options{Now: fixed, Converter: converterFunc(func(ctx context.Context, sub converttest.Submission) (converttest.Job, error) {
			job, err := work.Start(ctx, sub)
			return jobFunc(func() converttest.Step { return job.Step() }), err
		})})
		submit(t, s, toText, document)
		s.Close()
		if !ended {
			t.Error("Close did not wait for an Async inside another Converter")
		}
	})
}

func TestAsyncOutsideAServer(t *testing.T) {
	t.Parallel()
	if _, err := converttest.Async(nil).Start(t.Context(), converttest.Submission{}); err == nil {
		t.Error("Start without a Server: no error, want one: nobody would wait for the work")
	}
}

func TestOpenFetchesTheDocument(t *testing.T) {
	t.Parallel()
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("key") != "secret" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("the document"))
	})
	upper := func(ctx context.Context, s converttest.Submission, _ func(float64)) ([][]byte, error) {
		r, err := s.Open(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		return [][]byte{[]byte(strings.ToUpper(string(b)))}, err
	}
	for name, tt := range map[string]struct {
		sources *http.Client
		url     string
		message string
	}{
		"there":      {converttest.HTTPClient(files), "https://files.example/a?key=secret", ""},
		"forbidden":  {converttest.HTTPClient(files), "https://files.example/a?key=CANARY", "403"},
		"broken off": {converttest.HTTPClient(converttest.Reset(files)), "https://files.example/a?key=CANARY", "cannot be fetched"},
		"no client":  {nil, "https://files.example/a?key=CANARY", "Options.Sources"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, &converttest.Options{Now: fixed, Sources: tt.sources, Converter: converttest.Async(upper)})
				id := submit(t, s, toText, `{"url":"`+tt.url+`","filename":"a.docx"}`)
				synctest.Wait()
				got := query(t, s, id)
				if tt.message == "" {
					if _, body := get(t, s, got.Result.Texts[0].URL); body != "THE DOCUMENT" || *got.Result.Task.ResourceSize != 12 {
						t.Errorf("result = %q of %v bytes, want THE DOCUMENT of 12", body, *got.Result.Task.ResourceSize)
					}
					return
				}
				if got.Status != "failure" || got.Message == nil || strings.Contains(*got.Message, "CANARY") {
					t.Errorf("query = %+v, want a failure without the query of the address", got)
				}
				_, err := s.Submissions()[0].Open(t.Context())
				var api *convert.APIError
				if !errors.As(err, &api) || api.Code != convert.CodeDownloadFail || !strings.Contains(api.Message, tt.message) {
					t.Errorf("Open = %v, want code 30009 and %q", err, tt.message)
				}
			})
		})
	}
}

func TestRefusalByOpenIsAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converterFunc(func(ctx context.Context, sub converttest.Submission) (converttest.Job, error) {
		_, err := sub.Open(ctx)
		return nil, err
	})})
	if r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, document); r.Code != convert.CodeDownloadFail {
		t.Errorf("submit = %s, want code 30009", r.Raw)
	}
}

// TestAsyncPaths: results on disk are read when they are asked for, and not before.
func TestAsyncPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	paths := []string{first, second}
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.AsyncPaths(func(_ context.Context, s converttest.Submission, _ func(float64)) ([]string, error) {
			if s.Filename == "none.docx" {
				return nil, nil
			}
			return paths, errors.Join(os.WriteFile(first, []byte("page 1"), 0o600), os.WriteFile(second, []byte("the second"), 0o600))
		})})
		id := submit(t, s, toText, document)
		synctest.Wait()
		texts := query(t, s, id).Result.Texts
		if len(texts) != 2 || texts[0].Size != 6 || texts[1].Size != 10 {
			t.Fatalf("results %+v, want files of 6 and 10 bytes", texts)
		}
		if err := os.WriteFile(first, []byte("PAGE 1"), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, body := get(t, s, texts[0].URL); status != http.StatusOK || body != "PAGE 1" {
			t.Errorf("file 1 = %d %q, want what is on disk", status, body)
		}
		if err := os.Remove(second); err != nil {
			t.Fatal(err)
		}
		if status, body := get(t, s, texts[1].URL); status != http.StatusNotFound || strings.Contains(body, dir) {
			t.Errorf("a file that was removed = %d %q, want 404 without its path", status, body)
		}
		r := send(t, s, signingtest.Credentials(), http.MethodGet, tasks+id, "")
		if r.Code != convert.CodeFileNotExists || strings.Contains(r.Raw, dir) {
			t.Errorf("query = %s, want code 30012 without the path", r.Raw)
		}
		id = submit(t, s, toText, strings.Replace(document, `:"a.docx"`, `:"none.docx"`, 1))
		synctest.Wait()
		if got := query(t, s, id); got.Status != convert.StateSuccess || got.Result == nil || len(got.Result.Texts) != 0 {
			t.Errorf("no files: %+v, want a success without any", got)
		}
	})
}
