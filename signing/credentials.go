package signing

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// SchemeSVC2 is the first word of an application's Authorization (protocol 5.1).
const SchemeSVC2 = "SVC-2"

// Credentials are one party's id and secret, and the form in which they sign.
// [App], [AppWithScheme] and [Robot] make them. They print as their
// [Credentials.String]. The zero Credentials are nobody's.
type Credentials struct {
	robot  bool
	scheme string
	id     Secret // app id or robot key
	secret Secret // app key or signing secret
}

// App gives the credentials of an application, whose Authorization reads
// "SVC-2:<app id>:<signature>" (protocol 5.1).
func App(appID string, appKey Secret) Credentials {
	return AppWithScheme(SchemeSVC2, appID, appKey)
}

// AppWithScheme is [App] for a deployment that puts another word before the app
// id; the signature itself does not change (public reference 0.1).
func AppWithScheme(scheme, appID string, appKey Secret) Credentials {
	return Credentials{scheme: scheme, id: NewSecret(appID), secret: appKey}
}

// Robot gives the credentials of a group robot whose signature check is on. Its
// Authorization reads "<robot key>:<signature>" (protocol 5.2).
func Robot(robotKey, signingSecret Secret) Credentials {
	return Credentials{robot: true, id: robotKey, secret: signingSecret}
}

// IsZero reports whether c is the zero Credentials.
func (c Credentials) IsZero() bool {
	return !c.robot && c.scheme == "" && c.id.IsZero() && c.secret.IsZero()
}

// Caller returns who signs with c.
func (c Credentials) Caller() Caller {
	if c.robot {
		return Caller{RobotKey: c.id}
	}
	return Caller{AppID: c.id.Reveal()}
}

// String returns "<scheme>:<app id>" of an application, "robot" of a robot, and
// "" of nobody.
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

// LogValue logs [Credentials.String].
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Caller is who signed a request: an application or a robot. The zero Caller is
// nobody, and stands for everybody where requests are not verified ([Unsigned]).
type Caller struct {
	AppID    string // Id of an application; empty for a robot.
	RobotKey Secret // Key of a robot; zero for an application.
}

// problems lists what keeps c from signing. The form of Authorization leaves no
// room for a ":" within its parts (protocol 5.2 rule 3).
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
	if c.secret.IsZero() {
		add(secretName + " is empty")
	}
	return errs
}

// headerSafe reports whether s can be one part of Authorization as it is.
func headerSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' })
}

// is reports whether id names c, in constant time: a robot key is a secret.
func (c Credentials) is(id string) bool { return sameText(c.id.Reveal(), id) }
