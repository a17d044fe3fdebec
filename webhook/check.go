package webhook

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/signing"
)

// value turns a pointer to a message, which is a Message too, into the message, and
// a nil pointer into nil.
func value(m Message) Message {
	v := reflect.ValueOf(m)
	switch {
	case v.Kind() != reflect.Pointer:
		return m
	case v.IsNil():
		return nil
	default:
		return m.value()
	}
}

// violations returns every rule that m, which is no pointer, breaks: those of its
// type; or else at most limit characters, and one of keywords if there are any.
func violations(m Message, limit int, keywords []string) []*FieldError {
	var c checker
	if m == nil {
		c.add("Message", "is nil")
		return c.problems
	}
	if c = m.check(); c.problems != nil {
		return c.problems
	}
	texts := m.texts()
	if n := length(texts); n > limit {
		advice := "cut it with Split and send the pieces with SendAll"
		if doc, _ := m.cut(); doc == nil {
			advice = "send several, since Split does not cut it"
		}
		c.problems = append(c.problems, &FieldError{Field: m.field(), Err: ErrTooLong, Reason: fmt.Sprintf(
			"the message has %d characters, and at most %d may be sent (protocol 8): %s", n, limit, advice)})
	}
	if len(keywords) > 0 && !contains(texts, keywords) {
		c.problems = append(c.problems, &FieldError{Field: m.field(), Err: ErrNoKeyword, Reason: "none of the robot's keywords " +
			"is in the message, so that it would not be processed (protocol 7.3); SplitOptions.Label can carry one"})
	}
	return c.problems
}

// joinFields returns nil if there are none.
func joinFields(problems []*FieldError) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// checker collects problems.
type checker struct{ problems []*FieldError }

func (c *checker) add(field, reason string) {
	c.problems = append(c.problems, &FieldError{Field: field, Reason: reason})
}

func (c *checker) required(field, text, section string) {
	if strings.TrimSpace(text) == "" {
		c.add(field, "is required and must not be blank (protocol "+section+")")
	}
}

func (c *checker) notNegative(field string, n int64) {
	if n < 0 {
		c.add(field, "must not be negative")
	}
}

// isLocale reports whether s can be a locale: letters, digits and hyphens.
func isLocale(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	})
}

// Length returns how many characters of m count against MaxMessageLength: those
// of all its texts, markup included, and of a [Card] in all its languages.
// URLs do not count. Of a [Raw] every string counts, except its msgtype.
// What exactly the service counts is not known (protocol 8).
func Length(m Message) int {
	if m = value(m); m == nil {
		return 0
	}
	return length(m.texts())
}

func length(texts []string) int {
	n := 0
	for _, t := range texts {
		n += utf8.RuneCountInString(t)
	}
	return n
}

func contains(texts, keywords []string) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		return slices.ContainsFunc(keywords, func(k string) bool { return strings.Contains(t, k) })
	})
}

// appendStrings appends every string in a JSON value.
func appendStrings(all []string, v any) []string {
	switch v := v.(type) {
	case string:
		all = append(all, v)
	case []any:
		for _, e := range v {
			all = appendStrings(all, e)
		}
	case map[string]any:
		for _, e := range v {
			all = appendStrings(all, e)
		}
	}
	return all
}

// trimmed finds the most common mistake with a secret that comes from a file.
func (c *checker) trimmed(field string, s signing.Secret) {
	if text := s.Reveal(); strings.TrimSpace(text) != text {
		c.add(field, "begins or ends with white space, such as the line feed at the end of a file")
	}
}

func (c *checker) notNil(field string, isNil bool) {
	if isNil {
		c.add(field, "is a nil func or pointer; leave it out for the default")
	}
}
