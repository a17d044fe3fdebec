package signing

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"
)

// SchemeSVC2 is the first word of an application's Authorization (protocol 5.1).
const SchemeSVC2 = "SVC-2"

// Credentials are the id and the secret of an application ([App]) or a robot ([Robot]).
// The zero Credentials are invalid.
type Credentials struct {
	robot  bool
	scheme string
	id     Secret // app id or robot key
	secret Secret // app key or signing secret
}

// App returns the credentials of an application, whose Authorization is "SVC-2:<app
// id>:<signature>" (protocol 5.1).
func App(appID string, appKey Secret) Credentials {
	return AppWithScheme(SchemeSVC2, appID, appKey)
}

// AppWithScheme is [App] for a deployment with another scheme (public reference 0.1).
func AppWithScheme(scheme, appID string, appKey Secret) Credentials {
	return Credentials{scheme: scheme, id: NewSecret(appID), secret: appKey}
}

// Robot returns the credentials of a group robot, whose Authorization is "<robot
// key>:<signature>" (protocol 5.2).
func Robot(robotKey, signingSecret Secret) Credentials {
	return Credentials{robot: true, id: robotKey, secret: signingSecret}
}

// IsZero reports whether c is the zero Credentials.
func (c Credentials) IsZero() bool {
	return !c.robot && c.scheme == "" && c.id.IsZero() && c.secret.IsZero()
}

// Caller returns the caller that signs with c.
func (c Credentials) Caller() Caller {
	if c.robot {
		return Caller{RobotKey: c.id}
	}
	return Caller{AppID: c.id.Reveal()}
}

// String returns "<scheme>:<app id>", "robot", or "" for the zero Credentials.
func (c Credentials) String() string {
	switch {
	case c.robot:
		return "robot"
	case c.IsZero():
		return ""
	default:
		return c.scheme + ":" + c.id.Reveal()
	}
}

// Format prints String for every verb.
func (c Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue returns String.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Caller is the application or the robot that signed a request; zero by [Unsigned].
type Caller struct {
	AppID    string // Empty for a robot.
	RobotKey Secret // Zero for an application.
}

type callerKey struct{}

// CallerFrom returns the caller that [Verifier.Middleware] verified.
func CallerFrom(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// problems returns what is wrong with c. A part of Authorization cannot contain a ":"
// (protocol 5.2 rule 3). A secret may contain anything, but white space at its ends is
// nearly always the line feed of a file, and then no signature would match.
func (c Credentials) problems() []error {
	var errs []error
	add := func(what string) { errs = append(errs, errors.New("signing: credentials: "+what)) }
	part := func(name, value, hint string) {
		if value == "" {
			add(name + " is empty" + hint)
		} else if !headerSafe(value) {
			add(name + ` must be printable ASCII without ":" or spaces`)
		}
	}
	idName, secretName := "robot key", "signing secret"
	if !c.robot {
		idName, secretName = "app id", "app key"
		part("scheme", c.scheme, ": use App, or name it in AppWithScheme")
	}
	part(idName, c.id.Reveal(), "")
	switch secret := c.secret.Reveal(); {
	case secret == "":
		add(secretName + " is empty")
	case strings.TrimSpace(secret) != secret || strings.ContainsFunc(secret, unicode.IsControl):
		add(secretName + " has leading or trailing white space or a control character, such as the line feed at the end of a file: remove it")
	}
	return errs
}

// headerSafe reports whether s can be a part of Authorization.
func headerSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' })
}

// hidden is what a Secret prints.
const hidden = "[secret]"

// Secret holds a text that must not be shown, such as an app key, a token or a
// password. By fmt, text encoders such as encoding/json, and log/slog it is "[secret]";
// in an unexported field, for which fmt calls no methods, a memory address.
// [Secret.Reveal] is the one way to read it. The zero Secret is empty. Secrets cannot be
// compared with ==.
type Secret struct {
	_ [0]func()
	p *string // fmt prints the bytes of a string field, but only the address of this
}

// NewSecret of the empty string is the zero Secret.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{p: &s}
}

// Reveal returns the text itself.
func (s Secret) Reveal() string {
	if s.p == nil {
		return ""
	}
	return *s.p
}

// IsZero reports whether s is empty.
func (s Secret) IsZero() bool { return s.p == nil }

// Equal compares the texts in constant time.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

func (s Secret) String() string {
	if s.p == nil {
		return ""
	}
	return hidden
}

// Format prints String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes "[secret]": JSON loses a Secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text itself. "[secret]" is an error.
func (s *Secret) UnmarshalText(b []byte) error {
	if string(b) == hidden {
		return errors.New(`signing: "[secret]" is what a Secret prints, not a secret: give the text itself`)
	}
	*s = NewSecret(string(b))
	return nil
}
