// Package redact removes secrets from texts and errors before they are returned or
// logged. A URL of the service may contain a robot key or a signature in its query, and
// net/http repeats URLs in its errors.
package redact

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden replaces a secret.
const Hidden = "[secret]"

// MinPart is the length from which a part of something longer is a secret on its own: a
// query such as "type=pdf" must not hide every "pdf" in a text.
const MinPart = 8

// URL returns raw without its user info, and with [Hidden] instead of query and
// fragment. Of what is neither a URL nor a path it returns only [Hidden].
func URL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Scheme == "" && u.Host == "" && !strings.HasPrefix(raw, "/") {
		return Hidden
	}
	more := u.RawQuery != "" || u.Fragment != ""
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	if more {
		return u.String() + "?" + Hidden
	}
	return u.String()
}

// Text returns s with each of secrets hidden, also if some of their characters are
// escaped: as in a URL, in JSON, in HTML, or by %q. Empty secrets are ignored. What is
// hidden already stays as it is, so that Text may be applied twice.
func Text(s string, secrets ...string) string {
	var b strings.Builder
	copied := 0
	for i := 0; i < len(s); {
		n := 0 // the longest secret here: if one begins with another one, nothing of it may stay
		for _, secret := range secrets {
			if secret != "" && (s[i] == secret[0] || escapes(s[i])) {
				n = max(n, written(s[i:], secret))
			}
		}
		switch {
		case n <= len(Hidden) && strings.HasPrefix(s[i:], Hidden):
			i += len(Hidden)
		case n == 0:
			i++
		default:
			b.WriteString(s[copied:i])
			b.WriteString(Hidden)
			i += n
			copied = i
		}
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

// Cut returns at most so many bytes of s, and "…" if there is more.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// place is a position in a text and one in a secret.
type place struct{ text, secret int }

// written returns the length of the longest beginning of s that is secret, or 0. An
// escape may also be what it looks like: if both fit, both are tried.
func written(s, secret string) (longest int) {
	forks := []place(nil)
	seen := map[place]bool(nil)
	for p := (place{}); ; {
		if p.secret == len(secret) {
			longest = max(longest, p.text)
		} else if p.text < len(s) {
			literal := s[p.text] == secret[p.secret]
			width, meant := meaning(s[p.text:])
			escaped := width > 0 && strings.HasPrefix(secret[p.secret:], meant)
			switch {
			case escaped && literal && !seen[p]:
				if seen == nil {
					seen = map[place]bool{}
				}
				seen[p] = true
				forks = append(forks, place{p.text + 1, p.secret + 1})
				p = place{p.text + width, p.secret + len(meant)}
				continue
			case escaped && !literal:
				p = place{p.text + width, p.secret + len(meant)}
				continue
			case literal && !escaped:
				p = place{p.text + 1, p.secret + 1}
				continue
			}
		}
		if len(forks) == 0 {
			return longest
		}
		p, forks = forks[len(forks)-1], forks[:len(forks)-1]
	}
}

// escapes reports whether an escape may begin with c.
func escapes(c byte) bool { return c == '%' || c == '\\' || c == '&' || c == '+' }

// longestEntity is the length of what HTML may write for one character, such as
// "&#x0000002F;".
const longestEntity = 12

// meaning returns the width of the escape at the beginning of s and what it means, or 0
// if there is none.
func meaning(s string) (width int, meant string) {
	switch s[0] {
	case '+':
		return 1, " "
	case '%':
		if c, ok := hexadecimal(s, 1, 3); ok {
			return 3, string([]byte{byte(c & 0xff)})
		}
	case '&':
		if end := strings.IndexByte(s[:min(len(s), longestEntity)], ';'); end > 0 {
			return end + 1, html.UnescapeString(s[:end+1])
		}
	case '\\':
		return backslash(s)
	}
	return 0, ""
}

// backslash is meaning for the escapes of Go, JSON and JavaScript.
func backslash(s string) (width int, meant string) {
	if len(s) >= 2 && strings.IndexByte(`/'"\`, s[1]) >= 0 {
		return 2, s[1:2]
	}
	if first, ok := unit(s); ok && utf16.IsSurrogate(first) {
		if second, ok := unit(s[6:]); ok {
			return 12, string(utf16.DecodeRune(first, second))
		}
		return 0, ""
	}
	r, multibyte, rest, err := strconv.UnquoteChar(s, '"')
	switch {
	case err != nil:
		return 0, ""
	case multibyte || r < utf8.RuneSelf:
		return len(s) - len(rest), string(r)
	default: // \xff is a byte
		return len(s) - len(rest), string([]byte{byte(r & 0xff)})
	}
}

// unit reads \uXXXX.
func unit(s string) (rune, bool) {
	n, ok := hexadecimal(s, 2, 6)
	return n, ok && s[:2] == `\u`
}

// hexadecimal reads the digits s[from:to]. strconv.ParseUint would allocate for each
// text that has none.
func hexadecimal(s string, from, to int) (n rune, ok bool) {
	if len(s) < to {
		return 0, false
	}
	for _, c := range []byte(s[from:to]) {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | rune(c-'0')
		case 'a' <= c|' ' && c|' ' <= 'f':
			n = n<<4 | rune(c|' '-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}
