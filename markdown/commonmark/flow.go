package commonmark

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/weboffice-go/weboffice/markdown"
)

// flow gathers what becomes one block of the result.
type flow struct {
	c        *converter
	frames   []frame
	indent   string // begins each line
	levels   int    // of indent
	pending  int    // line feeds before the next text
	blank    string // what the empty lines between them hold
	marked   bool   // the mark of an item was written, which ends no line
	begun    bool   // something was written
	floor    int    // frames up to here are not for tags to close
	cells    int    // of the current row of an HTML table
	pre      int    // how many pre tags are open
	gap      bool   // space in HTML before the next text
	ended    bool   // a tag ended the line, and space does not begin one
	apart    bool   // the next word does not belong to what was written last
	drawings int    // how many svg tags are open
	lists    []list // of HTML
}

// deepest is how many levels of lists and quotes are indented.
const deepest = 8

// inline returns what was written.
func (f *flow) inline() markdown.Inline { return markdown.Join(f.frames[0].parts...) }

// add appends a part to what is open, after the line feeds that are due.
func (f *flow) add(part any) {
	top := &f.frames[len(f.frames)-1]
	switch {
	case f.begun && f.pending > 0:
		top.parts = append(top.parts, strings.Repeat("\n"+f.blank, f.pending-1)+"\n"+f.indent)
	case !f.begun && f.indent != "":
		top.parts = append(top.parts, f.indent)
	case f.apart && beginsWord(part):
		top.parts = append(top.parts, " ")
	}
	f.pending, f.begun, f.marked, f.ended, f.apart = 0, true, false, false, false
	top.parts = append(top.parts, part)
}

// beginsWord reports whether part would be read on with a word before it.
func beginsWord(part any) bool {
	s, ok := part.(string)
	r, _ := utf8.DecodeRuneInString(s)
	return !ok || isWordRune(r)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func (f *flow) text(s string) {
	if f.ended {
		s = strings.TrimLeft(s, " ")
	}
	if s != "" {
		f.add(strings.ReplaceAll(s, "\n", "\n"+f.indent))
	}
}

// breakLine has n line feeds before what comes next, unless there are more already.
func (f *flow) breakLine(n int) {
	if n > f.pending && !f.marked {
		f.pending, f.blank = n, strings.TrimRight(f.indent, " ")
	}
	f.gap, f.ended = false, false
}

// indented begins lines with more until the func that it returns is called.
func (f *flow) indented(more string) func() {
	before := f.indent
	f.levels++
	if f.levels <= deepest {
		f.indent += more
	}
	return func() {
		f.levels--
		f.indent = before
	}
}

// list writes a list within an item or a quote.
func (f *flow) list(n *ast.List) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		end := f.indented("  ")
		f.mark(itemMark(n.IsOrdered(), number))
		number++
		f.blocks(item, lines)
		end()
	}
	f.marked = false
}

// itemMark is what an item within another block begins with.
func itemMark(ordered bool, number int) string {
	if ordered {
		return "(" + strconv.Itoa(number) + ") "
	}
	return "◦ "
}

// mark writes the mark of an item, after which the line goes on.
func (f *flow) mark(s string) {
	f.marked = false
	f.breakLine(lines)
	f.add(s)
	f.marked = true
}

// table writes a line for each row.
func (f *flow) table(n *east.Table) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		f.breakLine(lines)
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if cell != row.FirstChild() {
				f.text(separator)
			}
			if row.Kind() == east.KindTableHeader {
				f.emphasis(cell, "b")
			} else {
				f.inlines(cell)
			}
		}
	}
}

// separator is between the cells of a table. Unlike "|" it needs no escape.
const separator = " │ "
