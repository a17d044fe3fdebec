// Package markup reads what several packages must read alike: tags of HTML, at tags
// above all, and character references.
package markup

import (
	"regexp"
	"strings"
	"sync"
)

// Tag is a start tag or an end tag of HTML.
type Tag struct {
	Name    string // In lower case.
	Attrs   string // What follows the name.
	Closing bool   // It is an end tag.
}

// CutTag reads the tag that s begins with. A ">" between quotes does not end a tag, and
// a "<" outside of quotes is not part of one.
func CutTag(s string) (t Tag, rest string, ok bool) {
	if s == "" || s[0] != '<' {
		return Tag{}, s, false
	}
	name := s[1:]
	if name != "" && name[0] == '/' {
		t.Closing, name = true, name[1:]
	}
	if name == "" || !IsLetter(name[0]) {
		return Tag{}, s, false
	}
	n := strings.IndexAny(name, blanks+"/<>\"'=")
	if n < 0 {
		return Tag{}, s, false
	}
	t.Name = strings.ToLower(name[:n])
	attrs := name[n:]
	var quote byte
	for i := range len(attrs) {
		switch c := attrs[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return Tag{}, s, false
		case c == '>':
			t.Attrs = attrs[:i]
			return t, attrs[i+1:], true
		}
	}
	return Tag{}, s, false
}

const blanks = " \t\r\n\f\v"

// attribute is the name of an attribute with its value, if it has one.
var attribute = Pattern(`([^\s\v/][^\s\v/=]*)(?:[\s\v]*=[\s\v]*("[^"]*"?|'[^']*'?|[^\s\v]*))?`)

// Attr returns the value of an attribute, as it is written, and whether it is in quotes.
func (t Tag) Attr(name string) (value string, quoted, ok bool) {
	for _, m := range attribute().FindAllStringSubmatch(t.Attrs, -1) {
		if !strings.EqualFold(m[1], name) {
			continue
		}
		value = m[2]
		if quoted = value != "" && (value[0] == '"' || value[0] == '\''); quoted {
			value = strings.Trim(value, value[:1])
		}
		return value, quoted, true
	}
	return "", false, false
}

// At is an at tag (protocol 2.7) with what follows it up to its end tag. At most one of
// UserID and Email is set.
type At struct {
	UserID, Email string
	Quoted        bool   // The value of that attribute is in quotes.
	Name          string // As it is written.
	Ended         bool   // There is an end tag.
}

// CutAt reads the at tag that s begins with, as a generous service would. A name may
// hold anything but another at tag; without an end tag, rest follows the start tag.
func CutAt(s string) (at At, rest string, ok bool) {
	t, rest, ok := CutTag(s)
	if !ok || t.Closing || t.Name != "at" {
		return At{}, s, false
	}
	t.Attrs = strings.TrimSuffix(t.Attrs, "/")
	if at.UserID, at.Quoted, _ = t.Attr("user_id"); at.UserID == "" {
		at.Email, at.Quoted, _ = t.Attr("email")
	}
	for from := 0; ; from++ {
		i := strings.IndexByte(rest[from:], '<')
		if i < 0 {
			return at, rest, true
		}
		from += i
		switch end, after, ok := CutTag(rest[from:]); {
		case !ok || end.Name != "at":
		case end.Closing:
			at.Name, at.Ended = rest[:from], true
			return at, after, true
		default:
			return at, rest, true
		}
	}
}

// entity is a character reference (CommonMark 2.5).
var entity = Pattern(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,32});`)

// Entity returns the length of the character reference that s begins with, or 0.
func Entity(s string) int { return len(entity().FindString(s)) }

// Pattern returns a regular expression that is compiled when it is needed first.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// IsPunct reports whether c is one of the characters that a backslash may escape.
func IsPunct(c byte) bool { return c > ' ' && c < 0x7f && !IsAlphanumeric(c) }

// IsAlphanumeric reports whether c is a letter or a digit of ASCII.
func IsAlphanumeric[T byte | rune](c T) bool { return IsLetter(c) || IsDigit(c) }

// IsLetter reports whether c is a letter of ASCII.
func IsLetter[T byte | rune](c T) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is a digit of ASCII.
func IsDigit[T byte | rune](c T) bool { return '0' <= c && c <= '9' }
