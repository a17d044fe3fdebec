package signing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"
)

// SchemeSVC2 is the first word of an application's Authorization (protocol 5.1).
const SchemeSVC2 = "SVC-2"

// Credentials are the id and the secret of an application or a robot. [App],
// [AppWithScheme] and [Robot] make them. They print as their [Credentials.String]. The
// zero Credentials are invalid.
type Credentials struct {
	robot  bool
	scheme string
	id     Secret // app id or robot key
	secret Secret // app key or signing secret
}

// App returns the credentials of an application, whose Authorization is
// "SVC-2:<app id>:<signature>" (protocol 5.1).
func App(appID string, appKey Secret) Credentials {
	return AppWithScheme(SchemeSVC2, appID, appKey)
}

// AppWithScheme is [App] for a deployment that uses another scheme than "SVC-2". The
// signature itself is the same (public reference 0.1).
func AppWithScheme(scheme, appID string, appKey Secret) Credentials {
	return Credentials{scheme: scheme, id: NewSecret(appID), secret: appKey}
}

// Robot returns the credentials of a group robot whose signature check is on. Its
// Authorization is "<robot key>:<signature>" (protocol 5.2).
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

// String returns "<scheme>:<app id>" for an application, "robot" for a robot, and "" for
// the zero Credentials.
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

// Format prints [Credentials.String], whatever the verb and its flags.
func (c Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue returns what [Credentials.String] does.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Caller is the application or the robot that signed a request. It is zero if requests
// are not verified ([Unsigned]).
type Caller struct {
	AppID    string // Id of an application; empty for a robot.
	RobotKey Secret // Key of a robot; zero for an application.
}

type callerKey struct{}

// CallerFrom returns the caller that [Verifier.Middleware] verified, from the context of
// the request.
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
	idName, secretName := "app id", "app key"
	if c.robot {
		idName, secretName = "robot key", "signing secret"
	}
	if !c.robot {
		if c.scheme == "" {
			add("scheme is empty: use App, or name it in AppWithScheme")
		} else if !headerSafe(c.scheme) {
			add(`scheme must be printable ASCII without ":" or spaces`)
		}
	}
	if c.id.IsZero() {
		add(idName + " is empty")
	} else if !headerSafe(c.id.Reveal()) {
		add(idName + ` must be printable ASCII without ":" or spaces`)
	}
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
