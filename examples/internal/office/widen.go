package office

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// widen makes the pages of a PDF as large as their numbers allow, without moving what is
// on them: 595 by 842 becomes 999 by 999. pdftotext leaves out what is beyond the edge,
// such as the end of a line in a table that is wider than the page. The PDF is one that
// LibreOffice made of a text document, whose pages begin at 0 0.
func widen(path string) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	const longest = 64 // Of a box.
	box := []byte("/MediaBox[0 0 ")
	buffer := make([]byte, 256<<10)
	for at := int64(0); ; {
		n, err := file.ReadAt(buffer, at)
		for from := 0; ; {
			i := bytes.Index(buffer[from:n], box)
			if i < 0 || from+i+longest > n {
				break
			}
			from += i + len(box)
			end := bytes.IndexByte(buffer[from:from+longest-len(box)], ']')
			if end < 0 {
				continue
			}
			if _, err := file.WriteAt(nines(buffer[from:from+end]), at+int64(from)); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		at += int64(n - longest)
	}
}

// nines makes every digit a 9.
func nines(numbers []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '9'
		}
		return r
	}, numbers)
}
