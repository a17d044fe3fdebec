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

// value returns the message that m points to, or m itself. Of a nil pointer it is nil.
func value(m Message) Message {
	v := reflect.Indirect(reflect.ValueOf(m))
	if !v.IsValid() {
		return nil
	}
	m, _ = reflect.TypeAssert[Message](v)
	return m
}

// checker collects the rules that something breaks, as *FieldErrors.
type checker struct {
	prefix   string // of the names of fields
	problems []error
}

// err returns nil if there are no problems.
func (c *checker) err() error { return errors.Join(c.problems...) }

func (c *checker) add(field, reason string) { c.fail(field, reason, nil) }

func (c *checker) when(bad bool, field, reason string) {
	if bad {
		c.add(field, reason)
	}
}

func (c *checker) fail(field, reason string, err error) {
	c.problems = append(c.problems, &FieldError{Field: c.prefix + field, Reason: reason, Err: err})
}

// message finds every rule that m breaks: those of its type; or else at most limit
// characters, and one of keywords if there are any.
func (c *checker) message(m Message, limit int, keywords []string) {
	before := len(c.problems)
	if m = value(m); m == nil {
		c.add("Message", "is nil")
		return
	}
	if m.check(c); len(c.problems) > before {
		return
	}
	texts := m.texts()
	if n := length(texts); n > limit {
		advice := "cut it with Split and send the pieces with SendAll"
		if doc, _ := m.cut(); doc == nil {
			advice = "send several, since Split does not cut it"
		}
		c.fail(m.field(), fmt.Sprintf("the message has %d characters, and at most %d may be sent (protocol 8): %s", n, limit, advice), ErrTooLong)
	}
	if len(keywords) > 0 && !contains(texts, keywords) {
		c.fail(m.field(), "none of the robot's keywords is in the message, so that it would not be processed (protocol 7.3); "+
			"SplitOptions.Label can carry one", ErrNoKeyword)
	}
}

func (c *checker) required(field, text, section string) {
	if strings.TrimSpace(text) == "" {
		c.add(field, "is required and must not be blank (protocol "+section+")")
	}
}

func (c *checker) notNegative(field string, n int64) {
	c.when(n < 0, field, "must not be negative")
}

// Length returns how many characters of m count against MaxMessageLength: those of all
// texts, markup included, but not its URL; of a [Card] those of all languages, and of a
// [Raw] every string except its msgtype. What exactly the service counts is not known
// (protocol 8).
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
	text := s.Reveal()
	c.when(strings.TrimSpace(text) != text, field, "begins or ends with white space, such as the line feed at the end of a file")
}

func (c *checker) notNil(field string, v any) {
	r := reflect.ValueOf(v)
	c.when((r.Kind() == reflect.Pointer || r.Kind() == reflect.Func) && r.IsNil(), field, "is a nil func or pointer; leave it out for the default")
}
