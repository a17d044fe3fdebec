// Package document has the handbook that the examples convert, open and edit.
package document

import (
	"bytes"
	_ "embed"
)

// HandbookName is the name of the document, with its extension.
const HandbookName = "handbook.docx"

// handbook was made by LibreOffice from handbook.html: build.sh.
//
//go:embed handbook.docx
var handbook []byte

// Handbook returns the bytes of a document of three pages.
func Handbook() []byte { return bytes.Clone(handbook) }
