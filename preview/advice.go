package preview

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/weboffice-go/weboffice/internal/netaddr"
)

// advice is something that the protocol allows and that yet does not do what its
// author may expect.
type advice struct {
	bit  uint32
	text string // what to do
}

var (
	adviceHost      = advice{1 << 0, "url: the host looks private, and the service fetches the document from the public network (protocol 2.5): give a public address that no firewall blocks"}
	adviceUnescaped = advice{1 << 1, "url: it holds characters that have no place in an address, such as blanks or letters outside ASCII, which not every client escapes: escape them with url.PathEscape or url.QueryEscape"}
	adviceVersion   = advice{1 << 2, "version: it is above 2147483647, which parts of the service do not expect (public reference 3.3): count versions from 1, not by time"}
	adviceFuture    = advice{1 << 3, "create_time or modify_time lies more than a day ahead of the clock here: compare the clocks"}
	adviceSavedSize = advice{1 << 12, "size: it differs from the size that the service announced for the save: describe the bytes that were uploaded (public reference 5)"}
)

// first reports whether a has not been given before.
func (h *Handler) first(a advice) bool {
	return h.given.Load()&a.bit == 0 && h.given.Or(a.bit)&a.bit == 0
}

// advise logs a once, so that it is seen, and after that only at debug level, so
// that it is no line for each request.
func (c *call) advise(r *http.Request, a advice, value string) {
	level := slog.LevelDebug
	if c.h.first(a) {
		level = slog.LevelInfo
	}
	if logger := c.h.cfg.Logger; logger.Enabled(r.Context(), level) {
		attrs := append(c.attrs(r), slog.String("advice", a.text))
		if value != "" {
			attrs = append(attrs, slog.String("value", cut(value)))
		}
		logger.LogAttrs(r.Context(), level, "preview: advice", attrs...)
	}
}

// adviseURL looks at a URL that the service is to call.
func (c *call) adviseURL(r *http.Request, raw string, u *url.URL) {
	if netaddr.Private(u.Hostname()) {
		c.advise(r, adviceHost, u.Host)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.advise(r, adviceUnescaped, u.Host)
	}
}
