package preview

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// Format prints d without secrets.
func (d Download) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, d.text()) }

// LogValue logs what Format prints.
func (d Download) LogValue() slog.Value { return slog.StringValue(d.text()) }

func (d Download) text() string {
	digest := "no digest"
	if d.Digest != (Digest{}) {
		digest = string(d.Digest.Type) + ":" + d.Digest.Hex
	}
	return printed("Download", redact.URL(d.URL), digest, "headers "+keys(d.Header))
}

// Format prints a without secrets.
func (a UploadAddress) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, a.text()) }

// LogValue logs what Format prints.
func (a UploadAddress) LogValue() slog.Value { return slog.StringValue(a.text()) }

func (a UploadAddress) text() string {
	return printed("UploadAddress", a.Method, redact.URL(a.URL), "headers "+keys(a.Header), "params "+keys(a.Params), "send back "+keys(a.SendBack))
}

// Format prints u without secrets.
func (u UploadResult) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, u.text()) }

// LogValue logs what Format prints.
func (u UploadResult) LogValue() slog.Value { return slog.StringValue(u.text()) }

func (u UploadResult) text() string {
	return printed("UploadResult", strconv.Itoa(u.StatusCode), "headers "+keys(u.Header), "body "+strconv.Itoa(len(u.Body))+" bytes", "send back "+keys(u.SendBack))
}

// Format prints r without secrets.
func (r Request) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, r.text()) }

// LogValue logs what Format prints.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.text()) }

func (r Request) text() string {
	return printed("Request", "file "+strconv.Quote(r.FileID), "app "+strconv.Quote(r.AppID), "user "+strconv.Quote(r.UserID), "request "+strconv.Quote(r.RequestID))
}

func printed(name string, parts ...string) string {
	return name + "{" + strings.Join(parts, ", ") + "}"
}

func keys[V any](m map[string]V) string {
	return "[" + strings.Join(slices.Sorted(maps.Keys(m)), " ") + "]"
}

// Format prints the name of the type.
func (h *Handler) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "preview.Handler") }
