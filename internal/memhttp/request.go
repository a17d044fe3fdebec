package memhttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
)

// serverRequest is req as a server would have parsed it.
func serverRequest(ctx context.Context, req *http.Request, body *requestBody) *http.Request {
	in := &http.Request{
		Method:     cmp.Or(req.Method, http.MethodGet),
		RequestURI: req.URL.RequestURI(),
		Host:       cmp.Or(req.Host, req.URL.Host),
		RemoteAddr: RemoteAddr,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(req.Header)),
	}
	for name, values := range req.Header {
		for _, value := range values {
			in.Header.Add(name, value)
		}
	}
	parsed, err := url.ParseRequestURI(in.RequestURI)
	if err != nil { // an opaque address
		parsed = &url.URL{Path: in.RequestURI}
	}
	in.URL = parsed
	switch {
	case body == nil:
		in.Body = http.NoBody
		if in.Method == http.MethodPost || in.Method == http.MethodPut || in.Method == http.MethodPatch {
			in.Header.Set("Content-Length", "0")
		}
	case body.length > 0:
		in.Body, in.ContentLength = body, body.length
		in.Header.Set("Content-Length", strconv.FormatInt(body.length, 10))
	default:
		in.Body, in.ContentLength, in.TransferEncoding = body, -1, []string{"chunked"}
	}
	return in.WithContext(ctx)
}

// requestBody is what the handler reads. Taking from the sender starts when the
// handler first asks, in a goroutine: the sender may block, and neither a deadline
// nor the end of the handler waits for that.
type requestBody struct {
	*stream
	source io.ReadCloser
	length int64       // as the sender gave it, or not positive
	failed func(error) // told when the sender could not be read to its end

	start sync.Once
	close sync.Once
}

func newRequestBody(req *http.Request) *requestBody {
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	return &requestBody{stream: newStream(), source: req.Body, length: req.ContentLength}
}

// Read takes what the sender has sent.
func (b *requestBody) Read(p []byte) (int, error) {
	b.start.Do(func() { go b.copy() })
	return b.stream.Read(p)
}

// copy is how a client sends: with a length, exactly so many bytes.
func (b *requestBody) copy() {
	defer b.closeSource()
	source := io.Reader(b.source)
	if b.length > 0 {
		source = io.LimitReader(source, b.length)
	}
	n, err := io.Copy(b.stream, source)
	if b.length > 0 && n == b.length && err == nil {
		b.end(io.EOF)
		if extra, _ := io.CopyN(io.Discard, b.source, 1); extra > 0 {
			b.failed(wrongLength(b.length, n+extra))
		}
		return
	}
	switch {
	case b.brokenBy() != nil: // by the other side: it does not matter why the sender ended
		return
	case err == nil && b.length > 0:
		err = wrongLength(b.length, n)
	case err == nil:
		b.end(io.EOF)
		return
	}
	b.failed(err) // before the handler can answer
	b.end(io.ErrUnexpectedEOF)
}

func wrongLength(want, got int64) error {
	return fmt.Errorf("memhttp: ContentLength=%d with Body length %d", want, got)
}

var errHandlerDone = errors.New("memhttp: the handler has returned")

// Close ends reading, and the sender with it.
func (b *requestBody) Close() error {
	b.start.Do(func() {})
	b.breakOff(http.ErrBodyReadAfterClose, errHandlerDone)
	b.closeSource()
	return nil
}

// closeSource unblocks a sender that waits, as closing a pipe does.
func (b *requestBody) closeSource() { b.close.Do(func() { closeBody(b.source) }) }

func closeBody(body io.Closer) {
	if body != nil {
		_ = body.Close()
	}
}
