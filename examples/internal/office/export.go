package office

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/weboffice-go/weboffice/convert"
)

// export has LibreOffice make a PDF at out.
func (c *conversion) export(ctx context.Context, found document, out, pages string, comments bool) error {
	if err := c.engine.CanPDF(); err != nil {
		return err
	}
	if found.encrypted && found.kind == kindOldSlides && !c.job.Password.IsZero() {
		return errOldEncryption
	}
	in, err := c.named(found)
	if err != nil {
		return err
	}
	f := filters[found.kind]
	texts := ""
	if c.job.Target == convert.Text {
		texts = filepath.Join(c.scratch, textsFile)
	}
	err = c.instance.convert(ctx, task{
		In: in, Out: out, Filter: f.load, Export: f.export, Name: c.job.Name, Password: c.job.Password.Reveal(),
		Pages: pages, Comments: comments, Texts: texts, Progress: c.job.Progress,
	}, c.scratch)
	if found.encrypted && errors.Is(err, ErrDamaged) {
		// That there is a password is known from its header, and LibreOffice says no more.
		if c.job.Password.IsZero() {
			return ErrPassword
		}
		return ErrWrongPassword
	}
	return err
}

// named gives the document the extension of its content, which LibreOffice looks at
// too, and an absolute path.
func (c *conversion) named(found document) (string, error) {
	extension := string(found.kind)
	if found.kind == kindEncrypted {
		extension = strings.ToLower(strings.TrimPrefix(filepath.Ext(c.job.Path), ".")) // What it is, only the password tells.
	}
	path := filepath.Join(c.scratch, "document."+extension)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, copyFile(c.job.Path, path)
}

// move renames a file, or copies it to another file system.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	return copyFile(from, to)
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
