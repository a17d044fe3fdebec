package dirstore

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"time"
)

// Parameters of a link.
const (
	paramFile      = "file"
	paramVersion   = "version"
	paramExpires   = "expires"
	paramUpload    = "upload"
	paramSize      = "size"
	paramSignature = "signature"
)

// What a signature is for, so that no link passes for another kind.
const (
	downloadLabel = "weboffice dirstore link 1"
	uploadLabel   = "weboffice dirstore upload 1"
)

var (
	errLink    = errors.New("dirstore: the link is not one of this store")
	errExpired = errors.New("dirstore: the link has expired")
)

// link makes a URL at which the bytes of d can be fetched until it expires.
func (s *Store) link(d document) string {
	number := strconv.FormatUint(uint64(d.number), 10)
	until := strconv.FormatInt(unixAfter(s.cfg.Now().Add(s.cfg.LinkLife)), 10)
	return s.cfg.PublicURL + "?" + url.Values{
		paramFile:      {d.id},
		paramVersion:   {number},
		paramExpires:   {until},
		paramSignature: {s.signature(downloadLabel, d.id, number, until)},
	}.Encode()
}

// uploadLink makes a URL to which size bytes can be uploaded until it expires, which
// its token says.
func (s *Store) uploadLink(id, token string, size int64) string {
	length := strconv.FormatInt(size, 10)
	return s.cfg.PublicURL + "?" + url.Values{
		paramFile:      {id},
		paramUpload:    {token},
		paramSize:      {length},
		paramSignature: {s.signature(uploadLabel, id, token, length)},
	}.Encode()
}

// unixAfter is the first second that does not begin before t.
func unixAfter(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

// signature signs the parts of a link, as they stand in it.
func (s *Store) signature(parts ...string) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.LinkKey.Reveal()))
	for _, part := range parts {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// query gives the one value of a parameter, or nothing.
func query(values url.Values, name string) string {
	if len(values[name]) != 1 {
		return ""
	}
	return values[name][0]
}

// verify reads the query of a link: of which version of which document it is. The
// link works before the second in which it expires, and not from then on.
func (s *Store) verify(values url.Values) (id string, number uint32, err error) {
	id, version, until := query(values, paramFile), query(values, paramVersion), query(values, paramExpires)
	if !s.signed(values, downloadLabel, id, version, until) {
		return "", 0, errLink
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil {
		return "", 0, errLink
	}
	parsed, err := strconv.ParseUint(version, 10, 32)
	if err != nil {
		return "", 0, errLink
	}
	if !s.cfg.Now().Before(time.Unix(seconds, 0)) {
		return "", 0, errExpired
	}
	return id, uint32(parsed), nil
}

// verifyUpload does so for the link of an upload.
func (s *Store) verifyUpload(values url.Values) (id, token string, size int64, err error) {
	id, token, length := query(values, paramFile), query(values, paramUpload), query(values, paramSize)
	if !s.signed(values, uploadLabel, id, token, length) {
		return "", "", 0, errLink
	}
	size, err = strconv.ParseInt(length, 10, 64)
	until, ok := tokenExpires(token)
	if err != nil || !ok {
		return "", "", 0, errLink
	}
	if !s.cfg.Now().Before(until) {
		return "", "", 0, errExpired
	}
	return id, token, size, nil
}

func (s *Store) signed(values url.Values, parts ...string) bool {
	return hmac.Equal([]byte(s.signature(parts...)), []byte(query(values, paramSignature)))
}
