package signing

import (
	"bytes"
	"cmp"
	"crypto/md5"  //nolint:gosec // The protocol's digest (protocol 5.1): it ties the body to the signature, no more.
	"crypto/sha1" //nolint:gosec // The protocol's signature (protocol 5.1, 5.2); there is no other to choose.
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// ContentType is the media type of all bodies of the protocol. It is signed: add no
// charset.
const ContentType = "application/json"

// Signer signs requests with one set of credentials. It is safe for concurrent use.
type Signer struct {
	c    Credentials
	last atomic.Pointer[dated]
}

// dated is a second and its Date: there are more requests than seconds.
type dated struct {
	unix int64
	text string
}

// NewSigner reports every problem of c at once.
func NewSigner(c Credentials) (*Signer, error) {
	if err := errors.Join(append(c.problems(), checkHashes())...); err != nil {
		return nil, err
	}
	return &Signer{c: c}, nil
}

// Sign sets Date, Content-Md5 and Authorization in h. It signs the Content-Type in h, if
// there is one. payload is the body as it is sent, or the request target of a request
// without a body; at is the time for Date.
func (s *Signer) Sign(h http.Header, payload []byte, at time.Time) {
	var contentType string
	if types := h["Content-Type"]; len(types) > 0 {
		contentType = types[0]
	}
	date := s.date(at)
	digest := contentMD5(payload)
	sum := signature(s.c.secret, digest[:], contentType, date)

	// One string for both values, and one array for the slices of all three.
	var room [256]byte
	b := append(room[:0], digest[:]...)
	if !s.c.robot {
		b = append(append(b, s.c.scheme...), ':')
	}
	b = append(append(b, s.c.id.Reveal()...), ':')
	text := string(hex.AppendEncode(b, sum[:]))
	values := [...]string{text[:digestLength], date, text[digestLength:]}
	h["Content-Md5"] = values[0:1:1]
	h["Date"] = values[1:2:2]
	h["Authorization"] = values[2:3:3]
}

func (s *Signer) date(at time.Time) string {
	unix := at.Unix()
	if d := s.last.Load(); d != nil && d.unix == unix {
		return d.text
	}
	d := &dated{unix, FormatDate(at)}
	s.last.Store(d)
	return d.text
}

// SignRequest signs req as net/http will send it. It reads the body, and sets Body,
// GetBody and ContentLength to what it read. If there is no Content-Type, it sets
// [ContentType]; more than one is an error. After an error req is unsigned.
func (s *Signer) SignRequest(req *http.Request, at time.Time) error {
	if req.Header == nil {
		req.Header = http.Header{}
	}
	switch len(req.Header.Values("Content-Type")) {
	case 0:
		req.Header.Set("Content-Type", ContentType)
	case 1:
	default:
		return errors.New("signing: more than one Content-Type: only one can be signed")
	}
	payload, err := takeBody(req)
	if err != nil {
		return fmt.Errorf("signing: read body: %w", err)
	}
	if len(payload) == 0 {
		payload = []byte(req.URL.RequestURI())
	}
	s.Sign(req.Header, payload, at)
	return nil
}

// takeBody reads the body of an outgoing request and puts its bytes back.
func takeBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if err := cmp.Or(err, req.Body.Close()); err != nil {
		return nil, err
	}
	if len(body) == 0 {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
		return nil, nil
	}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(body))
	req.TransferEncoding = nil
	return body, nil
}

const (
	digestLength    = 2 * md5.Size  // hexadecimal digits of Content-Md5
	signatureLength = 2 * sha1.Size // hexadecimal digits at the end of Authorization
)

var errFIPS = errors.New("signing: MD5 and SHA-1 are switched off (FIPS 140-only mode), and the protocol has no other signature")

// ContentMD5 returns the lowercase hexadecimal MD5 of payload. It panics in FIPS
// 140-only mode.
func ContentMD5(payload []byte) string {
	digest := contentMD5(payload)
	return string(digest[:])
}

func contentMD5(payload []byte) (digest [digestLength]byte) {
	sum := md5.Sum(payload) //nolint:gosec // See the import.
	hex.Encode(digest[:], sum[:])
	return digest
}

// signature is the SHA-1 of secret + Content-Md5 + Content-Type + Date.
func signature[B []byte | string](secret Secret, digest B, contentType, date string) [sha1.Size]byte {
	var room [128]byte // keeps the usual case off the heap
	b := append(room[:0], secret.Reveal()...)
	b = append(b, digest...)
	b = append(b, contentType...)
	b = append(b, date...)
	return sha1.Sum(b) //nolint:gosec // See the import.
}

// parseSignature reads the hexadecimal form, in either case.
func parseSignature(s string) (sum [sha1.Size]byte, ok bool) {
	if len(s) != signatureLength {
		return sum, false
	}
	var digits [signatureLength]byte
	copy(digits[:], s)
	_, err := hex.Decode(sum[:], digits[:])
	return sum, err == nil
}

// checkHashes reports whether the two hashes can be used. In FIPS 140-only mode they
// panic, which must not happen within a request.
func checkHashes() (err error) {
	defer func() {
		if recover() != nil {
			err = errFIPS
		}
	}()
	md5.Sum(nil)  //nolint:gosec // See the import.
	sha1.Sum(nil) //nolint:gosec // See the import.
	return nil
}
