package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

// asset is one file, as it is served.
type asset struct {
	name, contentType, etag string
	body                    []byte
}

func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	return &asset{name: name, contentType: contentType(path.Ext(name)), etag: `"` + hex.EncodeToString(sum[:12]) + `"`, body: body}
}

// contentType does not ask the machine, whose tables differ.
func contentType(ext string) string {
	switch ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".json":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

// serve lets a browser keep the file and ask whether it is still the same, so a newer
// program never runs with older files.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", Policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", a.contentType)
	header.Set("ETag", a.etag)
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.body))
}
