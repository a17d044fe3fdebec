// Package redact removes secrets from texts and errors before they are returned or
// logged. A URL of the service may contain a robot key or a signature in its query, and
// net/http repeats URLs in its errors.
package redact

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
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

// Text returns s with each of secrets hidden, also if it is escaped in one of [ways]. Empty
// secrets are ignored. What is hidden already stays as it is, so that Text may be applied
// twice. Its time grows with the length of s, not with what is in it: users choose URLs and
// passwords.
func Text(s string, secrets ...string) string {
	if len(secrets) == 0 {
		return s
	}
	plain := view{text: s, at: make([]int, len(s)+1)}
	for i := range plain.at {
		plain.at[i] = i
	}
	var found []part
	for _, way := range ways {
		v := plain
		for _, e := range way {
			v = v.resolve(e)
		}
		for _, secret := range secrets {
			found = v.find(secret, found)
		}
	}
	slices.SortFunc(found, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	copied := 0
	for _, p := range found {
		if p.hiddenIn(s) {
			continue
		}
		if p.from >= copied {
			b.WriteString(s[copied:p.from])
			b.WriteString(Hidden)
		}
		copied = max(copied, p.to)
	}
	b.WriteString(s[copied:])
	return b.String()
}

// part is a part of a text, from an offset to another.
type part struct{ from, to int }

// hiddenIn reports whether the part of s is within a [Hidden].
func (p part) hiddenIn(s string) bool {
	first := max(0, p.from-len(Hidden)+1)
	n := strings.Index(s[first:min(len(s), p.from+len(Hidden))], Hidden)
	return n >= 0 && p.to <= first+n+len(Hidden)
}

// Cut returns at most so many bytes of s, and "…" if there is more.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// escape is a way to write characters by others.
type escape struct {
	first string                                   // the characters that a sequence begins with
	read  func(s string) (width int, meant string) // the sequence at the beginning of s; 0: none
}

var (
	path   = escape{"%", percent}
	query  = escape{"%+", percent}
	markup = escape{"&", entity}
	code   = escape{`\`, backslash} // JSON, JavaScript, %q
)

// ways are how a secret may be escaped. That of the text comes first: {markup, code} is
// JSON in HTML.
var ways = [][]escape{{}, {path}, {query}, {markup}, {code}, {query, query}, {query, code}, {markup, code}, {code, markup}, {code, code}}

// view is a text with its escapes resolved.
type view struct {
	text string
	at   []int // where each byte, and the end, is in the text as it was
}

// find appends where secret is.
func (v view) find(secret string, found []part) []part {
	for i := 0; secret != ""; i += len(secret) {
		n := strings.Index(v.text[i:], secret)
		if n < 0 {
			break
		}
		i += n
		found = append(found, part{v.at[i], v.at[i+len(secret)]})
	}
	return found
}

// resolve resolves the escapes of one kind.
func (v view) resolve(e escape) view {
	if !strings.ContainsAny(v.text, e.first) {
		return v
	}
	text, at := make([]byte, 0, len(v.text)), make([]int, 0, len(v.at))
	for i := 0; i < len(v.text); {
		width, meant := 0, ""
		if strings.IndexByte(e.first, v.text[i]) >= 0 {
			width, meant = e.read(v.text[i:])
		}
		if width == 0 {
			width, meant = 1, v.text[i:i+1]
		}
		for j := range len(meant) {
			text, at = append(text, meant[j]), append(at, v.at[i])
		}
		i += width
	}
	return view{string(text), append(at, v.at[len(v.text)])}
}

func percent(s string) (width int, meant string) {
	if s[0] == '+' {
		return 1, " "
	}
	var c [1]byte
	if n, err := hex.Decode(c[:], []byte(s[1:min(len(s), 3)])); err != nil || n == 0 {
		return 0, ""
	}
	return 3, string(c[:])
}

// longestEntity is the length of what HTML may write for one character, such as
// "&#x0000002F;".
const longestEntity = 12

func entity(s string) (width int, meant string) {
	end := strings.IndexByte(s[:min(len(s), longestEntity)], ';') + 1
	return end, html.UnescapeString(s[:end])
}

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
