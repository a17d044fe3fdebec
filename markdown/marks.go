package markdown

import "strings"

// An Inline is text between marks. Marks are control characters, which text never holds
// (appendClean), so nothing in text can be taken for one.
const (
	markBold       = 0x01
	markItalic     = 0x02
	markStrike     = 0x03
	markColor      = 0x04 // color, markEnd
	markClose      = 0x05 // ends the innermost of the four above
	markLink       = 0x06 // address, markEnd
	markLinkEnd    = 0x07
	markRaw        = 0x0e // markdown, markEnd
	markMention    = 0x0f // attribute, markEnd, name as text, markMentionEnd
	markMentionEnd = 0x10
	markAutoLink   = 0x11 // address, markEnd
	markImage      = 0x12 // address, markEnd
	markEnd        = 0x1f
)

// element is an Inline of one mark with a value.
func element(mark byte, value string) Inline {
	return Inline{string(mark) + value + string(rune(markEnd))}
}

// token is a piece of an Inline: text when mark is 0, else a mark with its value.
type token struct {
	mark  byte
	value string
	name  string // of a mention
}

// nextToken returns the first token of s and what follows it.
func nextToken(s string) (t token, rest string) {
	if !isMark(s[0]) {
		i := 1
		for i < len(s) && !isMark(s[i]) {
			i++
		}
		return token{value: s[:i]}, s[i:]
	}
	t.mark, rest = s[0], s[1:]
	switch t.mark {
	case markColor, markLink, markRaw, markMention, markAutoLink, markImage:
		t.value, rest, _ = strings.Cut(rest, string(rune(markEnd)))
	}
	if t.mark == markMention {
		t.name, rest, _ = strings.Cut(rest, string(rune(markMentionEnd)))
	}
	return t, rest
}

// shows reports whether anything of the text and marks of s is visible.
func shows(s string) bool {
	for s != "" {
		var t token
		t, s = nextToken(s)
		switch t.mark {
		case 0:
			if strings.ContainsFunc(t.value, func(r rune) bool { return !hidden(r) }) {
				return true
			}
		case markRaw, markMention, markAutoLink, markImage:
			return true
		}
	}
	return false
}

func isMark[T byte | rune](c T) bool { return c < 0x20 && c != '\t' && c != '\n' }
