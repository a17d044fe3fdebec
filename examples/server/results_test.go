package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// bucket is as much of a storage as results need: the campaign of the fleet has a real one.
type bucket struct {
	mu      sync.Mutex
	objects map[string]string
	old     map[string]bool
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	switch {
	case r.Method == http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		b.objects[key] = string(body)
	case r.Method == http.MethodDelete:
		delete(b.objects, key)
	case r.URL.Query().Has("list-type"):
		fmt.Fprint(w, "<ListBucketResult>")
		for key := range b.objects {
			at := time.Now()
			if b.old[key] {
				at = at.Add(-time.Hour)
			}
			if strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
				fmt.Fprintf(w, "<Contents><Key>%s</Key><LastModified>%s</LastModified></Contents>", key, at.UTC().Format(time.RFC3339))
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	case b.objects[key] == "":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		fmt.Fprint(w, b.objects[key])
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	b := &bucket{objects: map[string]string{"other/1/001.txt": "not ours"}, old: map[string]bool{"results/1/001.txt": true, "other/1/001.txt": true}}
	web := httptest.NewServer(b)
	t.Cleanup(web.Close)
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &web.URL, UsePathStyle: true, RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		Credentials: aws.AnonymousCredentials{},
	})
	for name, test := range map[string]struct {
		results results
		age     func() error // makes the first result old
	}{
		"folder": {folderResults(folder), func() error {
			return os.Chtimes(filepath.Join(folder, "1"), time.Time{}, time.Now().Add(-time.Hour))
		}},
		"bucket": {&bucketResults{client, "bucket", "results/"}, func() error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, key := range []string{"1/001.txt", "2/001.txt", "2/001.txt"} { // A repeated job writes again.
				source := filepath.Join(t.TempDir(), "source")
				if err := os.WriteFile(source, []byte("text of "+key), 0o600); err != nil {
					t.Fatal(err)
				}
				file, err := os.Open(source)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = file.Close() }()
				if err := test.results.Put(t.Context(), key, file); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(test.age(), test.results.Sweep(t.Context(), time.Now().Add(-time.Minute))); err != nil {
				t.Fatal(err)
			}
			body, size, err := test.results.Get(t.Context(), "2/001.txt")
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			if text, err := io.ReadAll(body); err != nil || string(text) != "text of 2/001.txt" || size != int64(len(text)) {
				t.Errorf("Get = %q, %d, %v, want what was put last", text, size, err)
			}
			for _, key := range []string{"1/001.txt", "3/001.txt"} {
				if _, _, err := test.results.Get(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("Get of %s = %v, want fs.ErrNotExist", key, err)
				}
			}
		})
	}
	t.Cleanup(func() {
		if b.objects["other/1/001.txt"] == "" {
			t.Error("the sweep removed what is not a result")
		}
	})
}
