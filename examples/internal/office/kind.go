package office

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
)

// kind is what a document is by its content.
type kind string

const (
	kindPDF       kind = "pdf"
	kindWord      kind = "docx"
	kindSheet     kind = "xlsx"
	kindSlides    kind = "pptx"
	kindOldWord   kind = "doc"
	kindOldSheet  kind = "xls"
	kindOldSlides kind = "ppt"
	kindRich      kind = "rtf"       // What many files called .doc are.
	kindEncrypted kind = "encrypted" // A .docx, .xlsx or .pptx with a password.
)

// document is what [inspect] finds out.
type document struct {
	kind      kind
	main      string // The main part of a docx, xlsx or pptx.
	sheets    uint64 // The size of the sheets of an xlsx, unpacked.
	encrypted bool   // With a password, or so its header says.
}

// filters are LibreOffice's names: to load with, and to make a PDF with.
var filters = map[kind]struct{ load, export string }{
	kindWord:      {"MS Word 2007 XML", "writer_pdf_Export"},
	kindOldWord:   {"MS Word 97", "writer_pdf_Export"},
	kindRich:      {"Rich Text Format", "writer_pdf_Export"},
	kindSheet:     {"Calc MS Excel 2007 XML", "calc_pdf_Export"},
	kindOldSheet:  {"MS Excel 97", "calc_pdf_Export"},
	kindSlides:    {"Impress MS PowerPoint 2007 XML", "impress_pdf_Export"},
	kindOldSlides: {"MS PowerPoint 97", "impress_pdf_Export"},
}

// inspect finds out what the file is. A zip archive may unpack to so many bytes.
func inspect(file string, unpacked int64) (document, error) {
	f, err := os.Open(file)
	if err != nil {
		return document{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return document{}, err
	}
	start := make([]byte, 1024)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return document{}, ErrNotDocument
	}
	start = start[:n]
	switch {
	case bytes.Contains(start, []byte("%PDF-")):
		return document{kind: kindPDF}, nil
	case bytes.HasPrefix(start, []byte(`{\rtf`)):
		return document{kind: kindRich}, nil
	case bytes.HasPrefix(start, compoundMagic):
		return inspectCompound(f, info.Size())
	case len(start) > 4 && start[0] == 9 && strings.IndexByte("\x00\x02\x04\x08", start[1]) >= 0 && start[3] == 0:
		return document{kind: kindOldSheet}, nil // A worksheet of Excel 2 to 4 is no compound file.
	}
	archive, err := openArchive(f, info.Size())
	if err != nil {
		if limit := new(LimitError); errors.As(err, &limit) {
			return document{}, limit
		}
		if bytes.HasPrefix(start, []byte("PK\x03\x04")) {
			return document{}, ErrDamaged
		}
		return document{}, ErrNotDocument
	}
	return inspectPackage(archive, unpacked)
}

func inspectCompound(r io.ReaderAt, size int64) (document, error) {
	c, err := openCompound(r, size)
	switch {
	case err != nil:
		return document{}, ErrDamaged
	case c.has("EncryptedPackage") && !c.has("EncryptionInfo"):
		return document{}, errRights
	case c.has("EncryptedPackage"):
		return document{kind: kindEncrypted, encrypted: true}, nil
	case c.has("PowerPoint Document"):
		user := c.begin("Current User", 16)
		return document{kind: kindOldSlides, encrypted: len(user) == 16 && binary.LittleEndian.Uint32(user[12:]) == encryptedSlides}, nil
	case c.has("WordDocument"):
		header := c.begin("WordDocument", 12)
		return document{kind: kindOldWord, encrypted: len(header) == 12 && header[11]&1 != 0}, nil
	case c.has("Workbook"):
		return document{kind: kindOldSheet, encrypted: hasFilePass(c.begin("Workbook", 4096))}, nil
	case c.has("Book"):
		return document{kind: kindOldSheet, encrypted: hasFilePass(c.begin("Book", 4096))}, nil
	default:
		return document{}, ErrNotDocument
	}
}

// encryptedSlides is a token in the header of a .ppt ([MS-PPT] 2.3.2).
const encryptedSlides = 0xF3D1C4DF

// hasFilePass looks for the record that says how an .xls is encrypted ([MS-XLS] 2.4.117).
func hasFilePass(b []byte) bool {
	for len(b) >= 4 {
		record, length := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[2:]))
		if record == 0x2F {
			return true
		}
		b = b[min(4+length, len(b)):]
	}
	return false
}

// inspectPackage finds the main part of an Office Open XML package, and its type.
func inspectPackage(archive *zip.Reader, unpacked int64) (document, error) {
	var sum, sheets uint64
	for _, file := range archive.File {
		size, packed := file.UncompressedSize64, file.CompressedSize64
		if size > suspiciousPart && size/max(packed, 1) > suspiciousRatio {
			return document{}, tooLarge("a part of the document, unpacked,", suspiciousPart)
		}
		if sum += size; sum > uint64(unpacked) { //nolint:gosec // It is positive.
			return document{}, tooLarge("the document, unpacked,", unpacked)
		}
		if strings.Contains(file.Name, "worksheets/") {
			sheets += size
		}
	}
	p := newParts(archive)
	main := p.related("", "officeDocument")
	if main == "" {
		return document{}, ErrNotDocument
	}
	contentType := p.contentType(main)
	for marker, kind := range map[string]kind{
		"wordprocessingml": kindWord, "ms-word": kindWord,
		"spreadsheetml": kindSheet, "ms-excel": kindSheet,
		"presentationml": kindSlides, "ms-powerpoint": kindSlides,
	} {
		if strings.Contains(contentType, marker) {
			return document{kind: kind, main: main, sheets: sheets}, nil
		}
	}
	return document{}, ErrNotDocument
}

// A part that is larger than the first and packed better than the second, which text
// never is, is there to take memory.
const (
	suspiciousPart  = 32 << 20
	suspiciousRatio = 250
)
