package office

import (
	"errors"
	"fmt"
	"os/exec"
)

// ErrNoLibreOffice says in one line how to get what is missing for a PDF.
var ErrNoLibreOffice = errors.New("no LibreOffice on the PATH; to make PDFs, install it, for instance: apt-get install libreoffice")

// Suite is an installed LibreOffice.
type Suite struct{ path string }

// Find looks for LibreOffice on the PATH. Its error is [ErrNoLibreOffice].
func Find() (*Suite, error) {
	for _, name := range []string{"soffice", "libreoffice"} {
		if path, err := exec.LookPath(name); err == nil {
			return &Suite{path}, nil
		}
	}
	return nil, ErrNoLibreOffice
}

// Path is the program.
func (s *Suite) Path() string { return s.path }

// pageError is a selection with nothing in it.
type pageError struct{ pages int }

func (e *pageError) Error() string {
	return fmt.Sprintf("no page of the selection is in the document, which has %d", e.pages)
}
