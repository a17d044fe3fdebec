package previewtest

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/internal/headers"
)

// Download asks where the bytes are (protocol 2.5).
func (v *Viewer) Download(ctx context.Context, fileID string) (preview.Download, error) {
	return v.download(ctx, filePath(fileID, "download"))
}

func (v *Viewer) download(ctx context.Context, path string) (preview.Download, error) {
	return get(ctx, v, http.MethodGet, path, nil, RuleURL, object.download)
}

// download reads where the bytes are, and holds it to protocol 2.5.
func (o object) download() preview.Download {
	d := preview.Download{URL: o.address("url"), Header: o.headers(RuleHeaders)}
	o.missing, o.kind = RuleDigest, RuleDigest
	noted := len(o.a.found)
	d.Digest = preview.Digest{Type: preview.DigestType(o.text("digest_type", false)), Hex: strings.ToLower(o.text("digest", false))}
	if problem := digestProblem(d.Digest); problem != "" && len(o.a.found) == noted {
		o.broken(RuleDigest, "digest", problem)
	}
	if len(o.a.found) > noted {
		d.Digest = preview.Digest{}
	}
	return d
}

// address reads a URL that is required.
func (o object) address(name string) string {
	address := o.text(name, true)
	if address != "" && !absolute(address) {
		o.broken(o.kind, name, "is not an absolute address")
	}
	return address
}

// headers reads headers that are to be sent along.
func (o object) headers(rule string) map[string]string {
	header := o.texts("headers", rule)
	if _, problem := headers.Problem(header); problem != "" {
		o.broken(rule, "headers", "must have "+problem)
	}
	return header
}

// absolute reports whether address is one that can be fetched.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && utf8.ValidString(address) && (u.Scheme == "http" || u.Scheme == "https")
}

// digestProblem says what is wrong with the digest of a download, if there is one.
func digestProblem(d preview.Digest) string {
	switch {
	case d == preview.Digest{}:
		return ""
	case d.Type == "":
		return "has no digest_type"
	case d.Type != preview.MD5 && d.Type != preview.SHA1:
		return "is of a type that is not md5 or sha1"
	case len(d.Bytes()) != hashes[d.Type]().Size() || d.Hex != strings.ToLower(d.Hex):
		return "is not the hexadecimal form of a digest of type " + string(d.Type)
	}
	return ""
}
