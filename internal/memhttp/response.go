package memhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// bufferSize is how much of an answer is held back before its header goes out: an
// answer that fits gets a Content-Length.
const bufferSize = 2 << 10

// responseWriter is what the handler writes to.
type responseWriter struct {
	request  *http.Request
	body     *requestBody // nil: none
	now      func() time.Time
	cancel   context.CancelFunc
	header   http.Header
	status   int
	length   int64 // Content-Length, or -1
	written  int64
	done     bool // the handler has returned
	buffer   *bufio.Writer
	out      *stream
	response *http.Response

	once    sync.Once
	started chan struct{} // closed once response is complete or broken is set
	sent    bool          // the header is out
	broken  error
}

func newResponseWriter(req *http.Request, body *requestBody, now func() time.Time, cancel context.CancelFunc) *responseWriter {
	w := &responseWriter{
		request: req, body: body, now: now, cancel: cancel,
		header: http.Header{}, length: -1, out: newStream(), started: make(chan struct{}),
	}
	w.buffer = bufio.NewWriterSize(wire{w}, bufferSize)
	return w
}

// wire takes what leaves the buffer, and sends the header before it.
type wire struct{ w *responseWriter }

func (c wire) Write(p []byte) (int, error) {
	c.w.start(p)
	if c.w.request.Method == http.MethodHead {
		return len(p), nil
	}
	return c.w.out.Write(p)
}

// Header is what WriteHeader takes.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader fixes status and header. Informational ones are passed over.
func (w *responseWriter) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", status))
	}
	if w.status != 0 || status < 200 {
		return
	}
	w.status = status
	text := http.StatusText(status)
	if text == "" {
		text = "status code " + strconv.Itoa(status)
	}
	w.response = &http.Response{
		StatusCode: status,
		Status:     strconv.Itoa(status) + " " + text,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  w.header.Clone(),
		Request: w.request,
	}
	if declared := w.header.Get("Content-Length"); declared != "" {
		if n, err := strconv.ParseInt(declared, 10, 64); err == nil && n >= 0 {
			w.length = n
		} else {
			w.response.Header.Del("Content-Length")
		}
	}
}

// Write obeys Content-Length, and writes no body where there can be none.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if !bodyAllowed(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if w.length >= 0 && w.written+int64(len(p)) > w.length {
		return 0, http.ErrContentLength
	}
	w.written += int64(len(p))
	return w.buffer.Write(p)
}

func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// Flush sends what there is.
func (w *responseWriter) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *responseWriter) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	err := w.buffer.Flush()
	w.start(nil)
	if w.length >= 0 && w.written == w.length {
		w.out.end(io.EOF) // the client can tell that this was all
	}
	return err
}

// SetReadDeadline is for http.ResponseController.
func (w *responseWriter) SetReadDeadline(t time.Time) error {
	if w.body != nil {
		w.body.deadline(t, w.now())
	}
	return nil
}

// SetWriteDeadline is for http.ResponseController.
func (w *responseWriter) SetWriteDeadline(t time.Time) error {
	w.out.deadline(t, w.now())
	return nil
}

// EnableFullDuplex is for http.ResponseController. There is nothing to enable.
func (w *responseWriter) EnableFullDuplex() error { return nil }

// start lets RoundTrip return. first is what the body begins with.
func (w *responseWriter) start(first []byte) {
	w.once.Do(func() {
		w.sent = true
		h := w.response.Header
		if w.done && w.length < 0 && bodyAllowed(w.status) && (w.request.Method != http.MethodHead || len(first) > 0) {
			w.length = w.written // all of it is in the buffer
			h.Set("Content-Length", strconv.FormatInt(w.length, 10))
		}
		_, typed := h["Content-Type"]
		if !typed && h.Get("Content-Encoding") == "" && len(first) > 0 {
			h.Set("Content-Type", http.DetectContentType(first))
		}
		w.response.ContentLength = w.length
		switch {
		case !bodyAllowed(w.status) && w.length < 0:
			w.response.ContentLength = 0
		case w.length < 0 && w.request.Method != http.MethodHead:
			w.response.TransferEncoding = []string{"chunked"}
		}
		// Who has stopped to read a body cannot find the next request behind it.
		w.response.Close = h.Get("Connection") == "close" || w.body != nil && errors.Is(w.body.brokenBy(), os.ErrDeadlineExceeded)
		h.Del("Connection")
		maps.DeleteFunc(h, func(_ string, values []string) bool { return len(values) == 0 })
		close(w.started)
	})
}

// fail lets RoundTrip return err where it has not returned yet.
func (w *responseWriter) fail(err error) {
	w.once.Do(func() {
		w.broken = err
		close(w.started)
	})
}
