package commonmark

import (
	"bufio"
	"bytes"
	"html"
	"strings"

	renderer "github.com/yuin/goldmark/renderer/html"
)

// unescape resolves backslashes and character references, each character of s once.
func unescape(s []byte) string {
	if !bytes.ContainsAny(s, `\&`) {
		return string(s)
	}
	var b strings.Builder
	w := bufio.NewWriter(&b)
	s = bytes.ReplaceAll(s, []byte{0}, []byte{1}) // Neither is shown, but goldmark would make U+FFFD of the first.
	renderer.DefaultWriter.Write(w, s)            // escaped for HTML
	_ = w.Flush()
	return html.UnescapeString(b.String())
}
