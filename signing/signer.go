package signing

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// ContentType is the media type of all bodies of the protocol (protocol 5). It is
// signed, so no charset may be added to it on the way.
const ContentType = "application/json"

// Signer signs requests with one set of credentials. It is safe for concurrent use.
type Signer struct {
	c      Credentials
	prefix string // of Authorization
	last   atomic.Pointer[dated]
}

// dated is a second and its Date: there are more requests than seconds.
type dated struct {
	unix int64
	text string
}

// NewSigner reports every problem of c at once: an empty part, or a character that
// Authorization cannot contain. It also fails in FIPS 140-only mode.
func NewSigner(c Credentials) (*Signer, error) {
	errs := c.problems()
	if err := checkHashes(); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	prefix := c.id.Reveal() + ":"
	if !c.robot {
		prefix = c.scheme + ":" + prefix
	}
	return &Signer{c: c, prefix: prefix}, nil
}

// Sign sets Date, Content-Md5 and Authorization in h. It signs the Content-Type in h, or
// the empty text if h has none. payload is the body as it is sent, or the request target
// (path and query, escaped as sent) of a request without a body; at is the time for
// Date.
//
// [Signer.SignRequest] finds all of that in a request, and is what most users want.
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
	b = append(b, s.prefix...)
	text := string(hex.AppendEncode(b, sum[:]))
	values := [...]string{text[:digestLength], date, text[digestLength:]}
	setHeaders(h, &values)
}

func setHeaders(h http.Header, values *[3]string) {
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

// SignRequest signs req as net/http will send it. It reads the body to its end, signs
// those bytes, and sets Body, GetBody and ContentLength to them. A request without a
// body, or with an empty one, is signed over its request target. If there is no
// Content-Type, it sets [ContentType].
//
// It fails, and leaves req unsigned, if the body cannot be read or req has more than one
// Content-Type.
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
	if closeErr := req.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
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
