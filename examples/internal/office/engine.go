package office

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// Defaults of a [Config].
const (
	DefaultTimeout              = 60 * time.Second
	DefaultMemory               = 900 << 20
	DefaultMaxDocument          = 500 << 20
	DefaultDocumentsPerInstance = 200
)

// Config limits an [Engine]. The zero value is ready.
type Config struct {
	// Instances of LibreOffice, and so documents at once. If zero, one per core.
	Instances int

	// Documents that one instance converts before it is replaced. If zero,
	// DefaultDocumentsPerInstance.
	DocumentsPerInstance int

	// Longest work on one document. If zero, DefaultTimeout.
	Timeout time.Duration

	// Memory that one document may take, in bytes, measured as the resident set of
	// the processes that work on it. It is watched on Linux. If zero, DefaultMemory.
	Memory int64

	// Largest document, in bytes, packed and unpacked. If zero, DefaultMaxDocument.
	MaxDocument int64

	// Gets a line for what Convert does not tell: an instance that crashed, a text that
	// was read without pages. If nil, none.
	Logger *slog.Logger

	// A process per document, even if instances could be kept.
	OneShot bool

	// No program at all, as on a machine that has none.
	Plain bool
}

// Engine converts documents. [New] makes one; it is safe for concurrent use.
type Engine struct {
	cfg      Config
	programs programs
	dir      *privateDir
	pool     *pool
	closing  context.Context //nolint:containedctx // It is the state "closed", not a call's context.
	close    context.CancelFunc
	work     sync.WaitGroup
	mu       sync.Mutex // Orders work.Add and Close.

	closed     sync.Once
	closeError error
}

// Job is one conversion.
type Job struct {
	_              [0]func()
	Path           string         // Required. The document.
	Target         convert.Target // Required.
	Dir            string         // Required. Folder that the results are written into.
	Name           string         // Of the document, for the log. If empty, that of Path.
	Pages          convert.Pages  // If nil, all.
	Password       signing.Secret
	MergePages     bool // Text: one file for all pages, not one for each.
	KeepLineBreaks bool // Text: keep the line breaks of the page.

	// PDF: show comments. They become PDF annotations, which viewers show as notes
	// on the page, and which are not printed: LibreOffice has no other way that works
	// without a screen.
	ShowComments bool

	// Called with the share of the work that is done, from 0 to 1, which only grows. It
	// may be nil.
	Progress func(share float64)
}

// New finds the programs that are installed. It starts none: an instance starts with
// the first document.
func New(cfg Config) (*Engine, error) {
	if cfg.Instances < 0 || cfg.DocumentsPerInstance < 0 || cfg.Timeout < 0 || cfg.Memory < 0 || cfg.MaxDocument < 0 {
		return nil, errors.New("office: Config: no limit may be negative")
	}
	setDefault(&cfg.Instances, runtime.NumCPU())
	setDefault(&cfg.DocumentsPerInstance, DefaultDocumentsPerInstance)
	setDefault(&cfg.Timeout, DefaultTimeout)
	setDefault(&cfg.Memory, DefaultMemory)
	setDefault(&cfg.MaxDocument, DefaultMaxDocument)
	dir, err := newPrivateDir()
	if err != nil {
		return nil, fmt.Errorf("office: %w", err)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	e := &Engine{cfg: cfg, dir: dir}
	e.closing, e.close = context.WithCancel(context.Background())
	if !cfg.Plain {
		e.programs = find(e.closing)
	}
	e.pool = newPool(cfg, e.programs, dir.path)
	return e, nil
}

func setDefault[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}

// Close ends all work, waits for it, and removes what it left. It may be called again.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.close()
	e.mu.Unlock()
	e.work.Wait()
	e.closed.Do(func() {
		e.pool.close()
		e.closeError = e.dir.remove()
	})
	return e.closeError
}

// CanPDF reports whether the engine can make PDFs; the error says why it cannot.
func (e *Engine) CanPDF() error {
	if e.programs.soffice == "" {
		return &MissingError{"a PDF", libreOffice}
	}
	return nil
}

// CanReadPDF reports whether the engine can read PDFs; the error says why it cannot.
func (e *Engine) CanReadPDF() error {
	if e.programs.pdftotext == "" {
		return &MissingError{"the text of a PDF", poppler}
	}
	return nil
}

// CountPages counts the pages of a PDF.
func (e *Engine) CountPages(ctx context.Context, path string) (int, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, err
	}
	return (&conversion{engine: e, scratch: e.dir.path}).countPages(ctx, path, signing.Secret{})
}

// Describe says in a line how the engine works on this machine.
func (e *Engine) Describe() string {
	if e.programs.soffice == "" {
		return "text of docx, pptx and xlsx, read without LibreOffice"
	}
	parts := []string{e.programs.sofficeAsItWasFound}
	if e.pool.warm() {
		parts = append(parts, fmt.Sprintf("%d kept running", e.cfg.Instances))
	} else {
		parts = append(parts, "a process per document")
	}
	if isolated() {
		parts = append(parts, "without a network")
	} else {
		parts = append(parts, "the system does not let it be cut off from the network")
	}
	if landlock() > 0 && !e.pool.unconfined.Load() {
		parts = append(parts, "without other files of this machine")
	}
	if e.programs.pdftotext == "" {
		parts = append(parts, "no pdftotext: text only of docx, pptx and xlsx")
	}
	return strings.Join(parts, ", ")
}

// begin counts work that Close ends and waits for. Call end when it is done.
func (e *Engine) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing.Err() != nil {
		return nil, nil, ErrClosed
	}
	e.work.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.closing, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		e.work.Done()
	}, nil
}

// Convert does the job and gives the paths of its results, in the order of the
// pages. When ctx ends, the work ends, and what it wrote is removed.
func (e *Engine) Convert(ctx context.Context, job Job) (files []string, err error) {
	ctx, end, err := e.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if tell, most := job.Progress, 0.0; tell != nil {
		job.Progress = func(share float64) { // a second try begins at 0
			most = max(most, share)
			tell(most)
		}
	} else {
		job.Progress = func(float64) {}
	}
	for _, path := range []*string{&job.Path, &job.Dir} { // Programs run in a folder of their own.
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, fmt.Errorf("office: %w", err)
		}
	}
	job.Name = cmp.Or(job.Name, filepath.Base(job.Path))
	scratch, err := os.MkdirTemp(e.dir.path, "job-")
	if err != nil {
		return nil, fmt.Errorf("office: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	release, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release.done()
	ctx, stop := context.WithTimeoutCause(ctx, e.cfg.Timeout, tooLong(e.cfg.Timeout))
	defer stop()
	w := &conversion{engine: e, job: job, instance: release, scratch: scratch}
	if err := w.run(ctx); err != nil || ctx.Err() != nil {
		w.discard()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return w.files, nil
}
