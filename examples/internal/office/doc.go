// Package office does, for the examples, what the conversion service does with a
// document: it reads its text, and makes a PDF of it with LibreOffice where that
// is installed. [Converter] puts both behind a converttest.Server.
//
// The text comes out of the document itself, through github.com/tsawler/tabula.
package office
