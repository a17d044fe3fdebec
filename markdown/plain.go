package markdown

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// Plain writes parts for a plain text message (protocol 2.7). A mention is a tag, a link is its
// text and its address in parentheses, an image is its address, and a [Raw] is unchanged.
// Styles are dropped. Text is inert: U+2060 follows a "<" or "&" that could begin an at tag.
func Plain(parts ...any) string {
	var b []byte
	for _, part := range parts {
		if s, marked := textOf(part); marked {
			b = appendPlainInline(b, s)
		} else {
			b = appendPlain(b, s)
		}
	}
	return string(b)
}

func appendPlainInline(b []byte, s string) []byte {
	var starts []int // of the texts of links
	var addresses []string
	for s != "" {
		var t token
		t, s = nextToken(s)
		switch t.mark {
		case 0:
			b = appendPlain(b, t.value)
		case markRaw, markAutoLink, markImage:
			b = append(b, t.value...)
		case markLink:
			starts, addresses = append(starts, len(b)), append(addresses, t.value)
		case markLinkEnd:
			last := len(starts) - 1
			if address := addresses[last]; string(b[starts[last]:]) != address {
				b = append(append(append(b, " ("...), address...), ')')
			}
			starts, addresses = starts[:last], addresses[:last]
		case markMention:
			b = append(append(append(b, "<at "...), t.value...), '>')
			b = appendPlainName(b, strings.ReplaceAll(t.name, "\n", " "))
			b = append(b, "</at>"...)
		}
	}
	return b
}

// appendPlain appends text that has no at tag in it, also together with what follows.
func appendPlain(b []byte, s string) []byte {
	if cleanLen(s) < len(s) {
		s = string(appendClean(nil, s))
	}
	const longest = len("&#x0000003c")
	end := b[max(0, len(b)-longest):]
	if i := bytes.LastIndexByte(end, '&'); i >= 0 && s != "" && mayBeLess(string(end[i+1:])+s) { // of an address
		b = append(b, joiner...)
	}
	for {
		i := strings.IndexAny(s, "<&")
		if i < 0 {
			return append(b, s...)
		}
		b, s = append(b, s[:i+1]...), s[i+1:]
		if b[len(b)-1] == '<' && mayBeTag(s) || b[len(b)-1] == '&' && mayBeLess(s) {
			b = append(b, joiner...)
		}
	}
}

// appendPlainName appends the name of a mention. [Mentions] undoes escapes in names, since
// it cannot know whether it reads markdown, so what looks like one gets a joiner too.
func appendPlainName(b []byte, name string) []byte {
	for i := 0; i < len(name); i++ {
		rest := name[i:]
		looks := rest[0] == '&' && markup.Entity(rest) > 0 && !mayBeLess(rest[1:]) ||
			rest[0] == '\\' && len(rest) > 1 && (markup.IsPunct(rest[1]) || strings.HasPrefix(rest[1:], joiner))
		if looks {
			b = append(appendPlain(b, name[:i]), name[i])
			b = append(b, joiner...)
			name, i = name[i+1:], -1
		}
	}
	return appendPlain(b, name)
}

// mayBeTag reports whether s, what follows a "<", could be the rest of an at tag, also
// together with what follows, and for a reader that does not care for space, for
// characters that are not seen, or for case.
func mayBeTag(s string) bool {
	if s != "" && markup.IsLetter(s[0]) && s[0]|0x20 != 'a' {
		return false // most text
	}
	return mayBegin(strings.TrimLeftFunc(s, func(r rune) bool { return r == '/' || hidden(r) }), "at")
}

// mayBeLess reports whether s, what follows a "&", could be the rest of an entity that
// means "<".
func mayBeLess(s string) bool { return mayBegin(s, "#") || mayBegin(s, "lt") }

// mayBegin reports whether s, or s with what follows, begins with word.
func mayBegin(s, word string) bool {
	for _, r := range s {
		switch {
		case word == "":
			return true
		case unicode.ToLower(r) == rune(word[0]):
			word = word[1:]
		case unicode.IsSpace(r) || !hidden(r):
			return false
		}
	}
	return true
}
