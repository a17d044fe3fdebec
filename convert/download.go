package convert

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/redact"
)

// downloadBuffer is the size above which larger reads gain nothing.
const downloadBuffer = 256 << 10

// downloadClient returns a copy of hc that sends a request once, without its timeout, which
// would cut off a long download, and without a Referer: the URL that a redirect comes from
// gives access.
func downloadClient(hc *http.Client) *http.Client {
	dl := *hc
	dl.Timeout = 0
	dl.Transport = httpx.Once(hc.Transport)
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

// stallTimeout is how long a download may go without a byte.
const stallTimeout = time.Minute

// Download streams the content of f to w, in one attempt, without Config.Limiter. It
// sends no credentials, and follows redirects.
//
// The error is [ErrExpired] after ExpiresAt, [ErrSize] if the length is not Size, and an
// [*APIError] if the host does not answer 200. A minute without a byte is an error. After
// an error w may have a part of the file.
func (c *Client) Download(ctx context.Context, f File, w io.Writer) error {
	return c.download(ctx, f, w, 1)
}

// errStalled is a time-out.
var errStalled = fmt.Errorf("no byte for %v: %w", stallTimeout, os.ErrDeadlineExceeded)

// download is attempt n of a download.
func (c *Client) download(ctx context.Context, f File, w io.Writer, n int) error {
	e := &exchange{op: "download", name: "convert.download", secrets: func() []string { return redact.InURL(f.URL) }}
	return wrap(e.op, c.attempt(ctx, e, n, func(a *attempt) error { return a.download(f, w) })) //nolint:contextcheck // a has it.
}

// download ends the request if no byte arrives for stallTimeout.
func (a *attempt) download(f File, w io.Writer) error {
	a.sent = a.start
	ctx, cancel := context.WithCancelCause(a.ctx)
	defer cancel(nil)
	stall := time.AfterFunc(stallTimeout, func() { cancel(errStalled) })
	defer stall.Stop()
	err := a.fetch(ctx, f, w, stall)
	switch ended := httpx.Ended(a.ctx); {
	case err == nil || errors.As(err, new(*localError)):
		return err
	case ended != nil:
		return ended
	case errors.Is(context.Cause(ctx), errStalled):
		return errStalled
	default:
		return redact.Error(err, a.secrets()...)
	}
}

func (a *attempt) fetch(ctx context.Context, f File, w io.Writer, stall *time.Timer) error {
	u, err := url.Parse(f.URL)
	if err != nil || !absolute(u) {
		return &FieldError{Field: "URL", Reason: "must be an absolute http or https URL (protocol 2.3)"}
	}
	if a.c.expired(f) {
		return expiredError(f)
	}
	req := &http.Request{Method: http.MethodGet, URL: u, Header: http.Header{
		"Accept-Encoding": {"identity"}, // so that the length is that of the file
		"User-Agent":      {userAgent},
	}}
	resp, err := a.c.files.Do(req.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	a.response = &httpx.Response{StatusCode: resp.StatusCode, Header: resp.Header}
	if err := a.checkDownload(f, resp); err != nil {
		return err
	}
	return copyFile(w, resp.Body, f.Size, stall)
}

func (c *Client) expired(f File) bool {
	return !f.ExpiresAt.IsZero() && !c.cfg.Now().Before(f.ExpiresAt)
}

func expiredError(f File) error {
	return fmt.Errorf("%w: %s, at %s", ErrExpired, redact.URL(f.URL), f.ExpiresAt.UTC().Format(time.RFC3339))
}

// checkDownload refuses an answer that cannot be f before anything of it is written.
func (a *attempt) checkDownload(f File, resp *http.Response) error {
	failed := &APIError{
		Op:         "download",
		StatusCode: resp.StatusCode,
		RequestID:  requestID(resp.Header, a.secrets()),
		RetryAfter: httpx.RetryAfter(resp.Header, a.c.cfg.Now()),
	}
	switch encoding := resp.Header.Get("Content-Encoding"); {
	case resp.StatusCode != http.StatusOK && refusesURL(resp.StatusCode) && a.c.expired(f):
		return expiredError(f)
	case resp.StatusCode != http.StatusOK:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 4*maxErrorBody)) // what could be read
		failed.Message = redact.Cut(clean(storeMessage(body), a.secrets()), maxErrorMessage)
		return failed
	case encoding != "" && encoding != "identity":
		failed.Err = errors.New("server sent Content-Encoding although identity was requested")
		return failed
	case f.Size >= 0 && resp.ContentLength >= 0 && resp.ContentLength != f.Size:
		return fmt.Errorf("%w: %d bytes, not %d", ErrSize, resp.ContentLength, f.Size)
	default:
		return nil
	}
}

// storeMessage returns what an object store says in its XML, or "".
func storeMessage(body []byte) string {
	var said struct{ Code, Message string }
	if xml.Unmarshal(body, &said) != nil || said.Code == "" {
		return ""
	}
	return said.Code + ": " + said.Message
}

// refusesURL reports whether a host of files may answer so if a URL has expired.
func refusesURL(status int) bool { return slices.Contains([]int{400, 401, 403, 404, 410}, status) }

// localError is a failure on this side: another attempt would not help.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

// copyFile copies size bytes, or any number if size is negative. stall runs while it
// waits for the host, and not while it waits for w.
func copyFile(w io.Writer, r io.Reader, size int64, stall *time.Timer) error {
	room := int64(downloadBuffer)
	if size >= 0 {
		room = min(room, size+1) // one more, for the read that finds the end
	}
	buffer := make([]byte, room)
	var total int64
	for {
		stall.Reset(stallTimeout)
		n, err := r.Read(buffer)
		stall.Stop()
		if total += int64(n); size >= 0 && total > size {
			return fmt.Errorf("%w: more than %d bytes", ErrSize, size)
		}
		if n > 0 {
			written, err := w.Write(buffer[:n])
			if err == nil && written < n {
				err = io.ErrShortWrite
			}
			if err != nil {
				return &localError{fmt.Errorf("write: %w", err)}
			}
		}
		switch {
		case errors.Is(err, io.EOF) && size >= 0 && total != size:
			return fmt.Errorf("%w: %d bytes, not %d", ErrSize, total, size)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
