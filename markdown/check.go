package markdown

import (
	"slices"
	"strings"
)

// Problem is a piece of markdown that lies outside the subset (protocol 2.8). The
// service shows it as characters, as something else, or not at all.
type Problem struct {
	Line    int    // Where it begins; the first line is 1.
	Element string // What it is, one of the Element constants.
	Detail  string // What is wrong, for a person to read.
}

// Elements of a [Problem].
const (
	ElementCode      = "code"           // Block or span.
	ElementTable     = "table"          // GFM.
	ElementTask      = "task list"      // GFM.
	ElementList      = "list"           // Nested, or with another mark than "-" and "1.".
	ElementQuote     = "quote"          // Nested.
	ElementHeading   = "heading"        // Underlined.
	ElementRule      = "thematic break" //
	ElementHTML      = "HTML"           // Any tag but at and font, and comments.
	ElementLink      = "link"           // With a title, or not to an absolute http or https address.
	ElementImage     = "image"          // Likewise, or with alternative text.
	ElementReference = "reference"      // The definition of a link reference or a footnote.
	ElementBold      = "bold"           // With underscores.
	ElementStrike    = "strikethrough"  // With single tildes.
	ElementMention   = "mention"        // A malformed at tag.
	ElementColor     = "color"          // A malformed font tag.
	ElementBreak     = "line break"     // A line feed without two spaces before it.
)

// Check returns what in md the subset of protocol 2.8 does not have, by line. It accepts
// both forms of italic, both forms of color and both kinds of quotes around it. It is nil
// for what a [Builder] writes, unless a [Raw] brought it in. Check looks for mistakes of
// people who write messages by hand; it is no complete reader of CommonMark.
func Check(md string) []Problem {
	var c checker
	for line := range strings.SplitSeq(md, "\n") {
		c.n++
		c.line(strings.TrimSuffix(line, "\r"))
	}
	c.endParagraph()
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Line - b.Line })
	return c.problems
}

// checker reads markdown line by line.
type checker struct {
	problems []Problem
	n        int // the current line

	text    []string // the open paragraph
	from    int      // its first line
	inItem  bool     // it is in an item of a list
	inTable bool     // its lines are rows
	fence   string   // what began the open fence
	quote   int      // how many quotes are open
	fenced  int      // how many were when the fence began
	item    int      // where the text of the open item begins; 0 outside lists
	code    bool     // the last line was indented code
}

func (c *checker) report(line int, element, detail string) {
	c.problems = append(c.problems, Problem{line, element, detail})
}

// line reads one line.
func (c *checker) line(s string) {
	s, depth := cutQuote(s)
	if c.fence != "" && depth >= c.fenced {
		if isFenceEnd(s, c.fence) {
			c.fence = ""
		}
		return
	}
	c.fence = ""
	if depth != c.quote && (depth > 0 || isEmpty(s)) {
		c.endParagraph()
		c.item = 0
		if depth > 1 && depth > c.quote {
			c.report(c.n, ElementQuote, "a quote within a quote")
		}
		c.quote = depth
	}
	if isEmpty(s) {
		c.endParagraph()
		return
	}
	body := strings.TrimLeft(s, " \t")
	c.block(body, columns(s[:len(s)-len(body)]))
}

// block reads a line that is not empty, or what follows the mark of an item.
func (c *checker) block(s string, indent int) {
	open := len(c.text) > 0
	if c.item > 0 && !open && indent == 0 && !isItem(s) {
		c.item = 0
	}
	if !open && indent >= c.item+4 {
		if !c.code {
			c.report(c.n, ElementCode, "an indented block of code")
		}
		c.code = true
		return
	}
	c.code = false
	if indent < c.item+4 && (c.leaf(s, indent) || c.startItem(s, indent)) {
		return
	}
	c.paragraph(s)
}

// leaf reads a line that is a block of its own, or makes the paragraph before it something else.
func (c *checker) leaf(s string, indent int) bool {
	open := len(c.text) > 0 && (!c.inItem || indent >= c.item)
	switch {
	case isFence(s):
		c.endParagraph()
		c.report(c.n, ElementCode, "a fenced block of code")
		c.fence, c.fenced = s, c.quote
	case isHeading(s):
		c.endParagraph()
		c.paragraph(strings.TrimLeft(s, "#"))
		c.endParagraph()
	case open && isUnderline(s):
		c.report(c.from, ElementHeading, "a heading that is underlined, not marked with #")
		c.endParagraph()
	case isRule(s):
		c.endParagraph()
		c.report(c.n, ElementRule, "a line of "+s[:1])
	case open && !c.inTable && isDelimiterRow(s) && cells(c.text[len(c.text)-1]) == cells(s):
		c.report(c.n-1, ElementTable, "the head of a table")
		c.inTable = true
		c.text = append(c.text, s)
	default:
		return false
	}
	return true
}

// startItem reads a line that begins an item of a list.
func (c *checker) startItem(s string, indent int) bool {
	mark, rest, ok := cutMark(s)
	if !ok {
		return false
	}
	if len(c.text) > 0 && c.item == 0 && (isEmpty(rest) || isDigit(mark[0]) && mark[:len(mark)-1] != "1") {
		return false // it does not end a paragraph (CommonMark 5.2)
	}
	c.endParagraph()
	if last := mark[len(mark)-1]; last != '-' && last != '.' {
		c.report(c.n, ElementList, "an item marked with "+mark)
	}
	if c.item > 0 && indent >= c.item {
		c.report(c.n, ElementList, "a list within a list")
	}
	body := strings.TrimLeft(rest, " \t")
	c.item, c.inItem = indent+len(mark)+1, true
	if isTask(body) {
		c.report(c.n, ElementTask, "an item with a box")
	}
	if isItem(body) {
		c.report(c.n, ElementList, "a list within a list")
		c.paragraph(body)
	} else if body != "" {
		c.block(body, c.item)
	}
	return true
}

// paragraph adds a line of text.
func (c *checker) paragraph(s string) {
	if last := len(c.text) - 1; last < 0 {
		c.from, c.inItem = c.n, c.item > 0
		if isDefinition(s) {
			c.report(c.n, ElementReference, "a definition of "+s[:strings.IndexByte(s, ']')+1])
		}
	} else if !c.inTable {
		switch before := c.text[last]; {
		case strings.HasSuffix(before, "  "):
		case endsInBackslash(before):
			c.report(c.n-1, ElementBreak, "a backslash at the end of a line; it takes two spaces")
		default:
			c.report(c.n-1, ElementBreak, "a line feed alone is shown as a space; it takes two spaces before it, or an empty line")
		}
	}
	c.text = append(c.text, s)
}

// endParagraph looks into the paragraph that ends.
func (c *checker) endParagraph() {
	if len(c.text) > 0 {
		c.inline(strings.Join(c.text, "\n"), c.from)
	}
	c.text, c.inTable, c.code = c.text[:0], false, false
}
