package callback

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Why a body could not be had.
var (
	ErrTooLarge = errors.New("the body is larger than MaxBody")
	ErrTooSlow  = errors.New("the body did not arrive in time")
)

// Bound makes reading the body of r stop after limit bytes and at the deadline,
// where the server can set one. The result must be called once the body is read,
// and before the answer is written.
//
// It takes the deadline back only from a body that has been read to its end. Of
// any other a server reads on before it sends an answer (net/http up to 256 KiB),
// and would do so for ever: there the deadline stays, and the connection ends with
// the answer, which then need not wait for the rest.
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

// watched is a body that knows whether it has been read to its end.
type watched struct {
	io.ReadCloser
	ended bool
}

// Read notes the end.
func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended = true
	}
	return n, err
}

// ReadBody reads a body that [Bound] has bounded. None is an empty one.
func ReadBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	return body, BodyError(err)
}

// BodyError names the reasons among the errors of reading a body, also within
// the error of a verifier that read it.
func BodyError(err error) error {
	if err == nil {
		return nil
	}
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
