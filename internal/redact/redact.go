// Package redact removes secrets from texts and errors before they are returned or
// logged. A URL of the service may contain a robot key or a signature in its query, and
// net/http repeats URLs in its errors.
package redact

import (
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strconv"
	"strings"
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
				m := match{text: s[i:], secret: secret}
				m.from(0, 0)
				n = max(n, m.longest)
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

// match looks for a secret at the beginning of a text.
type match struct {
	text, secret string
	longest      int             // bytes of text that are the secret
	tried        map[[2]int]bool // where an escape may also be what it looks like
}

// from continues with text[i:] and secret[k:].
func (m *match) from(i, k int) {
	for k < len(m.secret) {
		if i == len(m.text) {
			return
		}
		literal := m.text[i] == m.secret[k]
		width, meant := meaning(m.text[i:])
		switch escaped := width > 0 && strings.HasPrefix(m.secret[k:], meant); {
		case literal && escaped:
			if m.tried[[2]int{i, k}] {
				return
			}
			if m.tried == nil {
				m.tried = map[[2]int]bool{}
			}
			m.tried[[2]int{i, k}] = true
			m.from(i+1, k+1)
			i, k = i+width, k+len(meant)
		case escaped:
			i, k = i+width, k+len(meant)
		case literal:
			i, k = i+1, k+1
		default:
			return
		}
	}
	m.longest = max(m.longest, i)
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
		var c [1]byte
		if n, err := hex.Decode(c[:], []byte(s[1:min(len(s), 3)])); err == nil && n == 1 {
			return 3, string(c[:])
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
	if len(s) >= 12 && (s[:3] == `\ud` || s[:3] == `\uD`) { // one character in two escapes
		var pair string
		if json.Unmarshal([]byte(`"`+s[:12]+`"`), &pair) == nil && utf8.RuneCountInString(pair) == 1 {
			return 12, pair
		}
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
