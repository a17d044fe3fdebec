package desk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// How much of documents is kept to show it.
const (
	maxPrints       = 40       // PDFs.
	maxPictureBytes = 64 << 20 // Of all pictures.
	maxShownPages   = 2000     // Of a document.
)

// Pages are what is known of the pages of a document.
type Pages struct {
	State   string `json:"state"` // running, ready or failed
	Count   int    `json:"pages"`
	Message string `json:"message,omitempty"`
	Sizes   []Size `json:"sizes,omitempty"`
}

// Size is that of a page, in points.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// pictures show documents page by page: as PDFs made by the engine, of which poppler
// makes pictures when they are asked for.
type pictures struct {
	engine *office.Engine
	dir    string
	work   *sync.WaitGroup
	ctx    context.Context //nolint:containedctx // It ends with the desk, and so does the work.
	slots  chan struct{}   // Pictures that are made at the same time.

	mu     sync.Mutex
	prints map[string]*pdf // By the hash of the document.
	order  []string        // Of prints, the one used last at the end.
	cache  map[string][]byte
	cached []string // Of cache, oldest first.
	held   int
}

// pdf is a document that is shown.
type pdf struct {
	path  string
	pages Pages
}

func newPictures(ctx context.Context, engine *office.Engine, dir string, work *sync.WaitGroup) *pictures {
	return &pictures{engine: engine, dir: dir, work: work, ctx: ctx, slots: make(chan struct{}, 2), prints: map[string]*pdf{}, cache: map[string][]byte{}}
}

func keyOf(name string, content []byte) string {
	sum := sha256.Sum256(append([]byte(strings.ToLower(filepath.Ext(name))+"\x00"), content...))
	return hex.EncodeToString(sum[:16])
}

// pages says how many pages there are, and begins to find out. Of name, only the
// extension matters.
func (p *pictures) pages(name string, content []byte) Pages {
	key := keyOf(name, content)
	p.mu.Lock()
	defer p.mu.Unlock()
	if print, ok := p.prints[key]; ok {
		return print.pages
	}
	print := &pdf{pages: Pages{State: "running"}}
	p.prints[key] = print
	p.order = append(p.order, key)
	if len(p.order) > maxPrints {
		delete(p.prints, p.order[0])
		p.order = p.order[1:]
	}
	p.work.Go(func() {
		pages, path := p.print(key, name, content)
		p.mu.Lock()
		defer p.mu.Unlock()
		print.pages, print.path = pages, path
	})
	return print.pages
}

// print makes a PDF of a document, unless it is one.
func (p *pictures) print(key, name string, content []byte) (Pages, string) {
	failed := func(err error) (Pages, string) { return Pages{State: "failed", Message: err.Error()}, "" }
	if err := p.engine.CanShow(); err != nil {
		return failed(err)
	}
	dir := filepath.Join(p.dir, key)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(err)
	}
	path := filepath.Join(dir, "document"+filepath.Ext(filepath.Base(name)))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return failed(err)
	}
	if !bytes.HasPrefix(content, []byte("%PDF-")) {
		files, err := p.engine.Convert(p.ctx, office.Job{Path: path, Target: convert.PDF, Dir: dir})
		_ = os.Remove(path)
		if err != nil {
			return failed(err)
		}
		path = files[0]
	}
	sizes, count, err := p.engine.PageSizes(p.ctx, path, maxShownPages)
	if err != nil {
		return failed(err)
	}
	pages := Pages{State: "ready", Count: min(count, len(sizes)), Sizes: []Size{}}
	for _, s := range sizes {
		pages.Sizes = append(pages.Sizes, Size(s))
	}
	return pages, path
}

// serve answers the picture of a page.
func (p *pictures) serve(w http.ResponseWriter, r *http.Request, name string, content []byte) error {
	q := queryOf(r, "width")
	width := q.number("width", 50, 2000, 1000)
	digits, ok := strings.CutSuffix(r.PathValue("picture"), ".png")
	page, err := strconv.Atoi(digits)
	switch {
	case q.err != nil:
		return q.err
	case !ok || err != nil || page < 1 || strconv.Itoa(page) != digits:
		return notFound("page")
	}
	pages := p.pages(name, content)
	switch {
	case pages.State == "running":
		return refusal{http.StatusServiceUnavailable, "the pages are being made: ask for /pages until state is ready"}
	case pages.State == "failed":
		return refusal{http.StatusServiceUnavailable, pages.Message}
	case page > pages.Count:
		return notFound("page")
	}
	picture, err := p.picture(r.Context(), keyOf(name, content), page, width)
	if err != nil {
		return refusal{http.StatusServiceUnavailable, err.Error()}
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(picture)))
	w.Header().Set("Cache-Control", "private, max-age=600")
	_, err = w.Write(picture)
	return err
}

// picture makes the picture of a page, or finds it.
func (p *pictures) picture(ctx context.Context, key string, page, width int) ([]byte, error) {
	name := key + "/" + strconv.Itoa(page) + "/" + strconv.Itoa(width)
	p.mu.Lock()
	print := p.prints[key]
	picture, ok := p.cache[name]
	p.mu.Unlock()
	if ok {
		return picture, nil
	}
	if print == nil {
		return nil, refusal{http.StatusServiceUnavailable, "the pages are being made"}
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var out bytes.Buffer
	if err := p.engine.Picture(ctx, print.path, page, width, &out); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.cache[name]; !ok {
		p.cache[name] = out.Bytes()
		p.cached = append(p.cached, name)
		p.held += out.Len()
	}
	for p.held > maxPictureBytes && len(p.cached) > 1 {
		p.held -= len(p.cache[p.cached[0]])
		delete(p.cache, p.cached[0])
		p.cached = p.cached[1:]
	}
	return out.Bytes(), nil
}
