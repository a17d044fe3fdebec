package s3test_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
)

// flaky cuts the answers of the storage, delays them, or answers in its place, in
// one of ten calls.
type flaky struct{}

func (flaky) RoundTrip(req *http.Request) (*http.Response, error) {
	var status int
	switch rand.IntN(40) {
	case 0: // The storage did it, and nobody heard.
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		return nil, errors.New("connection reset")
	case 1: // Half of the answer arrives.
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err == nil {
			resp.Body = &cut{resp.Body, max(resp.ContentLength/2, 0)}
		}
		return resp, err
	case 2:
		status = http.StatusServiceUnavailable
	case 3:
		status = http.StatusConflict
	default:
		return http.DefaultTransport.RoundTrip(req)
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

type cut struct {
	io.ReadCloser
	left int64
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// forgetful loses the first answer to a PUT.
type forgetful struct{ lost atomic.Bool }

func (f *forgetful) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && req.Method == http.MethodPut && !f.lost.Swap(true) {
		_ = resp.Body.Close()
		return nil, errors.New("connection reset")
	}
	return resp, err
}

// The client repeats a PUT whose answer was lost: what it finds is its own.
func TestCheckAfterALostAnswer(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, func(cfg *previews3.Config) { cfg.Client = s3test.NewClient("http://"+b.Addr, &forgetful{}) })
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// The service repeats what failed, as it may. Nothing is lost or saved twice.
func TestFlakyStorage(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	calm := b.NewStore(t, nil)
	s3test.Fill(t, calm)
	rough := b.NewStore(t, func(cfg *previews3.Config) {
		cfg.Client = s3test.NewClient("http://"+b.Addr, flaky{})
		cfg.LinkClient = b.Client() // The service reaches the storage by another way.
	})
	again := func(call func() error) {
		for range 2000 { // a save that came late reads every version since
			if call() == nil {
				return
			}
		}
		t.Error("2000 attempts failed")
	}
	var mu sync.Mutex
	texts := map[uint32]string{1: "the first plan"}
	var group sync.WaitGroup
	for editor := range 4 {
		group.Go(func() {
			for i := range 15 {
				text := fmt.Sprintf("text %d of editor %d", i, editor)
				var sv save
				var f preview.File
				again(func() (err error) { sv, err = upload(t.Context(), rough, text); return err })
				again(func() (err error) { f, err = sv.complete(t.Context(), rough); return err })
				mu.Lock()
				if texts[f.Version] != "" {
					t.Errorf("version %d twice", f.Version)
				}
				texts[f.Version] = text
				mu.Unlock()
			}
		})
	}
	group.Wait()
	files, err := calm.Versions(t.Context(), ann, preview.Page{})
	if err != nil || len(files) != 61 {
		t.Fatalf("%d versions, %v; want 61", len(files), err)
	}
	for _, f := range files {
		if got := read(t, calm, f.Version); got != texts[f.Version] {
			t.Errorf("version %d is %q, want %q", f.Version, got, texts[f.Version])
		}
	}
}
