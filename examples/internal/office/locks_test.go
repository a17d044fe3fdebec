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
	name    string
	locks   office.Locks
	happens bool
}{
	{"all", office.Locks{Macros: true, Profile: true, Namespaces: true, Files: true}, false},
	{"profile only", office.Locks{Profile: true}, false},
	{"files only", office.Locks{Files: true}, false},
	{"none", office.Locks{}, true},
}

// TestLocks: what a document must not do, it does only without locks.
func TestLocks(t *testing.T) { //nolint:paralleltest // It changes what all engines are made of.
	shared(t)
	for _, tt := range locks { //nolint:paralleltest // As above.
		t.Run(tt.name, func(t *testing.T) {
			if tt.locks.Files && !office.CanConfine() {
				t.Skip("this system does not let us keep files and TCP from a program")
			}
			office.Lock(t, tt.locks)
			e := closed(t, office.Config{Instances: 1})
			testMacros(t, e, tt.locks, tt.happens)
			testLinks(t, e, tt.locks, tt.happens)
		})
	}
}

// testMacros: a cell calls a function of the document, which would write a file.
func testMacros(t *testing.T, e *office.Engine, locks office.Locks, happens bool) {
	t.Helper()
	if locks == (office.Locks{Files: true}) {
		return // The file would not be written, but the macro runs.
	}
	mark := filepath.Join(t.TempDir(), "mark")
	job := office.Job{Path: withMacro(t, mark)}
	got, err := result(t, e, job)
	if err != nil || strings.Contains(got[0], "7") != happens {
		t.Errorf("text %q, %v, want what the macro says: %t", got, err, happens)
	}
	if !happens {
		if _, err := result(t, closed(t, office.Config{OneShot: true}), job); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(mark); (err == nil) != happens {
		t.Errorf("file of the macro: %v, want it: %t", err, happens)
	}
}

// leaks are links that LibreOffice follows without locks. Those that its profile does not
// stop either are stopped by the other locks.
var leaks = []struct {
	name, scheme string
	profile      bool
}{
	{"docx picture", "http", true},
	{"docx picture", "file", true},
	{"docx svg", "file", false},
	{"pptx OLE link", "http", true},
	{"rtf picture", "file", false},
	{"xlsx picture", "http", true},
}

// testLinks: they are not followed, neither to a server nor to a file of this machine.
// WEBOFFICE_LONG tries all of them.
func testLinks(t *testing.T, e *office.Engine, locks office.Locks, happens bool) {
	t.Helper()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer server.Close()
	folder := secrets(t)
	follow := func(name, scheme string, target convert.Target) bool {
		calls.Store(0)
		path := links[name](t, func(extension string) string {
			if scheme == "file" {
				return "file://" + folder + "/secret." + extension
			}
			return server.URL + "/secret." + extension
		})
		made, err := result(t, e, office.Job{Path: path, Target: target})
		if err != nil && !strings.HasSuffix(path, ".pdf") {
			t.Errorf("%s: %v", name, err)
		}
		all := strings.Join(made, "")
		return calls.Load() > 0 || strings.Contains(all, "SECRET") || strings.Contains(all, "/Width 123") // That of the picture.
	}
	for _, leak := range leaks {
		if !leak.profile && locks == (office.Locks{Profile: true}) {
			continue
		}
		if got := follow(leak.name, leak.scheme, convert.PDF); got != happens {
			t.Errorf("%s to %s is followed: %t, want %t", leak.name, leak.scheme, got, happens)
		}
	}
	if os.Getenv("WEBOFFICE_LONG") == "" || !locks.Files {
		return
	}
	for name := range links {
		for _, scheme := range []string{"http", "file"} {
			for _, target := range []convert.Target{convert.PDF, convert.Text} {
				if follow(name, scheme, target) {
					t.Errorf("%s to %s is followed", name, scheme)
				}
			}
		}
	}
}

// secrets is a folder of files that documents may link to.
func secrets(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	file := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(folder, "secret."+name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("txt", []byte("SECRET"))
	file("htm", []byte("<html><body>SECRET</body></html>"))
	file("png", []byte(picture(t, 123, 9)))
	document, err := os.ReadFile(word(t, para("SECRET"), nil))
	file("docx", document)
	sheet, err2 := os.ReadFile(sheetRows(t, `<row><c t="inlineStr"><is><t>SECRET</t></is></c></row>`))
	file("xlsx", sheet)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return folder
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
