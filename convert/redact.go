package convert

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// Lengths from which a text is a secret: a shorter one is part of too many words.
const (
	minQuery  = 8
	minSecret = 2
)

// sourceSecrets returns what gives access in the URL of a document.
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

// clean hides secrets in what the service wrote, and in every URL what gives access: the
// service may repeat the URL of a document or of a result.
func clean(text string, secrets []string) string {
	text = redact.Text(text, secrets...)
	if !strings.ContainsAny(text, "?#@") {
		return text
	}
	return hideQueries(userInfo.ReplaceAllString(text, "${1}"+redact.Hidden+"@"))
}

// outsideURL are characters that end a URL in a text.
const outsideURL = " \t\r\n\"'`<>,;)"

var (
	userInfo = regexp.MustCompile(`(:\\?/[:\\/]*)[^/?#\\` + outsideURL + `]*@`) // JSON may escape slashes
	query    = regexp.MustCompile(`[?#][^` + outsideURL + `]*`)
)

// hideQueries hides what follows a "?", and what follows a "#" if it could be a query.
func hideQueries(s string) string {
	return query.ReplaceAllStringFunc(s, func(q string) string {
		if strings.Contains(q, "=") || q[0] == '?' && len(q) > minQuery {
			return q[:1] + redact.Hidden
		}
		return q
	})
}
