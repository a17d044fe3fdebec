package preview

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// Format hides secrets.
func (d Download) Format(s fmt.State, _ rune) { printValue(s, d) }

// LogValue hides secrets.
func (d Download) LogValue() slog.Value {
	digest := "no digest"
	if d.Digest != (Digest{}) {
		digest = string(d.Digest.Type) + ":" + d.Digest.Hex
	}
	return printed("Download{%s, %s, headers %s}", redact.URL(d.URL), digest, keys(d.Header))
}

// Format hides secrets.
func (a UploadAddress) Format(s fmt.State, _ rune) { printValue(s, a) }

// LogValue hides secrets.
func (a UploadAddress) LogValue() slog.Value {
	return printed("UploadAddress{%s, %s, headers %s, params %s, send back %s}", a.Method, redact.URL(a.URL), keys(a.Header), keys(a.Params), keys(a.SendBack))
}

// Format hides secrets.
func (u UploadResult) Format(s fmt.State, _ rune) { printValue(s, u) }

// LogValue hides secrets.
func (u UploadResult) LogValue() slog.Value {
	return printed("UploadResult{%d, headers %s, body %d bytes, send back %s}", u.StatusCode, keys(u.Header), len(u.Body), keys(u.SendBack))
}

// Format hides secrets.
func (r Request) Format(s fmt.State, _ rune) { printValue(s, r) }

// LogValue hides secrets.
func (r Request) LogValue() slog.Value {
	return printed("Request{file %q, app %q, user %q, request %q}", r.FileID, r.AppID, r.UserID, r.RequestID)
}

// Format hides the Config.
func (h *Handler) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "preview.Handler") }

func printValue(s fmt.State, v slog.LogValuer) { _, _ = io.WriteString(s, v.LogValue().String()) }

func printed(format string, args ...any) slog.Value {
	return slog.StringValue(fmt.Sprintf(format, args...))
}

func keys[V any](m map[string]V) string {
	return "[" + strings.Join(slices.Sorted(maps.Keys(m)), " ") + "]"
}
