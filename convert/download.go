package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/redact"
)

// downloadBuffer is the size from which on larger reads gain nothing.
const downloadBuffer = 256 << 10

// downloadClient returns a copy of hc without its timeout, which would cut a long
// download off, and that does not tell a redirect's host where it came from: the
// address that it came from gives access.
func downloadClient(hc *http.Client) *http.Client {
	dl := *hc
	dl.Timeout = 0
	check := hc.CheckRedirect
	dl.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer")
		switch {
		case check != nil:
			return check(req, via)
		case len(via) >= 10:
			return errors.New("stopped after 10 redirects")
		default:
			return nil
		}
	}
	return &dl
}

// Download writes the content of f to w, without holding all of it in memory. It
// makes one try, outside of Config.Limiter, and sends neither credentials nor a
// signature. It follows redirects.
//
// Where ExpiresAt has passed the error is [ErrExpired]; where the content has
// another length than Size, [ErrSize]; where the host answers anything but 200,
// an [*APIError] with the operation "download". An answer that cannot be the file
// is not written; after an error on the way w holds a part. It is also an error
// when no byte comes for [StallTimeout].
func (c *Client) Download(ctx context.Context, f File, w io.Writer) error {
	return wrap("download", c.fetch(ctx, f, w))
}

// errStalled is a time-out.
var errStalled = fmt.Errorf("no byte for %v: %w", StallTimeout, os.ErrDeadlineExceeded)

func (c *Client) fetch(ctx context.Context, f File, w io.Writer) error {
	u, err := url.Parse(f.URL)
	if err != nil || !absolute(u) {
		return &FieldError{Field: "URL", Reason: "must be an absolute http or https URL (protocol 2.3)"}
	}
	if c.expired(f) {
		return ErrExpired
	}
	guarded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(StallTimeout, func() { cancel(errStalled) })
	defer stall.Stop()

	err = c.stream(guarded, f, w, stall)
	var local *localError
	switch {
	case err == nil || errors.As(err, &local):
		return err
	case ctx.Err() != nil:
		return httpx.Ended(ctx)
	case errors.Is(context.Cause(guarded), errStalled):
		return errStalled
	default:
		return redact.Error(err, sourceSecrets(f.URL)...)
	}
}

func (c *Client) expired(f File) bool {
	return !f.ExpiresAt.IsZero() && !c.cfg.Now().Before(f.ExpiresAt)
}

func (c *Client) stream(ctx context.Context, f File, w io.Writer, stall *time.Timer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // so that the length is that of the file
	req.Header.Set("User-Agent", userAgent)
	resp, err := c.files.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := c.checkDownload(f, resp); err != nil {
		return err
	}
	return copyFile(w, resp.Body, f.Size, stall)
}

// checkDownload refuses an answer that cannot be f before anything of it is written.
func (c *Client) checkDownload(f File, resp *http.Response) error {
	failed := &APIError{
		Op:         "download",
		StatusCode: resp.StatusCode,
		RequestID:  cut(resp.Header.Get("X-Request-Id"), maxErrorMessage),
		RetryAfter: httpx.RetryAfter(resp.Header, c.cfg.Now()),
	}
	switch {
	case resp.StatusCode != http.StatusOK && refusesURL(resp.StatusCode) && c.expired(f):
		return ErrExpired
	case resp.StatusCode != http.StatusOK:
		return failed
	case resp.Header.Get("Content-Encoding") != "" && resp.Header.Get("Content-Encoding") != "identity":
		failed.Err = errors.New("encoded although it was asked for as it is")
		return failed
	case f.Size >= 0 && resp.ContentLength >= 0 && resp.ContentLength != f.Size:
		return sizeError(f.Size, resp.ContentLength)
	default:
		return nil
	}
}

// refusesURL reports whether a host of files answers so where an address ran out.
func refusesURL(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	default:
		return false
	}
}

func sizeError(want, got int64) error {
	return fmt.Errorf("%w: %d bytes, not %d", ErrSize, got, want)
}

// localError is one of this side: no other try would help.
type localError struct{ cause error }

func (e *localError) Error() string { return e.cause.Error() }
func (e *localError) Unwrap() error { return e.cause }

// copyFile copies size bytes, or any number where size is negative. The clock of
// stall runs while the host is waited for, and not while w is.
func copyFile(w io.Writer, r io.Reader, size int64, stall *time.Timer) error {
	room := int64(downloadBuffer)
	if size >= 0 {
		room = min(room, size+1) // one more, for the read that finds the end
	}
	buffer := make([]byte, room)
	var total int64
	for {
		stall.Reset(StallTimeout)
		n, err := r.Read(buffer)
		stall.Stop()
		if total += int64(n); size >= 0 && total > size {
			return sizeError(size, total)
		}
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return &localError{fmt.Errorf("write: %w", err)}
			}
		}
		switch {
		case errors.Is(err, io.EOF) && size >= 0 && total != size:
			return sizeError(size, total)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
