package convert

import (
	"net/url"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// Lengths from which a text is taken for a secret: shorter ones are in too many
// words to be hidden.
const (
	minQuery  = 8
	minSecret = 2
)

// sourceSecrets lists what the address of a document gives access with.
func sourceSecrets(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		return []string{raw}
	}
	var secrets []string
	if password, ok := u.User.Password(); ok && len(password) >= minSecret {
		secrets = append(secrets, password)
	}
	if len(u.RawQuery) >= minQuery {
		secrets = append(secrets, u.RawQuery)
	}
	for _, values := range u.Query() {
		for _, value := range values {
			if len(value) >= minQuery {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets
}

// clean hides secrets in what the service wrote, and what gives access in every
// address: it may repeat that of a document or of a result.
func clean(text string, secrets []string) string {
	return hideQueries(hideUsers(redact.Text(text, secrets...)))
}

// hideUsers replaces what stands before the "@" of an address.
func hideUsers(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, ":/")
		escaped := strings.Index(s, `:\/`) // as some write it in JSON
		if i < 0 || escaped >= 0 && escaped < i {
			i = escaped
		}
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		start := i + len(s[i:]) - len(strings.TrimLeft(s[i:], `:\/`))
		b.WriteString(s[:start])
		s = s[start:]
		end := strings.IndexAny(s, "/?#\\"+endOfAddress)
		if end < 0 {
			end = len(s)
		}
		if at := strings.LastIndexByte(s[:end], '@'); at >= 0 {
			b.WriteString(redact.Hidden)
			s = s[at:]
		}
	}
}

const endOfAddress = " \t\r\n\"'`<>,;)"

// hideQueries replaces what follows a "?", as far as a query can go, and what
// follows a "#", where it could be a query.
func hideQueries(s string) string {
	var b strings.Builder
	for {
		mark := strings.IndexAny(s, "?#")
		if mark < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:mark+1])
		after := s[mark+1:]
		end := strings.IndexAny(after, endOfAddress)
		if end < 0 {
			end = len(after)
		}
		if query := after[:end]; strings.Contains(query, "=") || s[mark] == '?' && len(query) >= minQuery {
			b.WriteString(redact.Hidden)
		} else {
			b.WriteString(query)
		}
		s = after[end:]
	}
}
