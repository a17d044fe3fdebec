package markdown

import "strings"

// angle reads what begins with "<": an address, a tag, a comment, or nothing of these.
func (p *inlineChecker) angle() {
	s := p.s[p.i:]
	if end := specialTagLen(s, p.noEnd); end != 0 {
		p.c.report(p.n, ElementHTML, "a comment or a declaration")
		p.noEnd = end < 0
		p.skip(p.i + max(end, 2))
		return
	}
	if end := strings.IndexAny(s[1:], " \t\n<>") + 1; end > 1 && s[end] == '>' && p.address(s[1:end]) {
		p.i += end + 1
		return
	}
	closing := strings.HasPrefix(s, "</")
	name := tagName(strings.TrimPrefix(s[1:], "/"))
	if name == "" {
		p.i++
		return
	}
	start := strings.Index(s, name) + len(name)
	attrs, rest, ok := cutTag(s[start:])
	if !ok {
		p.i++
		return
	}
	p.tag(strings.ToLower(name), attrs, closing)
	p.skip(len(p.s) - len(rest))
}

// address reports whether s, which was in angle brackets, is an address.
func (p *inlineChecker) address(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	isURL := ok && len(scheme) >= 2 && len(scheme) <= 32 && isLetter(scheme[0]) && strings.Trim(scheme, schemeChars) == ""
	if !isURL && (!isEmail(s) || strings.HasPrefix(s, "/")) {
		return false
	}
	if _, ok := parseAddress(s); !ok {
		p.c.report(p.n, ElementLink, "the address is not an absolute http or https URL")
	}
	return true
}

const schemeChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-"

// specialTagLen is the length of the comment, the declaration or the instruction that s
// begins with, 0 if there is none, and -1 if it does not end.
func specialTagLen(s string, noEnd bool) int {
	var end string
	switch {
	case strings.HasPrefix(s, "<!--"):
		end = "-->"
	case strings.HasPrefix(s, "<![CDATA["):
		end = "]]>"
	case strings.HasPrefix(s, "<?"):
		end = "?>"
	case len(s) > 2 && s[1] == '!' && isLetter(s[2]):
		end = ">"
	default:
		return 0
	}
	if noEnd {
		return -1
	}
	i := strings.Index(s[2:], end)
	if i < 0 {
		return -1
	}
	return 2 + i + len(end)
}

// tagName is the name that s begins with and that a tag may have.
func tagName(s string) string {
	n := 0
	for n < len(s) && (isLetter(s[n]) || n > 0 && (isDigit(s[n]) || s[n] == '-')) {
		n++
	}
	if n < len(s) && s[n] != '>' && s[n] != '/' && !isBlank(s[n]) {
		return ""
	}
	return s[:n]
}

// tag checks one tag.
func (p *inlineChecker) tag(name, attrs string, closing bool) {
	if name != "at" && name != "font" {
		p.c.report(p.n, ElementHTML, "the tag "+name)
		return
	}
	if closing {
		p.endTag(name)
		return
	}
	p.tags = append(p.tags, bracket{p.i, p.n, name})
	if name == "font" {
		if color, ok := attribute(attrs, "color"); !ok || !isColor(color) {
			p.c.report(p.n, ElementColor, "the color is neither #RRGGBB nor a name")
		}
		return
	}
	if _, ok := readMention(attrs); !ok {
		p.c.report(p.n, ElementMention, "an at tag takes user_id or email")
	}
}

// endTag ends the tag that was opened last.
func (p *inlineChecker) endTag(name string) {
	last := len(p.tags) - 1
	if last < 0 || p.tags[last].name != name {
		p.c.report(p.n, tagElement(name), "</"+name+"> ends nothing")
		return
	}
	p.tags = p.tags[:last]
}

func (p *inlineChecker) noEndTag(tag bracket) {
	p.c.report(tag.line, tagElement(tag.name), "<"+tag.name+"> has no end")
}

func tagElement(name string) string {
	if name == "at" {
		return ElementMention
	}
	return ElementColor
}
