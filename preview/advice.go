package preview

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/weboffice-go/weboffice/internal/netaddr"
)

// advice is what to do about something that the protocol allows and that yet does not do
// what its author may expect.
type advice string

var (
	adviceHost      advice = "url: the host looks private, and the service fetches the document from the public network (protocol 2.5): give a public address that no firewall blocks"
	adviceUnescaped advice = "url: it holds characters that have no place in an address, such as blanks or letters outside ASCII, which not every client escapes: escape them with url.PathEscape or url.QueryEscape"
	adviceVersion   advice = "version: it is above 2147483647, which parts of the service do not expect (public reference 3.3): count versions from 1, not by time"
	adviceFuture    advice = "create_time or modify_time lies more than a day ahead of the clock here: compare the clocks"
	adviceSavedSize advice = "size: it differs from the size that the service announced for the save: describe the bytes that were uploaded (public reference 5)"
)

// first reports whether kind, an advice by its address or the kind of a refusal, has not been
// logged before.
func (h *Handler) first(kind any) bool {
	_, again := h.said.LoadOrStore(kind, true)
	return !again
}

// advise logs a once at info level, and after that at debug level: a line for each
// request would be too many.
func (c *call) advise(r *http.Request, a *advice, value string) {
	level := slog.LevelDebug
	if c.h.first(a) {
		level = slog.LevelInfo
	}
	if logger := c.h.cfg.Logger; logger.Enabled(r.Context(), level) {
		attrs := append(c.attrs(r), slog.String("advice", string(*a)))
		if value != "" {
			attrs = append(attrs, slog.String("value", cut(value)))
		}
		logger.LogAttrs(r.Context(), level, "preview: advice", attrs...)
	}
}

// adviseURL looks at a URL that the service is to call.
func (c *call) adviseURL(r *http.Request, raw string, u *url.URL) {
	if netaddr.Private(u.Hostname()) {
		c.advise(r, &adviceHost, u.Host)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.advise(r, &adviceUnescaped, u.Host)
	}
}
