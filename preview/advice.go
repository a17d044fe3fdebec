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
type advice uint8

const (
	adviceHost advice = iota
	adviceUnescaped
	adviceVersion
	adviceFuture
	adviceCommentRead
	adviceCommentUpdate
	adviceExportUser
	adviceExportUsers
	adviceHTML
	advicePainter
	adviceWithoutRead
	adviceOtherUser
	adviceSavedSize
)

// advices says what to do.
var advices = [...]string{
	adviceHost:          "url: the host looks private, and the service fetches the document from the public network (protocol 2.5): give a public address that no firewall blocks",
	adviceUnescaped:     "url: it holds characters that have no place in an address, such as blanks or letters outside ASCII, which not every client escapes: escape them with url.PathEscape or url.QueryEscape",
	adviceVersion:       "version: it is above 2147483647, which parts of the service do not expect (public reference 3.3): count versions from 1, not by time",
	adviceFuture:        "create_time or modify_time lies more than a day ahead of the clock here: compare the clocks",
	adviceCommentRead:   "comment: 1 has no effect with read=1 and update=0 (protocol 2.6 rule 5): switch on comments in read-only mode in the console",
	adviceCommentUpdate: "comment: 0 has no effect with update=1 (protocol 2.6 rule 5): switch comments off in the console",
	adviceExportUser:    "user_id: without it, export as image ends in 'permission denied' although read=1 and download=1 (protocol 2.6 rule 6): set Permission.UserID, or Config.Identify",
	adviceExportUsers:   "download: export as image needs the users callback, and ends in 'permission denied' without it (protocol 2.6 rule 6): set Config.Users, and switch the callback on in the console",
	adviceHTML:          "copy: with 0, reading the document as HTML ends in 'permission denied' (protocol 2.6 rule 7): set Permission.Copy where your front end does so",
	advicePainter:       "copy: with 0 the format painter does not work (protocol 2.6 rule 8): set Permission.Copy if editors should have it",
	adviceWithoutRead:   "read: 0 beside flags that are 1, which are of no use to somebody who cannot open the document: set Permission.Read",
	adviceOtherUser:     "user_id: it is not the user that Config.Identify found: leave Permission.UserID empty, or let both name the same user",
	adviceSavedSize:     "size: it differs from the size that the service announced for the save: describe the bytes that were uploaded (public reference 5)",
}

// first reports whether a has not been given before.
func (h *Handler) first(a advice) bool {
	bit := uint32(1) << a
	return h.given.Load()&bit == 0 && h.given.Or(bit)&bit == 0
}

// advise logs a once, so that it is seen, and after that only at debug level, so
// that it is no line for each request.
func (c *call) advise(r *http.Request, a advice, value string) {
	level := slog.LevelDebug
	if c.h.first(a) {
		level = slog.LevelInfo
	}
	if logger := c.h.cfg.Logger; logger.Enabled(r.Context(), level) {
		attrs := append(c.attrs(r), slog.String("advice", advices[a]))
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
