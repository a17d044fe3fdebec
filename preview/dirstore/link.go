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
	paramSignature = "signature"
)

var (
	errLink    = errors.New("dirstore: the link is not one of this store")
	errExpired = errors.New("dirstore: the link has expired")
)

// link makes an address at which the bytes of d can be fetched until it expires.
func (s *Store) link(d document) string {
	expires := s.cfg.Now().Add(s.cfg.LinkLife)
	seconds := expires.Unix()
	if expires.Nanosecond() > 0 {
		seconds++
	}
	number, until := strconv.FormatUint(uint64(d.number), 10), strconv.FormatInt(seconds, 10)
	return s.cfg.PublicURL + "?" + url.Values{
		paramFile:      {d.id},
		paramVersion:   {number},
		paramExpires:   {until},
		paramSignature: {s.signature(d.id, number, until)},
	}.Encode()
}

// signature signs the parts of a link, as they stand in it.
func (s *Store) signature(id, number, until string) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.LinkKey.Reveal()))
	for _, part := range []string{"weboffice dirstore link 1", id, number, until} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// verify reads the query of a link: of which version of which document it is. The
// link works before the second in which it expires, and not from then on.
func (s *Store) verify(query string) (id string, number uint32, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", 0, errLink
	}
	part := func(name string) string {
		if len(values[name]) != 1 {
			return ""
		}
		return values[name][0]
	}
	id, version, until := part(paramFile), part(paramVersion), part(paramExpires)
	if !hmac.Equal([]byte(s.signature(id, version, until)), []byte(part(paramSignature))) {
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
