package convert

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// Result is what a conversion made. Printed, it lacks the queries of addresses.
type Result struct {
	_ [0]func()

	// What the answer lists as txts or pdfs, in its order; where it has neither,
	// its images or its one flat address (public reference 1.1). Both lists are
	// optional (protocol 2.3), so Files may be empty. How many texts come of how
	// many pages is not known.
	Files []File

	Elapsed      float64 // How long it took, in milliseconds by public reference 1.1; the protocol names no unit.
	ResourceSize float64 // Size of the source, in bytes by public reference 1.1; the protocol names no unit.
}

// Format prints r without the queries of addresses, whatever the verb.
func (r Result) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%v elapsed:%g resource_size:%g}", r.Files, r.Elapsed, r.ResourceSize)
}

// LogValue logs what Format prints.
func (r Result) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// File is one result of a conversion. Printed, it lacks the query of its URL,
// since that gives access; its JSON form, which is for storing, is complete.
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
