package commonmark

import (
	"bytes"

	"github.com/yuin/goldmark/util"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// unescape resolves backslashes and entities, each character of s once.
func unescape(s []byte) []byte {
	if !bytes.ContainsAny(s, `\&`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && markup.IsPunct(s[i+1]):
			i++
			b = append(b, s[i])
		case s[i] == '&' && markup.Entity(s[i:]) > 0:
			n := markup.Entity(s[i:])
			b = append(b, util.ResolveEntityNames(util.ResolveNumericReferences(s[i:i+n]))...)
			i += n - 1
		default:
			b = append(b, s[i])
		}
	}
	return b
}
