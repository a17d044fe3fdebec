package dirstore

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// linkKind is a kind of link: which parameters it has, and what its signature is for,
// so that no link passes for another kind.
type linkKind struct {
	label  string
	params [3]string
}

// Parameters of a link.
const (
	paramUpload    = "upload"
	paramSignature = "signature"
)

var (
	downloadLinks = linkKind{"weboffice dirstore link 1", [3]string{"file", "version", "expires"}}
	uploadLinks   = linkKind{"weboffice dirstore upload 1", [3]string{"file", paramUpload, "size"}}
)

// link makes a URL at which the bytes of d can be fetched until it expires.
func (s *Store) link(d document) preview.Download {
	until := unixAfter(s.cfg.Now().Add(s.cfg.LinkLife))
	return preview.Download{
		URL:    s.newLink(downloadLinks, [3]string{d.id, strconv.FormatUint(uint64(d.Number), 10), strconv.FormatInt(until, 10)}),
		Digest: preview.Digest{Type: preview.SHA1, Hex: d.SHA1},
	}
}

// uploadLink makes a URL to which size bytes can be uploaded until it expires, which
// its token says.
func (s *Store) uploadLink(id, token string, size int64) string {
	return s.newLink(uploadLinks, [3]string{id, token, strconv.FormatInt(size, 10)})
}

func (s *Store) newLink(kind linkKind, values [3]string) string {
	query := url.Values{paramSignature: {s.signature(kind, values)}}
	for i, name := range kind.params {
		query.Set(name, values[i])
	}
	return s.cfg.PublicURL + "?" + query.Encode()
}

// verify gives the values of a link, if it is one of this Store.
func (s *Store) verify(kind linkKind, query url.Values) (values [3]string, ok bool) {
	for i, name := range kind.params {
		if len(query[name]) != 1 {
			return values, false
		}
		values[i] = query.Get(name)
	}
	signature := query[paramSignature]
	return values, len(signature) == 1 && hmac.Equal([]byte(s.signature(kind, values)), []byte(signature[0]))
}

// signature signs the values of a link, as they stand in it.
func (s *Store) signature(kind linkKind, values [3]string) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.LinkKey.Reveal()))
	for _, part := range append([]string{kind.label}, values[:]...) {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// unixAfter is the first second that does not begin before t.
func unixAfter(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

// expired reports whether a link has: it works before that second, and not from then on.
func (s *Store) expired(at time.Time) bool { return !s.cfg.Now().Before(at) }
