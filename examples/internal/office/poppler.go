package office

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/signing"
)

// mostText is how much text a document may have, in bytes.
const mostText = 512 << 20

// countPages asks pdfinfo.
func (c *conversion) countPages(ctx context.Context, path string, password signing.Secret) (int, error) {
	var out capped
	if err := c.poppler(ctx, &out, password, c.engine.programs.pdfinfo, path); err != nil {
		return 0, err
	}
	for line := range strings.Lines(out.String()) {
		if value, ok := strings.CutPrefix(line, "Pages:"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
				return n, nil
			}
		}
	}
	return 0, ErrDamaged
}

// extract has pdftotext write the text of some pages, which end with form feeds. In
// the order of the file, each line is as it was written, which keeps the cells of a
// table together; but that order is right to left only for eyes, not for readers.
func (c *conversion) extract(ctx context.Context, path string, out io.Writer, password signing.Secret, ours, inOrderOfFile bool, from, to int) error {
	args := []string{"-enc", "UTF-8", "-eol", "unix", "-f", strconv.Itoa(from), "-l", strconv.Itoa(to)}
	if inOrderOfFile {
		args = append(args, "-raw")
	}
	if ours {
		// What is beyond the edge of the page is text too, such as the end of a wide table:
		// 70 inches on each side.
		args = append(args, "-x", "-5000", "-y", "-5000", "-W", "25000", "-H", "25000")
	}
	return c.poppler(ctx, out, password, c.engine.programs.pdftotext, append(args, path, "-")...)
}

// poppler runs one of poppler's programs and explains how it ended.
func (c *conversion) poppler(ctx context.Context, out io.Writer, password signing.Secret, program string, args ...string) error {
	if program == "" {
		return &MissingError{"the text of a PDF", poppler}
	}
	reach := reach{home: c.scratch, read: args} // The document is among them.
	if !password.IsZero() {
		args = append([]string{"-upw", password.Reveal()}, args...)
	}
	var said capped
	err := runProgram(ctx, c.engine.cfg.Memory, reach, out, &said, program, args...)
	switch {
	case err == nil:
		return nil
	case strings.Contains(said.String(), "Incorrect password"):
		if password.IsZero() {
			return ErrPassword
		}
		return ErrWrongPassword
	case exitCode(err) >= 0:
		return ErrDamaged
	case strings.Contains(err.Error(), "signal"):
		return fmt.Errorf("%w: pdftotext crashed on it", ErrDamaged)
	default:
		return err
	}
}

// capped keeps the first of what a program says.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := 16<<10 - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// limited is a writer that refuses more than so many bytes.
type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, tooLarge("the text of the document", mostText)
	}
	return l.w.Write(p)
}
