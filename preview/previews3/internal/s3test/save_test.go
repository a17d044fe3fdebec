package s3test_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
)

// long names the environment variable that makes tests run for minutes.
const long = "WEBOFFICE_LONG"

var ann = preview.Request{FileID: "plan", UserID: "ann"}

// save is one save that is under way.
type save struct {
	upload  preview.Upload
	address preview.UploadAddress
	got     preview.UploadResult
}

// announce does the first two callbacks of a save.
func announce(ctx context.Context, s *previews3.Store, body string) (save, error) {
	u := preview.Upload{Name: "Plan.docx", Size: int64(len(body)), Digests: []preview.Digest{preview.MD5Sum(md5.Sum([]byte(body)))}}
	a, err := s.UploadAddress(ctx, ann, u)
	return save{upload: u, address: a, got: preview.UploadResult{SendBack: a.SendBack}}, err
}

// upload also sends the bytes.
func upload(ctx context.Context, s *previews3.Store, body string) (save, error) {
	sv, err := announce(ctx, s, body)
	if err != nil {
		return sv, err
	}
	sv.got, err = s3test.Put(ctx, sv.address, []byte(body))
	if err == nil && sv.got.StatusCode/100 != 2 {
		err = fmt.Errorf("the upload is answered with HTTP %d", sv.got.StatusCode)
	}
	return sv, err
}

func (sv save) complete(ctx context.Context, s *previews3.Store) (preview.File, error) {
	return s.CompleteUpload(ctx, ann, sv.upload, sv.got)
}

// read fetches one version.
func read(tb testing.TB, s *previews3.Store, version uint32) string {
	tb.Helper()
	d, err := s.DownloadVersion(tb.Context(), ann, version)
	if err != nil {
		tb.Fatal(err)
	}
	return fetch(tb, d)
}

func get(tb testing.TB, address string) *http.Response {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, address, nil)
	if err != nil {
		tb.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	return resp
}

func fetch(tb testing.TB, d preview.Download) string {
	tb.Helper()
	resp := get(tb, d.URL)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		tb.Fatalf("the URL answers HTTP %d, %v", resp.StatusCode, err)
	}
	if d.Digest != preview.MD5Sum(md5.Sum(body)) {
		tb.Fatalf("Digest is %v, not that of %.40q", d.Digest, body)
	}
	return string(body)
}

// Eight editors save one document at once, through two replicas. Each save is
// completed at one replica, and repeated at the other at the same time or later.
func TestEightEditors(t *testing.T) {
	t.Parallel()
	saves := 80
	if os.Getenv(long) != "" {
		saves = 2400
	}
	b := s3test.NewBucket(t)
	replicas := []*previews3.Store{b.NewStore(t, nil), b.NewStore(t, nil)}
	s3test.Fill(t, replicas[0])

	var mu sync.Mutex
	texts := map[uint32]string{1: "the first plan"}
	var group sync.WaitGroup
	for editor := range 8 {
		group.Go(func() {
			for i := range saves / 8 {
				text := fmt.Sprintf("text %d of editor %d", i, editor)
				here, there := replicas[(editor+i)%2], replicas[(editor+i+1)%2]
				sv, err := upload(t.Context(), here, text)
				if err != nil {
					t.Error(err)
					return
				}
				var twin sync.WaitGroup
				var second preview.File
				var secondErr error
				repeat := func() { second, secondErr = sv.complete(t.Context(), there) }
				if i%4 == 0 {
					twin.Go(repeat)
				}
				first, err := sv.complete(t.Context(), here)
				twin.Wait()
				if i%4 == 1 {
					repeat()
				}
				if err != nil || secondErr != nil || i%4 < 2 && first != second {
					t.Errorf("save %q: %+v, %v; repeated: %+v, %v", text, first, err, second, secondErr)
					return
				}
				mu.Lock()
				if texts[first.Version] != "" {
					t.Errorf("version %d is %q and %q", first.Version, texts[first.Version], text)
				}
				texts[first.Version] = text
				mu.Unlock()
			}
		})
	}
	group.Wait()

	files, err := replicas[1].Versions(t.Context(), ann, preview.Page{})
	if err != nil || len(files) != saves+1 {
		t.Fatalf("%d versions, %v; want %d", len(files), err, saves+1)
	}
	for i, f := range files {
		if want := uint32(saves + 1 - i); f.Version != want {
			t.Fatalf("version %d stands at the place of %d", f.Version, want)
		}
		if got := read(t, replicas[i%2], f.Version); got != texts[f.Version] || int64(len(got)) != f.Size {
			t.Fatalf("version %d is %q, want %q", f.Version, got, texts[f.Version])
		}
	}
}

func TestRepeatedMuchLater(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	one, two := b.NewStore(t, nil), b.NewStore(t, nil)
	s3test.Fill(t, one)
	early, err := upload(t.Context(), one, "early")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		sv, err := upload(t.Context(), one, fmt.Sprint("between ", i))
		if err == nil {
			_, err = sv.complete(t.Context(), two)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	first, err := early.complete(t.Context(), one)
	if err != nil || first.Version != 22 || read(t, two, 22) != "early" {
		t.Fatalf("a save that was announced at version 1 is %+v, %v; want version 22", first, err)
	}
	b.Age(t, 2*previews3.UploadLife) // A repeated call is answered also when nothing new could be completed.
	if again, err := early.complete(t.Context(), two); err != nil || again.Version != 22 {
		t.Errorf("repeated: %+v, %v", again, err)
	}
}

// An address works for one upload, and never again.
func TestAddressAfterTheSave(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, nil)
	s3test.Fill(t, s)
	sv, err := upload(t.Context(), s, "my text")
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"before", "after"} {
		if got, err := s3test.Put(t.Context(), sv.address, []byte("my text")); err != nil || got.StatusCode != http.StatusPreconditionFailed {
			t.Errorf("%s the completion: the same upload is answered with %d, %v; want 412", when, got.StatusCode, err)
		}
		if got, err := s3test.Put(t.Context(), sv.address, []byte("no text")); err != nil || got.StatusCode/100 == 2 {
			t.Errorf("%s the completion: another upload is answered with %d, %v", when, got.StatusCode, err)
		}
		unconditional := sv.address
		unconditional.Header = map[string]string{}
		for name, value := range sv.address.Header {
			if name != "If-None-Match" {
				unconditional.Header[name] = value
			}
		}
		if got, err := s3test.Put(t.Context(), unconditional, []byte("my text")); err != nil || got.StatusCode != http.StatusForbidden {
			t.Errorf("%s the completion: without If-None-Match it is %d, %v; want 403", when, got.StatusCode, err)
		}
		if f, err := sv.complete(t.Context(), s); err != nil || f.Version != 2 {
			t.Fatal(f, err)
		}
	}
	if got := read(t, s, 2); got != "my text" {
		t.Errorf("version 2 is %q", got)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, func(cfg *previews3.Config) { cfg.MaxSize = 100 })
	s3test.Fill(t, s)
	good, err := upload(t.Context(), s, "good")
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(*save)) save {
		sv := good
		change(&sv)
		return sv
	}
	for name, sv := range map[string]save{
		"no upload":      changed(func(sv *save) { sv.got.SendBack = map[string]string{} }),
		"another key":    changed(func(sv *save) { sv.got.SendBack = map[string]string{"upload": "../name.json"} }),
		"unknown upload": changed(func(sv *save) { sv.got.SendBack = map[string]string{"upload": "0000000001-" + strings.Repeat("A", 26)} }),
		"another size":   changed(func(sv *save) { sv.upload.Size++ }),
		"another digest": changed(func(sv *save) { sv.upload.Digests = []preview.Digest{preview.MD5Sum(md5.Sum(nil))} }),
	} {
		if f, err := sv.complete(t.Context(), s); !errors.Is(err, preview.ErrNotUploaded) {
			t.Errorf("%s: %+v, %v; want ErrNotUploaded", name, f, err)
		}
	}
	if _, err := announce(t.Context(), s, strings.Repeat("x", 101)); !errors.Is(err, preview.ErrStorageFull) {
		t.Errorf("a document above MaxSize: %v, want ErrStorageFull", err)
	}
	b.Age(t, previews3.UploadLife+time.Minute)
	if f, err := good.complete(t.Context(), s); !errors.Is(err, preview.ErrNotUploaded) {
		t.Errorf("a day later: %+v, %v; want ErrNotUploaded", f, err)
	}
	if f, err := s.File(t.Context(), ann); err != nil || f.Version != 1 {
		t.Errorf("the newest version is %+v, %v; want 1", f, err)
	}
}

// A rename takes no number, and a save does not rename back.
func TestRenameAndSaveAtOnce(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	one, two := b.NewStore(t, nil), b.NewStore(t, nil)
	s3test.Fill(t, one)
	var group sync.WaitGroup
	group.Go(func() {
		for i := range 40 {
			if err := two.Rename(t.Context(), ann, fmt.Sprintf("Plan %d.docx", i)); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 40 {
		sv, err := upload(t.Context(), one, fmt.Sprint("text ", i))
		if err == nil {
			_, err = sv.complete(t.Context(), one)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
	if f, err := one.File(t.Context(), ann); err != nil || f.Version != 41 || f.Name != "Plan 39.docx" {
		t.Errorf("after 40 saves and 40 renames: %+v, %v", f, err)
	}
}

// A URL of one version gives its bytes also after later saves.
func TestOldVersionsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	s := s3test.NewBucket(t).NewStore(t, nil)
	s3test.Fill(t, s)
	before, err := s.Download(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	sv, err := upload(t.Context(), s, "the other plan") // as many bytes
	if err == nil {
		_, err = sv.complete(t.Context(), s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := fetch(t, before); got != "the first plan" {
		t.Errorf("the URL of version 1 gives %q", got)
	}
	if got := read(t, s, 1); !bytes.Equal([]byte(got), []byte("the first plan")) {
		t.Errorf("version 1 is %q", got)
	}
}

// No number and no time goes back with the clock of the storage.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	b := s3test.NewBucket(t)
	s := b.NewStore(t, nil)
	s3test.Fill(t, s)
	sv, err := upload(t.Context(), s, "under way")
	if err != nil {
		t.Fatal(err)
	}
	var files []preview.File
	for _, text := range []string{"tomorrow", "today"} {
		next, err := upload(t.Context(), s, text)
		if err != nil {
			t.Fatal(err)
		}
		if text == "tomorrow" {
			b.Age(t, -24*time.Hour)
		}
		f, err := next.complete(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if _, err := s.Sweep(t.Context(), previews3.SweepOptions{}); err != nil {
		t.Fatal(err)
	}
	last, err := sv.complete(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, last)
	for i, f := range files {
		if f.Version != uint32(i+2) || f.ModifiedAt.Before(files[max(i-1, 0)].ModifiedAt) {
			t.Errorf("save %d is %+v", i, f)
		}
	}
	if got := read(t, s, 3) + ", " + read(t, s, 4); got != "today, under way" {
		t.Errorf("versions 3 and 4 are %q", got)
	}
}
