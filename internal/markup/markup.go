// Package markup reads what several packages must read alike: tags of HTML, at tags
// above all, and character references.
package markup

import "strings"

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

// Attr returns the value of an attribute, as it is written, and whether it is in quotes.
func (t Tag) Attr(name string) (value string, quoted, ok bool) {
	for attrs := t.Attrs; ; {
		attrs = strings.TrimLeft(attrs, blanks+"/")
		if attrs == "" {
			return "", false, false
		}
		var key string
		key, value, attrs, quoted = cutAttr(attrs)
		if strings.EqualFold(key, name) {
			return value, quoted, true
		}
	}
}

// cutAttr reads the first attribute of s, which is not empty and does not begin with a blank.
func cutAttr(s string) (key, value, rest string, quoted bool) {
	end := strings.IndexAny(s[1:], blanks+"=/") + 1
	if end == 0 {
		return s, "", "", false
	}
	key, rest = s[:end], strings.TrimLeft(s[end:], blanks)
	if !strings.HasPrefix(rest, "=") {
		return key, "", rest, false
	}
	rest = strings.TrimLeft(rest[1:], blanks)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		value, rest, _ = strings.Cut(rest[1:], rest[:1])
		return key, value, rest, true
	}
	if end = strings.IndexAny(rest, blanks); end < 0 {
		end = len(rest)
	}
	return key, rest[:end], rest[end:], false
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
		switch {
		case namesAt(rest[from+1:], "at"):
			return at, rest, true
		case namesAt(rest[from+1:], "/at"):
			if _, after, ok := strings.Cut(rest[from:], ">"); ok {
				at.Name, at.Ended, rest = rest[:from], true, after
			}
			return at, rest, true
		}
	}
}

// IndexAt returns where the first at tag of s may begin, or -1.
func IndexAt(s string) int {
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], '<')
		if i < 0 {
			return -1
		}
		if from += i; namesAt(s[from+1:], "at") {
			return from
		}
	}
}

// namesAt reports whether s, what follows a "<", is the name of a tag and its end.
func namesAt(s, name string) bool {
	return len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) &&
		(len(s) == len(name) || strings.IndexByte(blanks+">/", s[len(name)]) >= 0)
}

// Entity returns the length of the character reference that s begins with, or 0.
func Entity[T string | []byte](s T) int {
	const longest = 33 // &CounterClockwiseContourIntegral;
	if len(s) < len("&lt;") || s[0] != '&' {
		return 0
	}
	name, least, valid, most := 1, 2, isAlphanumeric, longest // where the name begins, and what it may hold
	switch {
	case s[1] == '#' && s[2]|0x20 == 'x':
		name, least, valid, most = 3, 1, IsHex, 6
	case s[1] == '#':
		name, least, valid, most = 2, 1, IsDigit, 7
	case !IsLetter(s[1]):
		return 0
	}
	end := name
	for end < len(s) && end-name < most && valid(s[end]) {
		end++
	}
	if end < name+least || end == len(s) || s[end] != ';' {
		return 0
	}
	return end + 1
}

// IsPunct reports whether c is one of the characters that a backslash may escape.
func IsPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlphanumeric(c) }

// IsLetter reports whether c is a letter of ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool { return IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isAlphanumeric(c byte) bool { return IsLetter(c) || IsDigit(c) }
