package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inlineChecker reads the text of one paragraph.
type inlineChecker struct {
	c *checker
	s string
	i int // what is read next
	n int // its line

	ticks    map[int][]int // where runs of backticks begin, by their length
	brackets []bracket
	tags     []bracket // at and font tags that are open
	bold     int       // line of an open "__"
	strike   int       // line of an open "~"
	noEnd    bool      // no comment ends in what follows
}

// bracket is a "[" or a tag.
type bracket struct {
	at, line int
	name     string // "[", "!" for an image, or the name of the tag
}

func (c *checker) inline(s string, line int) {
	p := inlineChecker{c: c, s: s, n: line}
	for p.i < len(s) {
		p.next()
	}
	for _, tag := range p.tags {
		p.noEndTag(tag)
	}
}

// next reads one character, or what begins with it.
func (p *inlineChecker) next() {
	switch c := p.s[p.i]; c {
	case '\\':
		p.i++
		if p.i < len(p.s) && isPunct(p.s[p.i]) {
			p.i++
		}
	case '`':
		p.codeSpan()
	case '<':
		p.angle()
	case '[', '!':
		name := p.s[p.i : p.i+1]
		if c == '!' {
			p.i++
		}
		if strings.HasPrefix(p.s[p.i:], "[") {
			p.brackets = append(p.brackets, bracket{p.i, p.n, name})
			p.i++
		}
	case ']':
		p.closeBracket()
	case '_', '~':
		p.delimiter(c)
	case '\n':
		p.n++
		p.i++
	default:
		p.i++
	}
}

// skip moves to i.
func (p *inlineChecker) skip(i int) {
	p.n += strings.Count(p.s[p.i:i], "\n")
	p.i = i
}

func (p *inlineChecker) codeSpan() {
	if p.ticks == nil {
		p.ticks = make(map[int][]int)
		for i := p.i; i < len(p.s); {
			n := max(runLen(p.s[i:], '`'), 1)
			if p.s[i] == '`' {
				p.ticks[n] = append(p.ticks[n], i)
			}
			i += n
		}
	}
	n := runLen(p.s[p.i:], '`')
	ends := p.ticks[n]
	for len(ends) > 0 && ends[0] <= p.i {
		ends = ends[1:]
	}
	p.ticks[n] = ends
	if len(ends) == 0 {
		p.i += n
		return
	}
	p.c.report(p.n, ElementCode, "a span of code")
	p.skip(ends[0] + n)
}

// delimiter looks for bold text with underscores and for strikethrough with one tilde.
func (p *inlineChecker) delimiter(c byte) {
	n := runLen(p.s[p.i:], c)
	before, _ := utf8.DecodeLastRuneInString(p.s[:p.i])
	after, _ := utf8.DecodeRuneInString(p.s[p.i+n:])
	p.i += n
	open, element, detail := &p.bold, ElementBold, "bold with underscores; it takes **"
	if c == '~' {
		open, element, detail = &p.strike, ElementStrike, "strikethrough with one tilde; it takes ~~"
	}
	if c == '_' && n < 2 || c == '~' && n != 1 {
		return
	}
	left := after != utf8.RuneError && !unicode.IsSpace(after)
	right := before != utf8.RuneError && !unicode.IsSpace(before)
	switch {
	case right && *open > 0 && (c == '~' || !left || surePunct(after)):
		p.c.report(*open, element, detail)
		*open = 0
	case left && (c == '~' || !right || surePunct(before)):
		*open = p.n
	}
}

// closeBracket looks for a link or an image that ends.
func (p *inlineChecker) closeBracket() {
	p.i++
	last := len(p.brackets) - 1
	if last < 0 {
		return
	}
	open := p.brackets[last]
	p.brackets = p.brackets[:last]
	address, title, end, ok := cutDestination(p.s[p.i:])
	if !ok {
		return
	}
	element := ElementLink
	if open.name == "!" {
		element = ElementImage
		if open.at+1 < p.i-1 {
			p.c.report(open.line, element, "alternative text, which is not shown")
		}
	}
	if _, ok := parseAddress(address); !ok {
		p.c.report(open.line, element, "the address is not an absolute http or https URL")
	}
	if title {
		p.c.report(open.line, element, "a title")
	}
	p.skip(p.i + end)
}

// cutDestination reads the address of a link in parentheses.
func cutDestination(s string) (address string, title bool, end int, ok bool) {
	if s == "" || s[0] != '(' {
		return "", false, 0, false
	}
	i := 1 + spaceLen(s[1:])
	n := addressLen(s[i:])
	if n < 0 {
		return "", false, 0, false
	}
	address = strings.TrimSuffix(strings.TrimPrefix(s[i:i+n], "<"), ">")
	i += n
	if space := spaceLen(s[i:]); space > 0 {
		i += space
		n := titleLen(s[i:])
		title = n > 0
		i += n
		i += spaceLen(s[i:])
	}
	if i == len(s) || s[i] != ')' {
		return "", false, 0, false
	}
	return address, title, i + 1, true
}

func spaceLen(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\n")) }

// addressLen is the length of the address that s begins with, or -1.
func addressLen(s string) int {
	const deepest = 32 // parentheses within each other, as other readers have it
	if strings.HasPrefix(s, "<") {
		end := strings.IndexAny(s[1:], "<>\n") + 1
		if end == 0 || s[end] != '>' {
			return -1
		}
		return end + 1
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case c == '(':
			if depth++; depth > deepest {
				return -1
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		case c <= ' ' || c == 0x7f:
			return i
		}
	}
	return len(s)
}

// titleLen is the length of the title that s begins with, or 0.
func titleLen(s string) int {
	ends := map[byte]byte{'"': '"', '\'': '\'', '(': ')'}
	if s == "" || ends[s[0]] == 0 {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ends[s[0]]:
			return i + 1
		}
	}
	return 0
}
