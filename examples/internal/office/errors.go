package office

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// What can be wrong with a document.
var (
	ErrPassword      = errors.New("the document needs a password")
	ErrWrongPassword = errors.New("the password is wrong")
	ErrNotDocument   = errors.New("not a document: its content is none of docx, doc, pptx, ppt, xlsx, xls and pdf")
	ErrDamaged       = errors.New("the document is damaged")
	ErrPDFToPDF      = errors.New("the document is a PDF already")
	errOldEncryption = errors.New("LibreOffice cannot open a .ppt with a password; save it as .pptx")
	errRights        = errors.New("the document is protected by rights management, not by a password")
	ErrClosed        = errors.New("the engine is closed")
)

// PageError is a selection of pages that the document does not have.
type PageError struct{ Page, Pages int }

func (e *PageError) Error() string {
	return fmt.Sprintf("the document has no page %d: page %d of %d", e.Page, e.Page, e.Pages)
}

// LimitError is a document that takes more than it may. Its text says of what.
type LimitError struct {
	what  string
	cause error // errMemory, or nil.
}

// errMemory is in the errors of documents that take too much of it.
var errMemory = errors.New("too much memory")

func (e *LimitError) Error() string { return e.what }
func (e *LimitError) Unwrap() error { return e.cause }

func tooLong(d time.Duration) *LimitError {
	return &LimitError{what: fmt.Sprintf("the document took longer than %v", short(d))}
}

func tooMuchMemory(n int64) *LimitError {
	return &LimitError{fmt.Sprintf("the document took more than %s of memory", size(n)), errMemory}
}

func tooLarge(what string, n int64) *LimitError {
	return &LimitError{what: fmt.Sprintf("%s has more than %s", what, size(n))}
}

// short writes whole seconds as "60 s".
func short(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// MissingError is work for a program that is not installed.
type MissingError struct {
	What    string // What it is needed for, such as "to make a PDF".
	Program string // "LibreOffice", "pdftotext" or "the UNO package of Python".
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s needs %s, which is not installed; %s", e.What, e.Program, howToInstall(e.Program, runtime.GOOS))
}

// howToInstall says how to get a program on a system.
func howToInstall(program, system string) string {
	if program == libreOffice || program == unoPackage {
		switch system {
		case "darwin":
			return "install it with: brew install --cask libreoffice"
		case "windows":
			return "install it with: winget install TheDocumentFoundation.LibreOffice"
		}
		if program == unoPackage {
			return "install it with: apt-get install python3-uno (Debian, Ubuntu) or dnf install libreoffice-pyuno (Fedora)"
		}
		return "install it with: apt-get install libreoffice-writer libreoffice-calc libreoffice-impress python3-uno (Debian, Ubuntu) or dnf install libreoffice libreoffice-pyuno (Fedora)"
	}
	switch system {
	case "darwin":
		return "install it with: brew install poppler"
	case "windows":
		return "install it with: winget install oschwartz10612.Poppler"
	}
	return "install it with: apt-get install poppler-utils (Debian, Ubuntu) or dnf install poppler-utils (Fedora)"
}
