package callback

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Why there is no body to use.
var (
	ErrTooLarge = errors.New("the body is larger than MaxBody")
	ErrTooSlow  = errors.New("the body did not arrive in time")
	ErrEaten    = errors.New("the body is empty, but Content-Length is not 0: something before this handler, such as a middleware, has read it and not put it back")
)

// Bound makes reading the body of r stop after limit bytes and at the deadline,
// if the server can set one. Call the result once the body is read and before the
// answer is written.
//
// The deadline is removed only if the body was read to its end. Otherwise net/http
// would read the rest before it sends the answer, without a limit in time: so the
// deadline stays, and the connection is closed after the answer.
func Bound(w http.ResponseWriter, r *http.Request, limit int64, deadline time.Time) (release func()) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}
	}
	body := &watched{ReadCloser: r.Body}
	r.Body = http.MaxBytesReader(w, body, limit)
	control := http.NewResponseController(w)
	bounded := control.SetReadDeadline(deadline) == nil // some ResponseWriters have no deadlines
	return func() {
		switch {
		case body.ended && bounded:
			_ = control.SetReadDeadline(time.Time{})
		case !body.ended && r.ProtoMajor < 2: // in HTTP/2 it would end the other requests, too
			w.Header()["Connection"] = closeConnection
		}
	}
}

var closeConnection = []string{"close"}

// watched knows whether a body has been read to its end.
type watched struct {
	io.ReadCloser
	ended bool
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended = true
	}
	return n, err
}

// ReadBody reads a body that [Bound] has bounded. A request without one has an empty
// body.
func ReadBody(r *http.Request) (body []byte, err error) {
	if r.Body != nil {
		body, err = io.ReadAll(r.Body)
	}
	if err == nil && len(body) == 0 && r.ContentLength > 0 {
		err = ErrEaten
	}
	return body, BodyError(err)
}

// BodyError returns ErrTooLarge or ErrTooSlow if that is the reason of err, which may
// come from a verifier that read the body, and err otherwise.
func BodyError(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return ErrTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrTooSlow
	default:
		return err
	}
}
