package office_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// locks are those of LibreOffice that a test takes off, and whether what they forbid
// happens then. The last row proves that the test would see it.
var locks = []struct {
	name                   string
	macros, profile, walls bool
	happens                bool
}{
	{name: "all"},
	{name: "profile only", macros: true, walls: true},
	{name: "none", macros: true, profile: true, walls: true, happens: true},
}

// TestMacros: a cell calls a function of the document, which would write a file.
func TestMacros(t *testing.T) { //nolint:paralleltest // It changes what all engines are made of.
	shared(t)
	for _, tt := range locks { //nolint:paralleltest // As above.
		t.Run(tt.name, func(t *testing.T) {
			office.Unlock(t, tt.macros, tt.profile, tt.walls)
			mark := filepath.Join(t.TempDir(), "mark")
			job := office.Job{Path: withMacro(t, mark)}
			got, err := result(t, closed(t, office.Config{Instances: 1}), job)
			if err != nil || strings.Contains(got[0], "7") != tt.happens {
				t.Errorf("text %q, %v, want what the macro says: %t", got, err, tt.happens)
			}
			if _, err := os.Stat(mark); (err == nil) != tt.happens {
				t.Errorf("file of the macro: %v, want it: %t", err, tt.happens)
			}
			if !tt.happens {
				if _, err := result(t, closed(t, office.Config{OneShot: true}), job); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("file of the macro, with a process of its own: %v, want none", err)
				}
			}
		})
	}
}

// withMacro packs an .xlsm whose macro writes that file.
func withMacro(t *testing.T, file string) string {
	t.Helper()
	project, err := os.ReadFile("testdata/vbaProject.bin")
	if err != nil {
		t.Fatal(err)
	}
	const room = 200 // Of the path in it.
	before, after := module(strings.Repeat("/", room)), module(strings.Repeat("/", room-len(file))+file)
	if bytes.Count(project, before) != 1 {
		t.Fatal("vbaProject.bin does not have the macro of build.py")
	}
	return pack(t, "a.xlsm", "xl/workbook.xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml", parts{
		"xl/workbook.xml":            `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": strings.Replace(relationships("worksheets/a.xml", "worksheet", "vbaProject.bin", "vbaProject"), relations+"/vbaProject", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", 1),
		"xl/vbaProject.bin":          string(bytes.Replace(project, before, after, 1)),
		"xl/worksheets/a.xml":        `<worksheet xmlns="` + spreadsheet + `"><sheetData><row r="1"><c r="A1"><f>Mark()</f></c></row></sheetData></worksheet>`,
		"overrides":                  `<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/><Override PartName="/xl/worksheets/a.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
	})
}

// module is the source of the macro, packed as in vbaProject.bin: eight literals after
// each zero ([MS-OVBA] 2.4.1).
func module(path string) []byte {
	source := fmt.Sprintf("Attribute VB_Name = \"Module1\"\r\nFunction Mark()\r\nOpen %q For Output As #1\r\nPrint #1, \"ran\"\r\nClose #1\r\nMark = 7\r\nEnd Function\r\n", path)
	var packed []byte
	for i := 0; i < len(source); i += 8 {
		packed = append(append(packed, 0), source[i:min(i+8, len(source))]...)
	}
	header := binary.LittleEndian.AppendUint16([]byte{1}, 0xB000|uint16(len(packed)-1))
	return append(header, packed...)
}

// TestLinks are not followed: neither to a server, nor to a file of this machine.
func TestLinks(t *testing.T) { //nolint:paralleltest // As above.
	shared(t)
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer server.Close()
	picture := write(t, "secret.png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"))
	image := func(id string) string {
		return `<w:p><w:r><w:t>picture</w:t></w:r><w:r><w:drawing><wp:inline><wp:extent cx="990000" cy="990000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="` + id + `"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="990000" cy="990000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	}
	path := word(t, image("r1")+image("r2"), parts{"word/_rels/document.xml.rels": relationships(server.URL+"/x.png", "image", "file://"+picture, "image", server.URL+"/t.dotx", "attachedTemplate")})
	for _, tt := range locks { //nolint:paralleltest // As above.
		t.Run(tt.name, func(t *testing.T) {
			office.Unlock(t, tt.macros, tt.profile, tt.walls)
			calls.Store(0)
			got, err := result(t, closed(t, office.Config{Instances: 1}), office.Job{Path: path, Target: convert.PDF})
			if err != nil {
				t.Fatal(err)
			}
			if n := calls.Load(); (n > 0) != tt.happens {
				t.Errorf("LibreOffice called the server %d times, want a call: %t", n, tt.happens)
			}
			if strings.Contains(strings.ReplaceAll(got[0], " ", ""), "/Subtype/Image") != tt.happens {
				t.Errorf("a picture of this machine is in the PDF: %t, want %t", !tt.happens, tt.happens)
			}
		})
	}
}
