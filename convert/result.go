package convert

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// Result is what a conversion made. It prints without the queries of addresses.
type Result struct {
	_ [0]func()

	// Its txts or pdfs, in their order, or where there are none its images or its
	// one flat address (public reference 1.1). Both lists are optional (protocol
	// 2.3), so it may be empty; how many texts there are for how many pages is not
	// shown.
	Files []File

	Elapsed      float64 // Duration. The protocol shows no unit; milliseconds by public reference 1.1.
	ResourceSize float64 // Size. The protocol shows no unit; bytes of the source by public reference 1.1.
}

// Format prints r without the queries of addresses, whatever the verb.
func (r Result) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%v elapsed:%g resource_size:%g}", r.Files, r.Elapsed, r.ResourceSize)
}

// LogValue logs what Format prints.
func (r Result) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// File is one converted file. It prints without the query of its URL, which is
// what gives access to it; its JSON form, for storing, has all of it.
type File struct {
	URL       string    `json:"url"`        // Where to download it, until ExpiresAt.
	Size      int64     `json:"size"`       // Bytes, which Download checks; -1 where the service reported none, or to check nothing.
	ExpiresAt time.Time `json:"expires_at"` // When the URL was reported, plus URLLifetime. Zero: not known.
}

// Format prints f without the query of its URL, whatever the verb.
func (f File) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%s %d %s}", redact.URL(f.URL), f.Size, f.ExpiresAt.Format(time.RFC3339))
}

// LogValue logs what Format prints.
func (f File) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(f)) }
