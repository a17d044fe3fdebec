package markdown

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// Link links text to an absolute http or https URL. With any other url it is text; without
// text it is an [AutoLink]. Characters that could end the link are percent-encoded. In text,
// a line break becomes a space, and a link its text.
func Link(text any, url string) Inline {
	b := appendParts(nil, []any{text})
	address, ok := parseAddress(url)
	if !ok {
		return Inline{string(b)}
	}
	if !shows(string(b)) {
		return AutoLink(url)
	}
	open := element(markLink, address)
	return Inline{open.s + string(append(b, markLinkEnd))}
}

// AutoLink is a link that shows its URL. Unless url is an absolute http or https URL, it is
// text.
func AutoLink(url string) Inline {
	address, ok := parseAddress(url)
	if !ok {
		return Join(url)
	}
	return element(markAutoLink, address)
}

// Image is an image within text. It is empty unless url is an absolute http or https URL.
func Image(url string) Inline {
	address, ok := parseAddress(url)
	if !ok {
		return Inline{}
	}
	return element(markImage, address)
}

// parseAddress returns raw as it may stand in a link, and whether it may.
func parseAddress(raw string) (string, bool) {
	raw = strings.TrimSpace(raw)
	if !utf8.ValidString(raw) {
		return "", false
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", false
	}
	path := len(u.Scheme) + len("://")
	path += strings.IndexAny(raw[path:]+"/", "/?#")
	if strings.ContainsAny(raw[:path], "\"'<>()\\`{|}^ &;*") || strings.ContainsFunc(raw[:path], hidden) {
		return "", false
	}
	return string(appendEncoded([]byte(raw[:path]), raw[path:])), true
}

// appendEncoded appends s, percent-encoded where it could end a link, an attribute or a
// tag, where it would not be seen, and where it could be decoded as an entity.
func appendEncoded(b []byte, s string) []byte {
	entity, letter := false, -1 // An entity such as &lt; may have begun; its letter to encode.
	for i, r := range s {
		size := utf8.RuneLen(r)
		switch {
		case r == '&':
			entity, letter = true, entityLetter(s, i+1)
		case r != '#' && r != ';' && !markup.IsAlphanumeric(r):
			entity = false
		}
		if i != letter && (r != ';' || !entity) && !strings.ContainsRune("\"'<>()[]\\`{|}^", r) && !hidden(r) {
			b = append(b, s[i:i+size]...)
			continue
		}
		for j := i; j < i+size; j++ {
			b = append(b, '%', upperHex[s[j]>>4], upperHex[s[j]&15])
		}
		entity = entity && r != ';'
	}
	return b
}

// entityLetter returns which character of s has to be encoded so that what follows the
// "&" before i is not an entity, with or without its ";", or -1.
func entityLetter(s string, i int) int {
	for _, name := range []string{"lt", "gt", "quot", "amp"} {
		if len(s) >= i+len(name) && strings.EqualFold(s[i:i+len(name)], name) {
			return i
		}
	}
	if len(s) > i+1 && s[i] == '#' && (markup.IsDigit(s[i+1]) || s[i+1]|0x20 == 'x') {
		return i + 1
	}
	return -1
}

const upperHex = "0123456789ABCDEF"

// hidden reports whether r is not seen.
func hidden(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
