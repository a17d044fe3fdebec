package signing

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a Secret shows of itself.
const hidden = "[secret]"

// Secret carries a text that nobody may see: an app key, a robot key, a signing
// secret, a token, a password. Every way of printing it gives "[secret]": all
// verbs of fmt, encoding/json and other text encoders, log/slog. In an
// unexported field of another struct, where fmt may not call methods, it shows
// as an address.
//
// The zero Secret is empty and prints as nothing. Secrets do not compile with
// ==, and are compared with [Secret.Equal]; a search for Reveal finds every
// place that reads one. A Secret is immutable and safe for concurrent use.
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

// IsZero reports whether there is no text in s.
func (s Secret) IsZero() bool { return s.p == nil }

// Equal reports whether both hold the same text, in a time that does not depend
// on where they differ.
func (s Secret) Equal(other Secret) bool {
	return sameText(s.Reveal(), other.Reveal())
}

// sameText is subtle.ConstantTimeCompare without a copy of either text.
func sameText(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	var differ byte
	for i := range len(a) {
		differ |= a[i] ^ b[i]
	}
	return subtle.ConstantTimeByteEq(differ, 0) == 1
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

// LogValue logs [Secret.String].
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes [Secret.String]: a Secret does not survive being stored.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes b as the text, as a configuration file has it. It refuses
// "[secret]", which is what MarshalText left of some other Secret.
func (s *Secret) UnmarshalText(b []byte) error {
	if string(b) == hidden {
		return errors.New(`signing: "[secret]" is what a Secret prints, not a secret: give the text itself`)
	}
	*s = NewSecret(string(b))
	return nil
}
