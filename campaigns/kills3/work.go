package main

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
)

// work is what the editors did, and what they were told.
type work struct {
	o        options
	replicas []string
	ending   atomic.Bool
	shifted  time.Duration // by how much the clock of the storage is ahead

	mu       sync.Mutex
	saved    map[string]map[uint32]string // text by document and version, as acknowledged
	unknown  map[string]bool              // texts whose save was neither acknowledged nor refused
	names    map[string]string            // by document; one editor renames each
	problems []string

	saves, cut, repeated, renames, abandoned, refused atomic.Int64
}

func newWork(replicas []string, o options) *work {
	w := &work{o: o, replicas: replicas, saved: map[string]map[uint32]string{}, unknown: map[string]bool{}, names: map[string]string{}}
	for _, id := range documents {
		w.saved[id] = map[uint32]string{1: "first " + id}
		w.names[id] = id + ".docx"
	}
	return w
}

func (w *work) problem(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// edit starts the editors. The channel is closed when they have ended.
func (w *work) edit(ctx context.Context, editors int) <-chan struct{} {
	var group sync.WaitGroup
	for editor := range editors {
		group.Go(func() {
			random := rand.New(rand.NewPCG(w.o.seed, uint64(editor+1)))
			for i := 0; !w.ending.Load() && ctx.Err() == nil; i++ {
				id := documents[random.IntN(len(documents))]
				if editor < len(documents) && i%10 == 9 { // This editor is the one who renames this document.
					w.rename(ctx, documents[editor], fmt.Sprintf("%s %d.docx", documents[editor], i))
				}
				text := fmt.Sprintf("text %d of editor %d, %s", i, editor, strings.Repeat("x", random.IntN(20000)))
				w.save(ctx, random, id, text, i%12 == 11)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}

// again repeats a callback, at one replica after the other, until it is answered.
func (w *work) again(ctx context.Context, method, path string, in, out any) bool {
	attempts := 2000
	if w.o.full != "" {
		attempts = 50
	}
	for attempt := range attempts {
		status, err := call(ctx, w.replicas[attempt%2], method, path, in, out)
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case status == 0 || status == http.StatusInternalServerError: // Killed on the way, or the storage failed.
			w.cut.Add(1)
		default:
			w.problem("%s %s: %v", method, path, err)
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.refused.Add(1)
	if w.o.full == "" {
		w.problem("%s %s: %d attempts failed", method, path, attempts)
	}
	return false
}

// save does one save, and remembers what was acknowledged.
func (w *work) save(ctx context.Context, random *rand.Rand, id, text string, abandon bool) {
	request := map[string]any{
		"file_id": id, "name": id + ".docx", "size": len(text), "is_manual": true,
		"digest": map[string]string{"md5": fmt.Sprintf("%x", md5.Sum([]byte(text)))},
	}
	var address struct {
		URL      string            `json:"url"`
		Header   map[string]string `json:"headers"`
		SendBack map[string]string `json:"send_back_params"`
	}
	if !w.again(ctx, http.MethodPost, "/files/"+id+"/upload/address", request, &address) {
		return
	}
	if status, err := put(ctx, address.URL, address.Header, []byte(text)); err != nil || status != http.StatusOK {
		w.refused.Add(1)
		if ctx.Err() == nil && w.o.full == "" {
			w.problem("upload: HTTP %d, %v", status, err)
		}
		return
	}
	if abandon {
		w.abandoned.Add(1)
		return
	}
	complete := map[string]any{"request": request, "response": map[string]any{"status_code": 200}, "send_back_params": address.SendBack}
	var first, second struct{ Version uint32 }
	path := "/files/" + id + "/upload/complete"
	if !w.again(ctx, http.MethodPost, path, complete, &first) {
		w.mu.Lock()
		w.unknown[text] = true
		w.mu.Unlock()
		return
	}
	w.saves.Add(1)
	w.mu.Lock()
	other, taken := w.saved[id][first.Version]
	w.saved[id][first.Version] = text
	w.mu.Unlock()
	if taken && other != text {
		w.problem("%s: version %d was acknowledged for two saves", id, first.Version)
	}
	if random.IntN(4) == 0 { // The service may repeat a call that was answered.
		w.repeated.Add(1)
		if w.again(ctx, http.MethodPost, path, complete, &second) && second != first {
			w.problem("%s: version %d became %d when the call was repeated", id, first.Version, second.Version)
		}
	}
}

func (w *work) rename(ctx context.Context, id, name string) {
	if w.again(ctx, http.MethodPut, "/files/"+id+"/name", map[string]string{"name": name}, nil) {
		w.renames.Add(1)
		w.mu.Lock()
		w.names[id] = name
		w.mu.Unlock()
	}
}

// verify compares what is stored with what was acknowledged.
func (w *work) verify(ctx context.Context, folder string) error {
	s, _, err := newStore(w.o.storage)
	if err != nil {
		return err
	}
	handler, err := preview.NewHandler(config(s))
	if err != nil {
		return err
	}
	reader := httptest.NewServer(handler)
	defer reader.Close()
	addr := strings.TrimPrefix(reader.URL, "http://")

	versions := w.compare(ctx, addr)
	// Nobody waits two days: the objects become older instead, and those that -clock has
	// made younger too.
	if err := age(folder, 2*(previews3.UploadLife+maxShift)+time.Hour); err != nil {
		return err
	}
	swept, err := s.Sweep(ctx, previews3.SweepOptions{})
	if err != nil {
		return err
	}
	if after := w.compare(ctx, addr); after != versions {
		w.problem("%d versions before the sweep, %d after it", versions, after)
	}
	left, err := count(folder)
	if err != nil {
		return err
	}
	if extra := left["data"] - versions; extra != 0 || left["versions"] != versions || left["other"] != 0 {
		w.problem("left over after the sweep: %d uploads for %d versions; %v", left["data"], versions, left)
	}
	fmt.Printf("saves acknowledged: %d, versions: %d, calls cut and made again: %d, completed again after an answer: %d, renames: %d, refused: %d, abandoned uploads: %d, uploads removed by the sweep: %d\n",
		w.saves.Load(), versions, w.cut.Load(), w.repeated.Load(), w.renames.Load(), w.refused.Load(), w.abandoned.Load(), swept.Uploads)
	slices.Sort(w.problems)
	fmt.Printf("problems: %d\n", len(w.problems))
	for _, p := range w.problems[:min(len(w.problems), 20)] {
		fmt.Println(" ", p)
	}
	if len(w.problems) > 0 {
		return errors.New("something was lost or is wrong")
	}
	return nil
}

// compare reads every version of every document, and returns how many there are.
func (w *work) compare(ctx context.Context, addr string) (total int) {
	for _, id := range documents {
		var files []struct {
			Version uint32
			Name    string
			Size    int64
		}
		if _, err := call(ctx, addr, http.MethodGet, "/files/"+id+"/versions", nil, &files); err != nil {
			w.problem("%s: versions: %v", id, err)
			continue
		}
		total += len(files)
		if want := len(w.saved[id]); len(files) < want || len(files) > want && len(w.unknown) == 0 {
			w.problem("%s: %d versions, and %d were acknowledged", id, len(files), want)
		}
		for i, f := range files {
			if f.Version != uint32(len(files)-i) {
				w.problem("%s: version %d at the place of %d", id, f.Version, len(files)-i)
			}
			if f.Name != w.names[id] {
				w.problem("%s: its name is %q, and %q was acknowledged", id, f.Name, w.names[id])
			}
			var d struct{ URL, Digest string }
			_, err := call(ctx, addr, http.MethodGet, fmt.Sprintf("/files/%s/versions/%d/download", id, f.Version), nil, &d)
			var body []byte
			if err == nil {
				body, err = fetch(ctx, d.URL)
			}
			if _, ok := w.saved[id][f.Version]; !ok && w.unknown[string(body)] {
				w.saved[id][f.Version] = string(body) // It was stored, and the answer was lost.
				delete(w.unknown, string(body))
			}
			if text, ok := w.saved[id][f.Version]; err != nil || !ok || string(body) != text || int64(len(body)) != f.Size || d.Digest != fmt.Sprintf("%x", md5.Sum(body)) {
				w.problem("%s: version %d has other bytes, size or digest than were acknowledged (acknowledged: %v, %v)", id, f.Version, ok, err)
			}
		}
	}
	return total
}
