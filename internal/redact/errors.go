package redact

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Error returns err without secrets, and without user info, query and fragment of the
// URL in each *url.Error that it is or wraps. It never changes err.
//
// The result has the same meaning: errors.Is finds in it what it found in err, and
// Timeout returns the same. errors.As finds a new *url.Error for each one, and every
// other error whose text has no secret.
func Error(err error, secrets ...string) error {
	r := redactor{secrets: secrets}
	walk(err, func(e error) bool {
		if failed, ok := e.(*url.Error); ok && failed != nil { //nolint:errorlint // Each error of the tree by itself.
			r.secrets = append(slices.Clip(r.secrets), InURL(failed.URL)...)
			if failed.Op == parsing && failed.Err != nil {
				r.secrets = append(r.secrets, failed.Err.Error())
			}
		}
		return false
	})
	return r.clean(err)
}

// redactor has all the secrets that an error may contain.
type redactor struct{ secrets []string }

func (r redactor) text(s string) string { return Text(s, r.secrets...) }

// clean returns err itself if neither it nor anything that it wraps shows a secret.
func (r redactor) clean(err error) error {
	if err == nil || !r.shows(err) {
		return err
	}
	if failed, ok := err.(*url.Error); ok { //nolint:errorlint // What err wraps comes after.
		return r.rebuild(failed)
	}
	c := &cleaned{text: r.text(err.Error()), cause: err}
	for _, e := range unwrap(err) {
		c.inner = append(c.inner, r.clean(e))
	}
	return c
}

// rebuild makes a new *url.Error.
func (r redactor) rebuild(failed *url.Error) *url.Error {
	rebuilt := &url.Error{Op: r.text(failed.Op), URL: r.text(URL(failed.URL)), Err: r.clean(failed.Err)}
	if failed.Op == parsing && failed.Err != nil {
		rebuilt.Err = &cleaned{text: "not a valid address", cause: failed.Err}
	}
	return rebuilt
}

// parsing is the Op of url.Parse. Its cause quotes parts of the URL, such as half a
// password that it took for a port.
const parsing = "parse"

// shows reports whether a secret is in the text of err or of anything in it.
func (r redactor) shows(err error) bool {
	return walk(err, func(e error) bool {
		text := e.Error()
		return r.text(text) != text
	})
}

// walk visits err and all that it wraps, until visit returns true.
func walk(err error, visit func(error) bool) bool {
	if err == nil {
		return false
	}
	if visit(err) {
		return true
	}
	for _, e := range unwrap(err) {
		if walk(e, visit) {
			return true
		}
	}
	return false
}

func unwrap(err error) []error {
	switch wrapper := err.(type) { //nolint:errorlint // One step of the tree.
	case interface{ Unwrap() error }:
		return []error{wrapper.Unwrap()}
	case interface{ Unwrap() []error }:
		return wrapper.Unwrap()
	default:
		return nil
	}
}

// InURL returns the parts of a URL that give access: all that [URL] hides, and the values
// in the query, which a text may contain on their own.
func InURL(raw string) (secrets []string) {
	u, err := url.Parse(raw)
	if err != nil || URL(raw) == Hidden {
		secrets = append(secrets, raw)
	}
	rest, fragment, _ := strings.Cut(raw, "#")
	address, query, _ := strings.Cut(rest, "?")
	secrets = append(secrets, delimited("?", query, ""), delimited("#", fragment, ""))
	_, authority, _ := strings.Cut(address, "//")
	authority, _, _ = strings.Cut(authority, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		secrets = append(secrets, delimited("", authority[:at], "@"))
	}
	if u != nil && u.User != nil {
		if password, _ := u.User.Password(); len(password) > 1 { // one letter is in every text
			secrets = append(secrets, password)
		}
	}
	values, _ := url.ParseQuery(query) // what it could read
	for _, list := range values {
		for _, value := range list {
			if len(value) >= MinPart {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets
}

// delimited keeps a short part of a URL together with what it is delimited by.
func delimited(before, part, after string) string {
	if part == "" || len(part) >= MinPart {
		return part
	}
	return before + part + after
}

// cleaned replaces an error whose text shows a secret.
type cleaned struct {
	text  string
	cause error   // The error itself, for comparisons only.
	inner []error // What cause wraps, cleaned.
}

func (c *cleaned) Error() string { return c.text }

// Format keeps fmt from printing the fields of the cause, as %d and %#v would.
func (c *cleaned) Format(f fmt.State, verb rune) {
	if verb == 'q' || f.Flag('#') {
		_, _ = io.WriteString(f, strconv.Quote(c.text))
		return
	}
	_, _ = io.WriteString(f, c.text)
}

// Unwrap returns what the cause wraps.
func (c *cleaned) Unwrap() []error { return c.inner }

// Is compares with the cause, which shows none of its text.
func (c *cleaned) Is(target error) bool { return errors.Is(c.cause, target) }

// Timeout returns that of the cause.
func (c *cleaned) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(c.cause, &t) && t.Timeout()
}
