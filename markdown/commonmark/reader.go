package commonmark

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parse reads src and returns what the nodes refer to: its bytes, with line feeds alone at
// the ends of lines.
func parse(src string) (ast.Node, []byte) {
	b := []byte(strings.ReplaceAll(src, "\r\n", "\n"))
	pc := &boundedContext{parser.NewContext(), max(len(b), leastReferences)}
	return reader().Parse(text.NewReader(b), parser.WithContext(pc)), b
}

// leastReferences is how long all addresses and titles that come from definitions may be
// in a short source. In a longer one they may be as long as that, as in cmark: else 100 KB
// of "[a] " and one long definition would be a gigabyte.
const leastReferences = 100_000

// boundedContext finds no definition once those that were found are too long together.
type boundedContext struct {
	parser.Context
	left int
}

func (c *boundedContext) Reference(label string) (parser.Reference, bool) {
	ref, ok := c.Context.Reference(label)
	if ok {
		c.left -= len(ref.Destination()) + len(ref.Title())
	}
	return ref, ok && c.left >= 0
}

// reader reads CommonMark in a time that grows with its length. It keeps nothing of what
// it reads, so one is enough.
var reader = sync.OnceValue(func() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		if p, ok := b.Value.(parser.BlockParser); ok {
			blocks[i].Value = boundedParser{p, p.Trigger()}
		}
	}
	inlines := append(parser.DefaultInlineParsers(), util.Prioritized(boundedEmphasis{}, 499)) // before those of emphasis
	paragraphs := append(parser.DefaultParagraphTransformers(), util.Prioritized(boundedParagraph{}, 0))
	p := parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(paragraphs...))
	return goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.GFM)).Parser()
})

// maxDepth is how many blocks may be within each other. goldmark visits all open blocks
// for each line and each mark, so ">>>>…" takes the square of its length.
const maxDepth = 100

// boundedParser begins a block unless that is too deep or costs too much. The line is
// then part of a paragraph.
type boundedParser struct {
	parser.BlockParser
	trigger []byte // Empty if the parser takes every line, as that of paragraphs does.
}

func (b boundedParser) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(b.trigger) > 0 {
		line, _ := r.PeekLine()
		_, inList := parent.(*ast.List) // A list has to get its item.
		if !inList && depth(parent) >= maxDepth || b.trigger[0] == '#' && costly(line) {
			return nil, parser.NoChildren
		}
	}
	return b.BlockParser.Open(parent, r, pc)
}

func depth(n ast.Node) int {
	depth := 0
	for ; n != nil; n = n.Parent() {
		depth++
	}
	return depth
}

// maxMarks is how many runs of "*", "_" or "~" a paragraph may have. For each that ends
// emphasis goldmark may visit all before it.
const maxMarks = 1000

// marks is the context key of how many runs the paragraph has had.
var marks = parser.NewContextKey()

// boundedEmphasis takes the runs beyond maxMarks as text, and long ones of "~", which
// goldmark would read from each of their characters.
type boundedEmphasis struct{}

func (boundedEmphasis) Trigger() []byte { return []byte("*_~") }

func (boundedEmphasis) Parse(_ ast.Node, r text.Reader, pc parser.Context) ast.Node {
	n := 0
	if pc.LastDelimiter() != nil {
		n, _ = pc.Get(marks).(int)
	}
	line, segment := r.PeekLine()
	run := runLen(line)
	if n < maxMarks && (line[0] != '~' || run <= 2) {
		pc.Set(marks, n+1)
		return nil
	}
	r.Advance(run)
	return ast.NewTextSegment(segment.WithStop(segment.Start + run))
}

// runLen is how often s repeats its first character.
func runLen(s []byte) int { return len(s) - len(bytes.TrimLeft(s, string(s[:1]))) }

// boundedParagraph makes a paragraph that would cost too much a block of code, in which
// goldmark looks for nothing.
type boundedParagraph struct{}

func (boundedParagraph) Transform(n *ast.Paragraph, r text.Reader, _ parser.Context) {
	lines := n.Lines()
	if costly(r.Source()[lines.At(0).Start:lines.At(lines.Len()-1).Stop]) {
		code := ast.NewCodeBlock()
		code.SetLines(lines)
		n.Parent().ReplaceChild(n.Parent(), n, code)
	}
}

// costly reports whether goldmark would read s many times over: it looks for the end of a
// span of code, and of what is in the parentheses of a link, from each place where one
// may begin. In text that people write the end is near. For each definition of a link it
// copies the lines of the paragraph, and it fills the rows of a table with empty cells.
func costly(s []byte) bool {
	const (
		always = 4 << 10 // what may be read in any case
		often  = 32      // how often more than that may be read
		few    = 4       // how many lines are copied while one character is read
		cell   = 16      // how many characters are read while one cell of a table is made
	)
	last := map[int]int{} // where the last run of so many backticks begins
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			n := runLen(s[i:])
			last[n] = i
			i += n - 1
		}
	}
	lines, columns := bytes.Count(s, []byte("\n")), 0
	for line := range bytes.Lines(s) {
		columns = max(columns, bytes.Count(line, []byte("|")))
	}
	cost := bytes.Count(s, []byte("]"))*lines/few + cell*columns*lines
	for i := 0; i < len(s) && cost <= always+often*len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			n := runLen(s[i:])
			if last[n] <= i {
				cost += len(s) - i
			}
			i += n - 1
		case ']':
			cost += target(s[i+1:])
		}
	}
	return cost > always+often*len(s)
}

// target returns how much of s may be read as the address and the title of a link.
func target(s []byte) int {
	angle, depth := bytes.HasPrefix(s, []byte("(<")), 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '>':
			angle = false
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth <= 0 && !angle {
			return i
		}
	}
	return len(s)
}
