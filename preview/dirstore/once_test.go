package dirstore_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// TestOneWalk is shared by all who wait for one, and nobody waits longer than its context.
func TestOneWalk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFolder(t, map[string]string{"a.docx": "one"})
		letGo := f.HoldWalk()
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() { f.version(t, "a.docx") })
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.File(short, f.request("a.docx")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("File = %v, want DeadlineExceeded", err)
		}
		synctest.Wait()
		letGo()
		group.Wait()
		if got := f.Walks(); got != 1 {
			t.Errorf("%d walks, want 1", got)
		}
	})
}

// TestOneRead is shared by all who ask for a version that nobody has seen.
func TestOneRead(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": strings.Repeat("x", 1<<20)})
	f.age(t, "a.docx", time.Hour)
	var reads atomic.Int32
	f.SetClock(func() time.Time {
		reads.Add(1) // once for each time that a file is read
		return time.Now()
	})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() { f.version(t, "a.docx") })
	}
	group.Wait()
	f.download(t, "a.docx")
	if got := reads.Load(); got != 1 {
		t.Errorf("the file was read %d times, want 1", got)
	}
}

// TestReadGoesOn after the caller has gone: a large file is known some callbacks later.
func TestReadGoesOn(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": strings.Repeat("x", 1<<20)})
	f.age(t, "a.docx", time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	var reads atomic.Int32
	f.SetClock(func() time.Time {
		reads.Add(1)
		cancel() // while the file is read
		<-release
		return time.Now()
	})
	if _, err := f.File(ctx, f.request("a.docx")); !errors.Is(err, context.Canceled) {
		t.Errorf("File = %v, want Canceled", err)
	}
	close(release)
	if got := f.version(t, "a.docx"); got != 1 || reads.Load() != 1 {
		t.Errorf("version %d after %d reads, want 1 after 1", got, reads.Load())
	}
	f.reopen(t)
	f.SetClock(func() time.Time { t.Error("the file is read again after a restart"); return time.Now() })
	f.version(t, "a.docx")
}

// TestCloseEndsReading does not wait for the end of a large file.
func TestCloseEndsReading(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": strings.Repeat("x", 1<<20)})
	ctx, cancel := context.WithCancel(t.Context())
	closing := make(chan error, 1)
	f.SetClock(func() time.Time {
		cancel()
		go func() { closing <- f.Close() }()
		for f.Closing() == nil {
			runtime.Gosched()
		}
		return time.Now()
	})
	if _, err := f.File(ctx, f.request("a.docx")); err == nil {
		t.Error("File of a store that is closed meanwhile has no error")
	}
	if err := <-closing; err != nil {
		t.Errorf("Close = %v", err)
	}
	if f.KnownVersions() != 0 || f.Reading() != 0 {
		t.Errorf("%d versions, %d files being read", f.KnownVersions(), f.Reading())
	}
}

// TestFutureTime of modification: the file is not read for every question.
func TestFutureTime(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	f.age(t, "a.docx", -8*time.Hour)
	reads := 0
	f.SetClock(func() time.Time { reads++; return time.Now() })
	f.get(t, f.download(t, "a.docx").URL)
	if f.version(t, "a.docx"); reads != 1 {
		t.Errorf("the file was read %d times, want 1", reads)
	}
}

// TestReadWhileWritten gives no version to bytes of two times.
func TestReadWhileWritten(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	writes := 0
	f.SetClock(func() time.Time {
		if writes++; writes <= 8 {
			f.write(t, "a.docx", strings.Repeat("x", 10+writes))
		}
		return time.Now()
	})
	_, err := f.File(t.Context(), f.request("a.docx"))
	if err == nil || !strings.Contains(err.Error(), "being written to") || errors.Is(err, preview.ErrNotFound) {
		t.Errorf("File = %v, want that it is being written to", err)
	}
	got, err := f.File(t.Context(), f.request("a.docx"))
	if err != nil || got.Version != 1 || got.Size != 18 {
		t.Errorf("File after the last write = %+v, %v", got, err)
	}
}

// BenchmarkFile asks for a document that is known.
func BenchmarkFile(b *testing.B) {
	f := newFolder(b, map[string]string{"deep/a.docx": "one"})
	f.age(b, "deep/a.docx", time.Hour)
	r := f.request("deep/a.docx")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.File(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDownload makes a link.
func BenchmarkDownload(b *testing.B) {
	f := newFolder(b, map[string]string{"deep/a.docx": "one"})
	f.age(b, "deep/a.docx", time.Hour)
	r := f.request("deep/a.docx")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Download(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkServe sends 8 MiB.
func BenchmarkServe(b *testing.B) {
	const size = 8 << 20
	f := newFolder(b, map[string]string{"a.docx": strings.Repeat("x", size)})
	f.age(b, "a.docx", time.Hour)
	link := f.download(b, "a.docx").URL
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if got := f.get(b, link); len(got.body) != size {
			b.Fatalf("HTTP %d, %d bytes", got.status, len(got.body))
		}
	}
}
