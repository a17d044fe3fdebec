// Package office converts documents on this machine, as the conversion service
// does: .docx, .doc, .pptx, .ppt, .xlsx, .xls and .pdf to text, and all but .pdf to
// PDF.
//
//	engine, err := office.New(office.Config{})
//	if err != nil {
//		return err
//	}
//	defer engine.Close()
//	files, err := engine.Convert(ctx, office.Job{Path: "report.docx", Target: convert.PDF, Dir: dir})
//
// [Engine.Converter] puts an engine behind a converttest.Server.
//
// Both targets take one way. LibreOffice makes a PDF, and pdftotext of poppler reads
// the text of each page, so that page 3 of the text is page 3 of the PDF. A PDF goes
// to pdftotext directly. The PDF that a text is read from has the same pages as the one
// for people, but text that a cell or a narrow shape would break, cut or turn is whole in
// it. What is not printed is not in the text: hidden rows, columns, sheets and slides, and
// cells outside of a print range. Without these programs the engine reads the text of .docx,
// .pptx and .xlsx itself; everything else is then refused, and the error says what
// to install. [Engine.Describe] tells which it is.
//
// The engine keeps LibreOffice running, one instance per core, and replaces an
// instance after a number of documents, a crash, or a document that took too long or
// too much memory. worker.py talks to it over UNO. Without the UNO package of Python
// each document gets a process of its own.
//
// The pages of a very large spreadsheet are too many to lay out: a million cells take
// LibreOffice 20 s. If all of an .xlsx is to become text, and its sheets have more than
// 32 MB or their layout takes half of [Config].Timeout, or too much memory, the engine
// reads the text itself, with a page for each sheet, and [Config].Logger gets a line. If
// pages are selected, or the target is PDF, such a document is refused with a [LimitError].
//
// # Errors
//
// Errors are sentences for the user of a document: [ErrPassword], [ErrWrongPassword],
// [ErrNotDocument], a [PageError], a [LimitError], a [MissingError].
//
// # Security
//
// A document is not trusted. Its type is what its content says, not its name.
// LibreOffice runs with a profile that forbids macros, updates and links, in a
// private folder, on Linux also without a network and in a namespace of process ids
// of its own, as far as the system permits. Where Linux has Landlock, the programs read
// only their document and the files of the system, such as /usr; fonts are found there,
// and in the folders of FONTCONFIG_FILE and FONTCONFIG_PATH. Time, memory and the size of
// every part are limited. When the engine is closed, or its process is killed, no process
// and no file of it stays.
//
// The password of an encrypted PDF is on the command line of pdftotext, which other
// users of the machine can see while it runs. All other passwords are only in memory.
package office
