package commonmark

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
	"github.com/weboffice-go/weboffice/markdown"
)

// frame is an HTML tag or an emphasis that is open, with what is in it.
type frame struct {
	name  string
	tag   markup.Tag
	parts []any
}

// styles are the elements that do something to what is in them, and their other names.
var styles = map[string]string{
	"b": "b", "strong": "b", "i": "i", "em": "i", "s": "s", "del": "s", "strike": "s", "font": "font", "a": "a", "at": "at",
	"sup": "sup", "sub": "sub",
}

// maxStyles is how deep styles are kept within each other; none is kept within itself.
const maxStyles = 8

// scope keeps the tags that follow within the block or the emphasis: what is open when
// the func that it returns is called is closed, as no style.
func (f *flow) scope() func() {
	depth, before, lists := len(f.frames), f.floor, len(f.lists)
	f.floor = depth
	return func() {
		for len(f.frames) > depth {
			f.pop(false)
		}
		f.floor = before
		f.closeLists(lists)
	}
}

// open begins a style and reports whether it did: not within itself, and not too deep.
func (f *flow) open(name string, tag markup.Tag) bool {
	if len(f.frames) > maxStyles || slices.ContainsFunc(f.frames, func(fr frame) bool { return fr.name == name }) {
		return false
	}
	f.frames = append(f.frames, frame{name: name, tag: tag})
	return true
}

// close ends the style that a tag opened last, if it has that name.
func (f *flow) close(name string) {
	if last := len(f.frames) - 1; last >= f.floor && f.frames[last].name == name {
		f.pop(true)
	}
}

// pop writes the last frame into the one before. What was not closed has no style.
func (f *flow) pop(closed bool) {
	last := len(f.frames) - 1
	fr := f.frames[last]
	f.frames = f.frames[:last]
	in := markdown.Join(fr.parts...)
	if closed {
		in = f.styled(fr, in)
	}
	if in != (markdown.Inline{}) {
		f.begun, f.marked = true, false
		f.frames[last-1].parts = append(f.frames[last-1].parts, in)
	}
}

func (f *flow) styled(fr frame, in markdown.Inline) markdown.Inline {
	switch fr.name {
	case "at":
		return f.mention(fr.tag, in)
	case "b":
		return markdown.Bold(in)
	case "i":
		return markdown.Italic(in)
	case "s":
		return markdown.Strike(in)
	case "font":
		return markdown.Color(attr(fr.tag, "color"), in)
	case "sup":
		return f.raised(in, "^", superscripts)
	case "sub":
		return f.raised(in, "_", subscripts)
	case "a":
		inner := f.c.flow()
		inner.addLink(in, attr(fr.tag, "href"))
		inner.title(attr(fr.tag, "title"))
		return inner.inline()
	}
	return in
}

var (
	superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹",
		"+", "⁺", "-", "⁻", "−", "⁻", "=", "⁼", "(", "⁽", ")", "⁾", "n", "ⁿ")
	subscripts = strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉",
		"+", "₊", "-", "₋", "−", "₋", "=", "₌", "(", "₍", ")", "₎")
)

// raised writes text above or below the line. After a word that matters, as in
// "10<sup>6</sup>"; elsewhere it is only small. What has no characters for it gets a mark.
func (f *flow) raised(in markdown.Inline, mark string, characters *strings.Replacer) markdown.Inline {
	s := markdown.Plain(in)
	first, _ := utf8.DecodeRuneInString(s)
	if !f.behindWord() || s == "" || unicode.IsSpace(first) {
		return in
	}
	replaced := characters.Replace(s)
	small := !strings.ContainsFunc(replaced, func(r rune) bool { return strings.ContainsRune(s, r) })
	switch {
	case small:
		return markdown.Join(replaced)
	case unicode.IsSymbol(first): // such as ®
		return in
	case strings.ContainsFunc(in.String(), unicode.IsSpace):
		return markdown.Join(mark+"(", in, ")")
	default:
		return markdown.Join(mark, in)
	}
}

// behindWord reports whether a word or a parenthesis is the last that was written.
func (f *flow) behindWord() bool {
	parts := f.frames[len(f.frames)-1].parts
	if len(parts) == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(markdown.Plain(parts[len(parts)-1]))
	return isWordRune(r) || r == ')' || r == ']'
}

// mention is what an at tag becomes.
func (f *flow) mention(tag markup.Tag, in markdown.Inline) markdown.Inline {
	ms := markdown.Mentions("<at" + tag.Attrs + ">")
	name := strings.ReplaceAll(markdown.Plain(in), "\u2060", "") // it is escaped again
	switch {
	case len(ms) != 1 || !f.c.keep && strings.TrimSpace(name) != "":
		return in
	case !f.c.keep && ms[0].All:
		return markdown.Join("@all")
	case !f.c.keep:
		return markdown.Join("@", ms[0].UserID, ms[0].Email)
	case ms[0].All:
		return markdown.MentionAll(name)
	case ms[0].UserID != "":
		return markdown.MentionUser(ms[0].UserID, name)
	}
	return markdown.MentionEmail(ms[0].Email, name)
}
