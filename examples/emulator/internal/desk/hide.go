package desk

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// hidden stands for a secret.
const hidden = "[hidden]"

// secretWords are in the names of what is secret.
const secretWords = `(?i:token|secret|password|signature|authorization|cookie|credential|_key)`

var (
	secretName = regexp.MustCompile(secretWords)
	// secretMember is a member of a JSON object whose name says that it is secret: a text,
	// or a number, as some programs send a password.
	secretMember = regexp.MustCompile(`"([^"\\]*` + secretWords + `[^"\\]*)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)`)
	// secretParameter is one in a query or a form.
	secretParameter = regexp.MustCompile(`(?i)(^|[?&])((?:[^=&?\s"]*(?:token|secret|password|signature|credential)[^=&?\s"]*|key)=)[^&\s"\\]*`)
	// query is that of an absolute URL in a text.
	query = regexp.MustCompile(`(https?:(?:\\?/){2}[^\s"'?<>\\]+\?)[^\s"'<>]*`)
)

// hider takes secrets out of what is shown.
type hider struct{ known []string }

// newHider knows the secrets themselves; others are found by the names of their fields.
// The longest come first, since one may be a part of another.
func newHider(known []string) hider {
	known = slices.DeleteFunc(slices.Clone(known), func(s string) bool { return len(s) < 4 })
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) })
	return hider{slices.Compact(known)}
}

// text hides secrets in a body or a line.
func (h hider) text(s string) string {
	s = query.ReplaceAllString(s, "${1}"+hidden)
	s = secretMember.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(strings.ToLower(m), `"token_type"`) || strings.HasSuffix(m, `""`) {
			return m
		}
		return secretMember.ReplaceAllString(m, `"${1}"${2}"`+hidden+`"`)
	})
	return h.literal(secretParameter.ReplaceAllString(s, "${1}${2}"+hidden))
}

// literal hides the secrets that are known.
func (h hider) literal(s string) string {
	for _, secret := range h.known {
		s = strings.ReplaceAll(s, secret, hidden)
		if escaped := url.QueryEscape(secret); escaped != secret {
			s = strings.ReplaceAll(s, escaped, hidden)
		}
		if escaped, err := json.Marshal(secret); err == nil && string(escaped) != `"`+secret+`"` {
			s = strings.ReplaceAll(s, strings.Trim(string(escaped), `"`), hidden)
		}
	}
	return s
}

// url hides the secrets of the URL of an exchange. Its query is shown, but for what is
// secret by its name.
func (h hider) url(s string) string {
	return h.literal(secretParameter.ReplaceAllString(s, "${1}${2}"+hidden))
}

// header gives the fields in the order of their names.
func (h hider) header(header http.Header) []HeaderField {
	fields := []HeaderField{}
	for name, values := range header {
		for _, value := range values {
			fields = append(fields, HeaderField{name, h.field(name, value)})
		}
	}
	slices.SortStableFunc(fields, func(a, b HeaderField) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

func (h hider) field(name, value string) string {
	switch http.CanonicalHeaderKey(name) {
	case "Cookie", "Set-Cookie", "Proxy-Authorization", "X-Weboffice-Token":
		return hidden
	case "Authorization":
		return h.authorization(value)
	}
	return cut(h.text(value), 4<<10)
}

// authorization shows the parts of a signature, but not the key of a robot.
func (h hider) authorization(value string) string {
	switch parts := strings.Split(value, ":"); {
	case len(parts) == 3:
		return h.literal(value)
	case len(parts) == 2:
		return hidden + ":" + parts[1]
	default:
		return hidden
	}
}

// body is how a body is shown. full is its size, of which b may be the beginning.
func (h hider) body(b []byte, full int, contentType string) Body {
	shown := Body{Size: full, Kind: "none"}
	switch {
	case full == 0:
		return shown
	case !utf8.Valid(trimPartial(b)) || strings.HasPrefix(contentType, "multipart/"):
		shown.Kind = "binary"
		return shown
	case json.Valid(b):
		shown.Kind = "json"
	default:
		shown.Kind = "text"
	}
	text := h.text(string(trimPartial(b)))
	shown.Text = text
	if len(text) > maxShownBody || full > len(b) {
		shown.Text, shown.Cut = cut(text, maxShownBody), true
	}
	return shown
}

// trimPartial takes half a character off the end.
func trimPartial(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && len(b) > 0; i++ {
		if r, size := utf8.DecodeLastRune(b); r != utf8.RuneError || size != 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}
