package office

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// text writes the text of the PDF at path, page by page. ours is whether LibreOffice
// made it, from a document whose password is not the PDF's.
func (c *conversion) text(ctx context.Context, path string, ours bool) error {
	password := c.job.Password
	if ours {
		password = signing.Secret{}
	}
	pages, err := c.countPages(ctx, path, password)
	if err != nil {
		return err
	}
	selected, err := selectPages(c.job.Pages, pages)
	if err != nil {
		return err
	}
	from, to := selected[0], selected[len(selected)-1]
	source := func(inOrderOfFile bool) (string, error) {
		name := filepath.Join(c.scratch, "text")
		if inOrderOfFile {
			name += "-raw"
		}
		file, err := os.Create(name)
		if err != nil {
			return "", err
		}
		err = c.extract(ctx, path, &limited{file, mostText}, password, ours, inOrderOfFile, from, to)
		return name, errors.Join(err, file.Close())
	}
	c.job.Progress(0.96)
	out := c.writer(len(selected))
	main, err := source(ours)
	if err != nil {
		return err
	}
	other := ""
	if ours {
		if rtl, err := hasRightToLeft(main); err != nil {
			return err
		} else if rtl {
			if other, err = source(false); err != nil {
				return err
			}
		}
		if out.page.texts, err = c.readTexts(); err != nil {
			return err
		}
	}
	if err := out.copyPages(ctx, main, other, from, selected); err != nil {
		return errors.Join(err, out.close())
	}
	return out.close()
}

// selectPages lists the pages that are asked for, in the order of the document.
func selectPages(pages convert.Pages, n int) ([]int, error) {
	spans, ok := pages.(convert.Ranges)
	switch p := pages.(type) {
	case nil:
		spans = convert.Ranges{{}}
	case convert.Span:
		spans = convert.Ranges{p}
	default:
		if !ok {
			return nil, errors.New("office: unknown selection of pages")
		}
	}
	chosen := make([]bool, n+1)
	for _, s := range spans {
		from, to := max(s.From, 1), s.To
		if to == 0 {
			to = max(n, from)
		}
		if to > n {
			return nil, &PageError{max(from, min(to, n+1), to), n}
		}
		for i := from; i <= to; i++ {
			chosen[i] = true
		}
	}
	var list []int
	for i, yes := range chosen {
		if yes {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no page is selected")
	}
	return list, nil
}

// hasRightToLeft reports whether there is Hebrew, Arabic or the like in a file.
func hasRightToLeft(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	r := bufio.NewReaderSize(file, 64<<10)
	for {
		switch c, _, err := r.ReadRune(); {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case isRightToLeft(c):
			return true, nil
		}
	}
}

func isRightToLeft(r rune) bool {
	return r >= 0x590 && r < 0x900 || r >= 0xFB1D && r < 0xFE00 || r >= 0xFE70 && r < 0xFEFF || r >= 0x10800 && r < 0x11000 || r >= 0x1E800 && r < 0x1F000
}

// textWriter writes pages of text into files: one each, or one for all.
type textWriter struct {
	c       *conversion
	n       int // Pages.
	written int
	file    *os.File
	limit   limited // Of all files: a mark on each page may stand for a long text.
	w       *bufio.Writer
	page    flow
}

func (c *conversion) writer(n int) *textWriter {
	t := &textWriter{c: c, n: n, limit: limited{left: mostText}}
	if c.job.MergePages {
		t.n = 1
	}
	t.page.keep = c.job.KeepLineBreaks
	return t
}

// textsFile is where LibreOffice leaves the texts of cells that it has marks of.
const textsFile = "texts.json"

// readTexts gives them: none if the document has no cells.
func (c *conversion) readTexts() (texts []string, err error) {
	b, err := os.ReadFile(filepath.Join(c.scratch, textsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &texts)
	}
	return texts, err
}

// begin opens the file of the next page.
func (t *textWriter) begin() (err error) {
	if t.file != nil && t.c.job.MergePages {
		t.page.nextPage()
		return nil
	}
	if err := t.close(); err != nil {
		return err
	}
	if t.file, err = os.Create(t.c.file("txt", t.written, t.n)); err != nil {
		return err
	}
	t.limit.w = t.file
	if t.w == nil {
		t.w = bufio.NewWriterSize(&t.limit, 64<<10)
	} else {
		t.w.Reset(&t.limit)
	}
	t.page = flow{w: t.w, keep: t.page.keep, texts: t.page.texts}
	t.written++
	return nil
}

func (t *textWriter) close() error {
	if t.file == nil {
		return nil
	}
	t.page.end()
	err := errors.Join(t.w.Flush(), t.file.Close())
	t.file = nil
	return err
}

// copyPages copies the selected pages from main, or from other where it is given and
// the page reads from right to left. Both begin with page first.
func (t *textWriter) copyPages(ctx context.Context, main, other string, first int, selected []int) error {
	a, closeA, err := openPages(main)
	if err != nil {
		return err
	}
	defer closeA()
	b, closeB, err := openPages(other)
	if err != nil {
		return err
	}
	defer closeB()
	page := first
	for _, want := range selected {
		for ; page < want; page++ {
			skipPage(a)
			skipPage(b)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.begin(); err != nil {
			return err
		}
		source, rest := a, b
		if b != nil && pageIsRightToLeft(b) {
			source, rest = b, a
		}
		t.page.copyPage(source)
		skipPage(rest)
		page++
	}
	return nil
}

// pageStart is how much of a page is looked at for its direction.
const pageStart = 1 << 20

// pageIsRightToLeft looks ahead in a page.
func pageIsRightToLeft(r *bufio.Reader) bool {
	start, _ := r.Peek(pageStart)
	for _, c := range string(start) {
		if c == '\f' {
			return false
		}
		if isRightToLeft(c) {
			return true
		}
	}
	return false
}

func openPages(path string) (*bufio.Reader, func(), error) {
	if path == "" {
		return nil, func() {}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return bufio.NewReaderSize(file, pageStart), func() { _ = file.Close() }, nil
}

func skipPage(r *bufio.Reader) {
	for r != nil {
		if _, err := r.ReadSlice('\f'); !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
