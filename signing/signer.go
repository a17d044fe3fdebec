package signing

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ContentType is the one media type of the protocol's bodies (protocol 5). It
// is part of what is signed, so a charset may not be added to it on the way.
const ContentType = "application/json"

// Signer signs requests with one set of credentials. It is immutable and safe
// for concurrent use.
type Signer struct{ c Credentials }

// NewSigner reports every problem of c at once: an empty part, or a character
// that Authorization has no room for. It also fails in FIPS 140-only mode.
func NewSigner(c Credentials) (*Signer, error) {
	errs := c.problems()
	if err := checkHashes(); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Signer{c: c}, nil
}

// Sign puts Date, Content-Md5 and Authorization into h and replaces what was
// there. The Content-Type that is signed is the one in h, or the empty text
// where h has none. payload is the body as it goes out, or the request target
// (path and query, escaped as sent) of a request without a body; at is the time
// for Date.
//
// [Signer.SignRequest] finds all of that in a request, and is what most users
// want.
func (s *Signer) Sign(h http.Header, payload []byte, at time.Time) {
	// One string for all three values, and one array for their slices.
	var room [256]byte
	digest := contentMD5(payload)
	b := append(room[:0], digest[:]...)
	b = appendDate(b, at)
	dateEnd := len(b)
	contentType := h.Get("Content-Type")

	if !s.c.robot {
		b = append(b, s.c.scheme...)
		b = append(b, ':')
	}
	b = append(b, s.c.id.Reveal()...)
	b = append(b, ':')
	sum := signature(s.c.secret, b[:digestLength], contentType, b[digestLength:dateEnd])
	b = hex.AppendEncode(b, sum[:])

	text := string(b)
	values := [...]string{text[:digestLength], text[digestLength:dateEnd], text[dateEnd:]}
	setHeaders(h, &values)
}

func setHeaders(h http.Header, values *[3]string) {
	h["Content-Md5"] = values[0:1:1]
	h["Date"] = values[1:2:2]
	h["Authorization"] = values[2:3:3]
}

// SignRequest signs req as it will be sent by net/http. It reads the body to its
// end, signs those bytes, and sets Body, GetBody and ContentLength to them; a
// request without a body, or with an empty one, is signed over its request
// target. Where there is no Content-Type it sets [ContentType].
//
// It fails if the body cannot be read, or if req has more than one Content-Type,
// and leaves req unsigned then.
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
