package office_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
	"github.com/weboffice-go/weboffice/signing"
)

// pages are the three of every document in testdata, by the name of the file.
var pages = map[string][3]string{
	"words":  {"Minutes The first page has bold text and a comment. North 12 South 34", "The second page ends here.", "The third page is the last."},
	"sheet":  {"Item Day Share Wide 北京 2018-01-02 12.50%", "Second sheet", "Third sheet"},
	"slides": {"First slide", "Second slide", "Third slide"},
}

// kinds are the seven extensions, with a document of each.
var kinds = []string{"words.docx", "words.doc", "sheet.xlsx", "sheet.xls", "slides.pptx", "slides.ppt", "words.pdf"}

func wantPages(name string) [3]string {
	name, _, _ = strings.Cut(name, ".")
	return pages[name]
}

// TestKinds converts each kind to each target, and selects pages of it.
func TestKinds(t *testing.T) {
	t.Parallel()
	e := shared(t)
	for _, name := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, want := filepath.Join("testdata", name), wantPages(name)
			check := func(job office.Job, numbers ...int) {
				t.Helper()
				job.Path = path
				got, err := result(t, e, job)
				if err != nil || len(got) != len(numbers) {
					t.Errorf("%v: %q, %v, want %d pages", job.Pages, got, err, len(numbers))
					return
				}
				for i, n := range numbers {
					if !strings.Contains(got[i], want[n-1]) {
						t.Errorf("%v: page %d is %q, want %q", job.Pages, n, got[i], want[n-1])
					}
				}
			}
			check(office.Job{}, 1, 2, 3)
			check(office.Job{Pages: convert.Span{From: 2}}, 2, 3)
			check(office.Job{Pages: convert.Ranges{convert.Page(1), convert.Page(3)}}, 1, 3)
			merged, err := result(t, e, office.Job{Path: path, MergePages: true, KeepLineBreaks: true})
			if err != nil || len(merged) != 1 || !regexp.MustCompile(`(?s)`+lastWord(want[0])+`.*\n.*`+lastWord(want[1])+`.*\n.*`+lastWord(want[2])).MatchString(merged[0]) {
				t.Errorf("merged: %q, %v, want all pages in their lines", merged, err)
			}
			_, err = result(t, e, office.Job{Path: path, Pages: convert.Ranges{convert.Page(99)}})
			refused(t, err, "page 99 of 3")
			pdf := office.Job{Path: path, Target: convert.PDF}
			if name == "words.pdf" {
				_, err := result(t, e, pdf)
				refused(t, err, "is a PDF already")
				return
			}
			checkPDF(t, e, pdf, 3)
			pdf.Pages = convert.Span{From: 2, To: 3}
			checkPDF(t, e, pdf, 2)
			pdf.Pages = convert.Span{From: 2, To: 99}
			_, err = result(t, e, pdf)
			refused(t, err, "page 99 of 3")
			pdf.Pages = convert.Span{From: 98, To: 99}
			_, err = result(t, e, pdf)
			refused(t, err, "page 98 of 3")
		})
	}
}

func lastWord(s string) string {
	words := strings.Fields(s)
	return regexp.QuoteMeta(words[len(words)-1])
}

// checkPDF expects a PDF with so many pages.
func checkPDF(t *testing.T, e *office.Engine, job office.Job, want int) {
	t.Helper()
	job.Dir = t.TempDir()
	paths, err := e.Convert(t.Context(), job)
	if err != nil || len(paths) != 1 {
		t.Errorf("%s, %v: %v, %v, want a PDF", job.Path, job.Pages, paths, err)
		return
	}
	if n, err := e.CountPages(t.Context(), paths[0]); err != nil || n != want {
		t.Errorf("%s, %v: %d pages, %v, want %d", job.Path, job.Pages, n, err, want)
	}
}

// TestComments are annotations of the PDF, if they are asked for.
func TestComments(t *testing.T) {
	t.Parallel()
	e := shared(t)
	for _, name := range kinds[:6] {
		for _, show := range []bool{false, true} {
			got, err := result(t, e, office.Job{Path: filepath.Join("testdata", name), Target: convert.PDF, ShowComments: show})
			if err != nil || strings.Contains(strings.ReplaceAll(got[0], " ", ""), "/Subtype/Text") != show {
				t.Errorf("%s: %v, want comments: %t", name, err, show)
			}
		}
	}
}

// TestPasswords tells a wrong one from a missing one.
func TestPasswords(t *testing.T) {
	t.Parallel()
	e := shared(t)
	for _, name := range []string{"locked.docx", "locked.doc", "locked.xlsx", "locked.xls", "locked.pptx", "locked.pdf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := office.Job{Path: filepath.Join("testdata", name)}
			if _, err := result(t, e, job); !errors.Is(err, office.ErrPassword) {
				t.Errorf("no password: %v, want %v", err, office.ErrPassword)
			}
			job.Password = signing.NewSecret("CANARY")
			if _, err := result(t, e, job); !errors.Is(err, office.ErrWrongPassword) || strings.Contains(err.Error(), "CANARY") {
				t.Errorf("wrong password: %v, want %v", err, office.ErrWrongPassword)
			}
			job.Password = signing.NewSecret("open sesame")
			if got, err := result(t, e, job); err != nil || len(got) != 3 {
				t.Errorf("right password: %q, %v, want 3 pages", got, err)
			}
		})
	}
}

// TestScripts: no character of the text is lost, and no space is added within Chinese.
func TestScripts(t *testing.T) {
	t.Parallel()
	e := shared(t)
	got, err := result(t, e, office.Job{Path: "testdata/scripts.docx"})
	want := []string{
		"هذا نص عربي قصير مع رقم 1234 وكلمة English في وسطه، وينتهي هنا ثم يستمر السطر إلى ما بعد نهايته حتى ينكسر على سطرين أو أكثر من ذلك.",
		"中文文档很长的一段话，用来测试换行时是否会在行尾插入空格，因为一个段落在页面上会占用多行，而中文单词之间没有空格，所以合并的时候不应该有空格出现，一个也不行。漢字かんじのテスト",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestLigatures of Arabic stay in order, in each kind of document and beside Chinese: lam
// and alef after letters that join and after others, and letters that must not join.
func TestLigatures(t *testing.T) {
	t.Parallel()
	e := shared(t)
	const words = "السلام عليكم ولايت الإسلام كلام الأول الآن لأن لا بلا مبالاة می\u200cخواهم 中文"
	for _, path := range []string{
		word(t, `<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>`+words+`</w:t></w:r></w:p>`, nil),
		sheet(t, "", `<row><c t="inlineStr"><is><t>`+words+`</t></is></c></row>`),
		deck(t, `<p:sp><p:nvSpPr><p:cNvPr id="2" name="a"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="8000000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:p><a:pPr rtl="1"/><a:r><a:rPr lang="ar-SA" sz="2000"/><a:t>`+words+`</a:t></a:r></a:p></p:txBody></p:sp>`),
	} {
		got, err := result(t, e, office.Job{Path: path})
		if want := []string{words}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", filepath.Base(path), got, err, want)
		}
	}
}

// TestNumbersInNarrowColumns: ### would lose them.
func TestNumbersInNarrowColumns(t *testing.T) {
	t.Parallel()
	got, err := result(t, shared(t), office.Job{Path: "testdata/sheet.xls"})
	if err != nil || !strings.Contains(got[0], "1234567890123456") {
		t.Errorf("got %q, %v, want the number", got, err)
	}
}

// TestOneShot is what happens without the UNO package: a process per document.
func TestOneShot(t *testing.T) {
	t.Parallel()
	e := officetest.Engine(t, office.Config{OneShot: true, Instances: 1})
	got, err := result(t, e, office.Job{Path: "testdata/words.doc", Pages: convert.Span{From: 3}})
	if err != nil || len(got) != 1 || !strings.Contains(got[0], pages["words"][2]) {
		t.Errorf("text: %q, %v, want page 3", got, err)
	}
	checkPDF(t, e, office.Job{Path: "testdata/sheet.xlsx", Target: convert.PDF, Pages: convert.Span{From: 2}}, 2)
	_, err = result(t, e, office.Job{Path: "testdata/words.docx", Target: convert.PDF, Pages: convert.Span{From: 98, To: 99}})
	refused(t, err, "page 98 of 3")
	_, err = result(t, e, office.Job{Path: "testdata/locked.docx"})
	refused(t, err, "needs a password")
	_, err = result(t, e, office.Job{Path: "testdata/locked.docx", Password: signing.NewSecret("open sesame")})
	refused(t, err, "the UNO package of Python")
}

// TestInstanceIsReplaced after a number of documents.
func TestInstanceIsReplaced(t *testing.T) {
	t.Parallel()
	e := officetest.Engine(t, office.Config{Instances: 1, DocumentsPerInstance: 2})
	for range 5 {
		if _, err := result(t, e, office.Job{Path: "testdata/words.docx"}); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(e.Describe(), "1 kept running") {
		t.Errorf("Describe = %q, want an instance that is kept", e.Describe())
	}
}

// TestLimits ends the work, and the engine works on.
func TestLimits(t *testing.T) {
	t.Parallel()
	slow := officetest.Engine(t, office.Config{Instances: 1, Timeout: time.Millisecond})
	_, err := result(t, slow, office.Job{Path: "testdata/words.docx"})
	refused(t, err, "took longer than 1ms")
	small := officetest.Engine(t, office.Config{Instances: 1, Memory: 30 << 20})
	_, err = result(t, small, office.Job{Path: "testdata/words.docx"})
	var limit *office.LimitError
	if refused(t, err, "took more than 30 MB of memory"); !errors.As(err, &limit) {
		t.Errorf("error %T, want a LimitError", err)
	}
	tiny := officetest.Engine(t, office.Config{MaxDocument: 1000})
	_, err = result(t, tiny, office.Job{Path: "testdata/words.docx"})
	refused(t, err, "the document has more than 1000 bytes")

	e := officetest.Engine(t, office.Config{Instances: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	job := office.Job{Path: "testdata/words.docx", Target: convert.PDF, Dir: t.TempDir(), Progress: func(share float64) {
		if share >= 0.5 {
			cancel(errors.New("no longer wanted"))
		}
	}}
	_, err = e.Convert(ctx, job)
	refused(t, err, "no longer wanted")
	if _, err := result(t, e, office.Job{Path: "testdata/words.docx"}); err != nil {
		t.Errorf("after a task that was cancelled: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := result(t, e, job); !errors.Is(err, office.ErrClosed) {
		t.Errorf("after Close: %v, want %v", err, office.ErrClosed)
	}
}

// TestSweep removes the folder of an engine that could not, and no other.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("PATH", "/nonexistent")
	stale := filepath.Join(temp, "weboffice-office-123")
	if err := os.Mkdir(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	first, err := office.New(office.Config{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := office.New(office.Config{})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(temp)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d folders, %v, want those of two engines", len(entries), err)
	}
	if err := errors.Join(first.Close(), second.Close(), first.Close()); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(temp); err != nil || len(entries) != 0 {
		t.Errorf("%d folders, %v, want none", len(entries), err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if _, err := office.New(office.Config{Instances: -1}); err == nil {
		t.Error("a negative number of instances: no error, want one")
	}
}

// TestWordsInNarrowColumns: a cell is whole, and a row is a line, whatever its columns
// have room for, and formulas have the texts of the document. The pages stay those of the PDF, with one for text that flows over its edge.
func TestWordsInNarrowColumns(t *testing.T) {
	t.Parallel()
	e := shared(t)
	cell := func(name string, style int, text string) string {
		return fmt.Sprintf(`<c r="%s" s="%d" t="inlineStr"><is><t>%s</t></is></c>`, name, style, text)
	}
	long := "every word of this long line stays up to its end, " + strings.Repeat("however long it is, ", 40) + "finis"
	path := pack(t, "a.xlsx", "xl/workbook.xml", sheetType, parts{
		"xl/workbook.xml":            `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationships("worksheets/a.xml", "worksheet", "styles.xml", "styles"),
		"xl/styles.xml":              `<styleSheet xmlns="` + spreadsheet + `"><cellXfs><xf/><xf applyAlignment="1"><alignment wrapText="1"/></xf><xf applyAlignment="1"><alignment textRotation="90"/></xf></cellXfs></styleSheet>`,
		"xl/worksheets/a.xml": `<worksheet xmlns="` + spreadsheet + `"><cols><col min="1" max="5" width="5" customWidth="1"/></cols><sheetData>` +
			`<row r="1" ht="12" customHeight="1">` + cell("A1", 0, long) + cell("D1", 0, "next") + `</row>` +
			`<row r="2">` + cell("A2", 1, "international.organization@example.com") + `<c r="B2"><v>42</v></c>` + cell("C2", 2, "turned aside") + cell("D2", 1, "two\nlines") + `<c r="E2"><f>IF(LEFT(A2,5)="inter","right","wrong")</f></c></row>` +
			`<row r="3">` + cell("A3", 0, strings.Repeat("this flows over to another page ", 8)) + `</row></sheetData></worksheet>`,
	})
	got, err := result(t, e, office.Job{Path: path, KeepLineBreaks: true})
	want := long + " next\ninternational.organization@example.com 42 turned aside two lines right\n"
	if err != nil || !strings.HasPrefix(got[0], want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	checkPDF(t, e, office.Job{Path: path, Target: convert.PDF}, len(got))
	if len(got) < 2 {
		t.Errorf("%d pages, want one more for the text that flows over", len(got))
	}
}

// TestCellThatLooksLikeAMark is what it is, and not the text of another cell.
func TestCellThatLooksLikeAMark(t *testing.T) {
	t.Parallel()
	cell := func(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }
	got, err := result(t, shared(t), office.Job{Path: sheet(t, "", `<row>`+cell("left")+cell("¤0¤")+`</row>`)})
	if want := []string{"left ¤0¤"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestShapes: words are whole that a shape breaks, or shows as a picture of letters.
func TestShapes(t *testing.T) {
	t.Parallel()
	shape := func(width int, warp, text string) string {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="2" name="a"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="900000"/></a:xfrm><a:prstGeom prst="chevron"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr wrap="square">%s</a:bodyPr><a:p><a:r><a:rPr sz="2000"/><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp>`, width, warp, text)
	}
	path := deck(t, shape(900000, "", "Preparation")+shape(3000000, `<a:prstTxWarp prst="textArchUp"><a:avLst/></a:prstTxWarp>`, "Bent letters"))
	got, err := result(t, shared(t), office.Job{Path: path})
	if want := []string{"Preparation Bent letters"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestEnginesStartTogether: none takes the folder of another for one that was left.
func TestEnginesStartTogether(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 10 {
				e, err := office.New(office.Config{Plain: true})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := e.Convert(t.Context(), office.Job{Path: "testdata/words.docx", Target: convert.Text, Dir: t.TempDir()}); err != nil {
					t.Error(err)
				}
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
