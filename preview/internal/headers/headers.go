// Package headers checks the headers that a store asks the service to send along.
package headers

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem says which header of h cannot be sent and what all of them have to be, or "".
func Problem(h map[string]string) (name, problem string) {
	if len(h) == 0 {
		return "", ""
	}
	names := slices.Sorted(maps.Keys(h))
	for i, name := range names {
		switch {
		case name == "" || strings.ContainsFunc(name, notToken):
			return name, "names of HTTP headers"
		case strings.ContainsFunc(h[name], isControl) || !utf8.ValidString(h[name]):
			return name, "values of HTTP headers, without line breaks and other control characters"
		case slices.ContainsFunc(names[:i], func(other string) bool { return strings.EqualFold(other, name) }):
			return name, "each HTTP header once, whatever its case"
		}
	}
	return "", ""
}

// notToken reports whether r cannot be in the name of a header (RFC 9110, 5.6.2).
func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
