package previewtest

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/preview"
)

// Download asks where the bytes are (protocol 2.5, 4.2). It does not fetch them,
// as [Viewer.Open] does.
func (v *Viewer) Download(ctx context.Context, fileID string) (preview.Download, error) {
	return v.download(ctx, filePath(fileID, "download"))
}

func (v *Viewer) download(ctx context.Context, path string) (preview.Download, error) {
	a, err := v.ask(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return preview.Download{}, err
	}
	o, ok := a.object(RuleURL, RuleURL)
	if !ok {
		return preview.Download{}, a.err()
	}
	d := preview.Download{URL: o.text("url", true), Header: o.texts("headers", RuleHeaders)}
	if d.URL != "" && !absolute(d.URL) {
		a.broken(RuleURL, "url", "is not an absolute address")
	}
	if problem := headerProblem(d.Header); problem != "" {
		a.broken(RuleHeaders, "headers", problem)
	}
	o.missing, o.kind = RuleDigest, RuleDigest
	noted := len(a.found)
	d.Digest = preview.Digest{Type: preview.DigestType(o.text("digest_type", false)), Hex: strings.ToLower(o.text("digest", false))}
	if len(a.found) > noted {
		d.Digest = preview.Digest{} // its type is wrong, which is noted
	}
	if problem := digestProblem(d.Digest, preview.MD5, preview.SHA1); problem != "" {
		a.broken(RuleDigest, "digest", problem)
		d.Digest = preview.Digest{}
	}
	return d, a.err()
}

// absolute reports whether address is one that can be fetched.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && utf8.ValidString(address) && (u.Scheme == "http" || u.Scheme == "https")
}

// digestProblem says what is wrong with d, if it must be of one of types.
func digestProblem(d preview.Digest, types ...preview.DigestType) string {
	if d == (preview.Digest{}) {
		return ""
	}
	for _, t := range types {
		if d.Type != t {
			continue
		}
		if len(d.Hex) != 2*hashes[t]().Size() || strings.Trim(d.Hex, "0123456789abcdef") != "" {
			return "is not the hexadecimal form of a digest of type " + string(t)
		}
		return ""
	}
	if d.Type == "" {
		return "has no digest_type"
	}
	return "is of a type that is not md5 or sha1"
}

// headerProblem says what keeps h from being sent.
func headerProblem(h map[string]string) string {
	seen := map[string]bool{}
	for name, value := range h {
		canonical := http.CanonicalHeaderKey(name)
		if seen[canonical] {
			return "has a name twice, but for its case"
		}
		seen[canonical] = true
		if name == "" || strings.ContainsFunc(name, notToken) {
			return "has a name that is no name of a header"
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) || !utf8.ValidString(value) {
			return "has a value that cannot be sent in a header"
		}
	}
	return ""
}

// notToken reports whether r must not be in the name of a header (RFC 9110, 5.6.2).
func notToken(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}
