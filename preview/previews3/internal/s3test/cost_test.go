package s3test_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
)

// bill counts what a storage bills.
type bill struct {
	mu    sync.Mutex
	count map[string]int
}

func (b *bill) RoundTrip(req *http.Request) (*http.Response, error) {
	b.mu.Lock()
	kind := req.Method
	if req.URL.Query().Has("list-type") {
		kind = "LIST"
	}
	b.count[kind]++
	b.mu.Unlock()
	return http.DefaultTransport.RoundTrip(req)
}

// since returns the counts, and starts again at zero.
func (b *bill) since() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := b.count
	b.count = map[string]int{}
	return fmt.Sprintf("%d listings, %d reads, %d HEADs, %d writes", count["LIST"], count["GET"], count["HEAD"], count["PUT"])
}

// What the package comment says of costs.
func TestCost(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	requests := &bill{count: map[string]int{}}
	s := b.NewStore(t, func(cfg *previews3.Config) {
		cfg.Client = s3test.NewClient("http://"+b.Addr, requests)
	})
	s3test.Fill(t, s)
	for _, c := range []struct {
		what, want string
		call       func() error
	}{
		{"opening", "3 listings, 3 reads, 0 HEADs, 0 writes", func() error {
			_, permission := s.Permission(t.Context(), ann)
			_, file := s.File(t.Context(), ann)
			_, download := s.Download(t.Context(), ann)
			return errors.Join(permission, file, download)
		}},
		{"a save", "3 listings, 2 reads, 1 HEADs, 1 writes", func() error {
			_, prepare := s.PrepareUpload(t.Context(), ann)
			sv, err := upload(t.Context(), s, "text")
			if err == nil {
				_, err = sv.complete(t.Context(), s)
			}
			return errors.Join(prepare, err)
		}},
		{"a page of two versions", "2 listings, 3 reads, 0 HEADs, 0 writes", func() error {
			files, err := s.Versions(t.Context(), ann, preview.Page{Limit: 2})
			if len(files) != 2 {
				t.Errorf("%d versions", len(files))
			}
			return err
		}},
		{"a sweep that removes nothing", "1 listings, 0 reads, 0 HEADs, 0 writes", func() error {
			_, err := upload(t.Context(), s, "never completed")
			requests.since()
			_, sweep := s.Sweep(t.Context(), previews3.SweepOptions{})
			return errors.Join(err, sweep)
		}},
	} {
		requests.since()
		if err := c.call(); err != nil {
			t.Fatal(err)
		}
		if got := requests.since(); got != c.want {
			t.Errorf("%s costs %s, want %s", c.what, got, c.want)
		}
	}
}
