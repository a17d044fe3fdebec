package office_test

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// documentsFolder is the environment variable with a folder of documents for TestWords,
// such as those of a public test suite.
const documentsFolder = "WEBOFFICE_DOCUMENTS"

// TestWords compares the words of each docx, pptx and xlsx with those that a reader of its
// own finds in the package: at most 0.5 % are lost, and at most 0.5 % are out of order.
// The log has the documents that are not whole.
func TestWords(t *testing.T) {
	t.Parallel()
	e := shared(t)
	folder := os.Getenv(documentsFolder)
	for kind, read := range map[string]func(*independent) []string{"docx": (*independent).word, "pptx": (*independent).slides, "xlsx": (*independent).sheets} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			paths, err := filepath.Glob(filepath.Join(folder, "*."+kind))
			if err != nil || folder == "" {
				paths, err = filepath.Glob("testdata/*." + kind)
			}
			if err != nil || len(paths) == 0 {
				t.Fatalf("no documents, %v", err)
			}
			words, lost, moved := 0, 0, 0
			for _, path := range paths {
				want, err := readPackage(path, read)
				if err != nil {
					continue // With a password, or damaged.
				}
				got, err := result(t, e, office.Job{Path: path, KeepLineBreaks: true})
				if err != nil {
					t.Logf("%s: %v", path, err)
					continue
				}
				l, m := compareWords(want, splitWords(strings.Join(got, "\n")))
				if kind == "xlsx" {
					m = movedOnPages(want, got)
				}
				if l+m > 0 {
					t.Logf("%s: of %d words %d are lost, %d out of order", path, len(want), l, m)
				}
				words, lost, moved = words+len(want), lost+l, moved+m
			}
			t.Logf("%d words, %d lost, %d out of order", words, lost, moved)
			if words == 0 || lost*200 > words || moved*200 > words {
				t.Errorf("of %d words %d are lost and %d out of order, want 0.5 %% at most", words, lost, moved)
			}
		})
	}
}

// splitWords gives letters and digits; each Chinese character is a word, since lines may
// end between them.
func splitWords(text string) []string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			b.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// movedOnPages counts the words of rows that are out of order on a page: a page may have
// only some columns of a sheet. Numbers are left out, since want has only those in strings.
func movedOnPages(want, pages []string) (moved int) {
	names := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.ContainsFunc(w, unicode.IsLetter) })
	}
	want = names(want)
	for _, page := range pages {
		_, m := compareWords(want, names(splitWords(page)))
		moved += m
	}
	return moved
}

// compareWords counts those of want that got does not have, and, of those that each has
// once, those that are not in the longest run in order.
func compareWords(want, got []string) (lost, moved int) {
	count, at, once := map[string]int{}, map[string]int{}, map[string]int{}
	for i, w := range got {
		count[w]++
		at[w] = i
	}
	for _, w := range want {
		once[w]++
	}
	left := map[string]int{}
	var ends []int // Of runs by length: the smallest place that one ends at.
	singles := 0
	for _, w := range want {
		if left[w]++; left[w] > count[w] {
			lost++
		}
		if once[w] == 1 && count[w] == 1 {
			singles++
			i, _ := slices.BinarySearch(ends, at[w])
			ends = append(ends[:i], append([]int{at[w]}, ends[min(i+1, len(ends)):]...)...)
		}
	}
	return lost, singles - len(ends)
}

// independent reads packages without any code of the engine.
type independent struct {
	files map[string]*zip.File
	err   error
}

func readPackage(file string, read func(*independent) []string) ([]string, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }()
	p := &independent{files: map[string]*zip.File{}}
	for _, f := range z.File {
		p.files[f.Name] = f
	}
	words := read(p)
	return words, p.err
}

// node is an element, with its text.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []*node    `xml:",any"`
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// each walks what is below n, unless skip says so of an element.
func (n *node) each(visit func(*node) (skip bool)) {
	for _, c := range n.Nodes {
		if !visit(c) {
			c.each(visit)
		}
	}
}

// part parses one.
func (p *independent) part(name string) *node {
	n := &node{}
	f := p.files[name]
	if f == nil {
		p.err = errors.Join(p.err, errors.New("no part "+name))
		return n
	}
	r, err := f.Open()
	if err == nil {
		var b []byte
		if b, err = io.ReadAll(r); err == nil {
			err = xml.Unmarshal(b, n)
		}
	}
	p.err = errors.Join(p.err, err)
	return n
}

// targets are the parts that a part refers to, by id, and that of a type.
func (p *independent) targets(part string) (byID, byType map[string]string) {
	byID, byType = map[string]string{}, map[string]string{}
	dir, name := path.Split(part)
	for _, r := range p.part(dir + "_rels/" + name + ".rels").Nodes {
		target := strings.TrimPrefix(r.attr("Target"), "/")
		if target == r.attr("Target") {
			target = path.Join(dir, target)
		}
		byID[r.attr("Id")], byType[path.Base(r.attr("Type"))] = target, target
	}
	return byID, byType
}

func (p *independent) main() string {
	_, byType := p.targets("")
	return byType["officeDocument"]
}

// word reads the body.
func (p *independent) word() []string {
	var text strings.Builder
	p.part(p.main()).each(func(n *node) bool {
		switch n.XMLName.Local {
		case "Fallback", "del", "moveFrom", "txbxContent", "rt":
			return true
		case "t":
			text.WriteString(n.Text)
		case "p", "tab", "br", "cr":
			text.WriteByte(' ')
		}
		return false
	})
	return splitWords(text.String())
}

// slides reads what is on slides that are shown.
func (p *independent) slides() []string {
	byID, _ := p.targets(p.main())
	var text strings.Builder
	p.part(p.main()).each(func(s *node) bool {
		if s.XMLName.Local != "sldId" {
			return false
		}
		slide := &node{}
		for _, a := range s.Attrs {
			if a.Name.Local == "id" && a.Name.Space != "" {
				slide = p.part(byID[a.Value])
			}
		}
		if show := slide.attr("show"); show == "0" || show == "false" {
			return true
		}
		slide.each(func(n *node) bool {
			switch n.XMLName.Local {
			case "Fallback", "fld":
				return true
			case "t":
				text.WriteString(n.Text)
			case "p", "br":
				text.WriteByte(' ')
			}
			return false
		})
		return true
	})
	return splitWords(text.String())
}

// sheets reads the strings of what is shown. Numbers look as their format says.
func (p *independent) sheets() (words []string) {
	byID, byType := p.targets(p.main())
	var shared []string
	if byType["sharedStrings"] != "" {
		for _, item := range p.part(byType["sharedStrings"]).Nodes {
			shared = append(shared, item.runs())
		}
	}
	p.part(p.main()).each(func(s *node) bool {
		if s.XMLName.Local != "sheet" || s.attr("state") != "" && s.attr("state") != "visible" {
			return s.XMLName.Local == "sheet"
		}
		p.part(byID[s.attr("id")]).each(func(n *node) bool {
			if hidden := n.attr("hidden"); n.XMLName.Local == "row" && (hidden == "1" || hidden == "true") {
				return true
			}
			if n.XMLName.Local != "c" {
				return false
			}
			for _, v := range n.Nodes {
				i, err := strconv.Atoi(v.Text)
				switch {
				case v.XMLName.Local == "is":
					words = append(words, splitWords(v.runs())...)
				case v.XMLName.Local == "v" && n.attr("t") == "s" && err == nil && i >= 0 && i < len(shared):
					words = append(words, splitWords(shared[i])...)
				}
			}
			return true
		})
		return true
	})
	return words
}

// runs is the text of a string, without how it is pronounced.
func (n *node) runs() string {
	var text strings.Builder
	n.each(func(n *node) bool {
		if n.XMLName.Local == "t" {
			text.WriteString(n.Text)
		}
		return n.XMLName.Local == "rPh"
	})
	return text.String()
}
