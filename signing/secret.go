package signing

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a Secret prints.
const hidden = "[secret]"

// Secret holds a text that must not be shown: an app key, a robot key, a signing
// secret, a token, a password. However it is printed, it shows "[secret]": by all verbs
// of fmt, by encoding/json and other text encoders, by log/slog. In an unexported field
// of another struct, for which fmt calls no methods, it shows a memory address.
//
// The zero Secret is empty and prints as nothing. Secrets cannot be compared with ==;
// use [Secret.Equal]. A search for Reveal finds every place that reads one. A Secret is
// immutable and safe for concurrent use.
type Secret struct {
	_ [0]func()
	p *string // fmt prints the bytes of a string field, but only the address of this
}

// NewSecret wraps s. The empty string gives the zero Secret.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{p: &s}
}

// Reveal returns the text itself. Nothing else does.
func (s Secret) Reveal() string {
	if s.p == nil {
		return ""
	}
	return *s.p
}

// IsZero reports whether s is empty.
func (s Secret) IsZero() bool { return s.p == nil }

// Equal reports whether both contain the same text. Its time does not depend on where
// they differ.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns "[secret]", and "" for the zero Secret.
func (s Secret) String() string {
	if s.p == nil {
		return ""
	}
	return hidden
}

// Format prints [Secret.String], whatever the verb and its flags.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns what [Secret.String] does.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes [Secret.String]: a Secret is lost if it is stored as JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text itself, as a configuration file contains it. "[secret]"
// is an error: it is what MarshalText made of some other Secret.
func (s *Secret) UnmarshalText(b []byte) error {
	if string(b) == hidden {
		return errors.New(`signing: "[secret]" is what a Secret prints, not a secret: give the text itself`)
	}
	*s = NewSecret(string(b))
	return nil
}
