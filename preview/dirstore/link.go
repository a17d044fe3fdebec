package dirstore

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// linkKind is a kind of link: which parameters it has, and what its signature is for,
// so that no link passes for another kind.
type linkKind struct {
	label  string
	params []string
}

// Parameters of a link.
const (
	paramFile      = "file"
	paramVersion   = "version"
	paramExpires   = "expires"
	paramUpload    = "upload"
	paramSize      = "size"
	paramSignature = "signature"
)

var (
	downloadLinks = linkKind{"weboffice dirstore link 1", []string{paramFile, paramVersion, paramExpires}}
	uploadLinks   = linkKind{"weboffice dirstore upload 1", []string{paramFile, paramUpload, paramSize}}
)

// link makes a URL at which the bytes of d can be fetched until it expires.
func (s *Store) link(d document) preview.Download {
	until := unixAfter(s.cfg.Now().Add(s.cfg.LinkLife))
	return preview.Download{
		URL:    s.newLink(downloadLinks, d.id, strconv.FormatUint(uint64(d.Number), 10), strconv.FormatInt(until, 10)),
		Digest: preview.Digest{Type: preview.SHA1, Hex: d.SHA1},
	}
}

func (s *Store) newLink(kind linkKind, values ...string) string {
	query := url.Values{}
	for i, name := range kind.params {
		query.Set(name, values[i])
	}
	query.Set(paramSignature, s.signature(kind, query))
	return s.cfg.PublicURL + "?" + query.Encode()
}

// verify reports whether query is that of a link of this Store.
func (s *Store) verify(kind linkKind, query url.Values) bool {
	for _, name := range slices.Concat(kind.params, []string{paramSignature}) {
		if len(query[name]) != 1 {
			return false
		}
	}
	return hmac.Equal([]byte(s.signature(kind, query)), []byte(query.Get(paramSignature)))
}

// signature signs the values of a link, as they stand in it.
func (s *Store) signature(kind linkKind, query url.Values) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.LinkKey.Reveal()))
	mac.Write([]byte(kind.label + "\x00"))
	for _, name := range kind.params {
		mac.Write([]byte(query.Get(name) + "\x00"))
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
