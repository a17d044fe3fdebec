package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// value turns a pointer to a message, which is a Message too, into the message. A
// nil pointer is nil.
func value(m Message) Message {
	switch p := m.(type) {
	case *Text:
		return deref(p)
	case *Markdown:
		return deref(p)
	case *Link:
		return deref(p)
	case *Card:
		return deref(p)
	case *Raw:
		return deref(p)
	}
	return m
}

func deref[T Message](p *T) Message {
	if p == nil {
		return nil
	}
	return *p
}

// violations returns every rule that m breaks: those of its type, or else at most
// limit characters, and one of keywords where there are any.
func violations(m Message, limit int, keywords []string) []*FieldError {
	var c checker
	if c.message(m); c.problems != nil {
		return c.problems
	}
	field, texts := textField(m), texts(m)
	if n := length(texts); n > limit {
		advice := "cut it with Split and send the pieces with SendAll"
		if field == "Elements" || field == "Body" {
			advice = "send several, since Split does not cut it"
		}
		c.problems = append(c.problems, &FieldError{Field: field, Err: ErrTooLong, Reason: fmt.Sprintf(
			"the message has %d characters, and at most %d may be sent (protocol 8): %s", n, limit, advice)})
	}
	if len(keywords) > 0 && !contains(texts, keywords) {
		c.problems = append(c.problems, &FieldError{Field: field, Err: ErrNoKeyword, Reason: "none of the robot's keywords " +
			"is in the message, so that it would not be processed (protocol 7.3); SplitOptions.Label can carry one"})
	}
	return c.problems
}

// joinFields returns nil of none.
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

// message checks the fields of m against the rules of its type.
func (c *checker) message(m Message) {
	switch m := m.(type) {
	case nil:
		c.add("Message", "is nil")
	case Text:
		c.required("Content", m.Content, "2.7")
	case Markdown:
		c.required("Text", m.Text, "2.7")
	case Link:
		c.link(m)
	case Card:
		c.face("", m.Header, m.Elements)
		for _, locale := range slices.Sorted(maps.Keys(m.I18n)) {
			face := m.I18n[locale]
			field := "I18n[" + locale + "]."
			if !isLocale(locale) {
				field = "I18n[…]."
				c.add("I18n", `a key must be a locale such as "zh-TW" (protocol 2.9)`)
			}
			c.face(field, face.Header, face.Elements)
		}
	case Raw:
		if _, _, err := readObject(m.Body); err != nil {
			c.add("Body", "must be a JSON object with a msgtype (protocol 2.7)")
		}
	}
}

func (c *checker) required(field, text, section string) {
	if strings.TrimSpace(text) == "" {
		c.add(field, "is required and must not be blank (protocol "+section+")")
	}
}

func (c *checker) link(m Link) {
	c.required("Title", m.Title, "2.7")
	c.required("Text", m.Text, "2.7")
	switch u, err := url.Parse(m.URL); {
	case m.URL == "":
	case err != nil || !u.IsAbs():
		c.add("URL", "must be an absolute URL")
	case u.Scheme == "javascript" || u.Scheme == "vbscript" || u.Scheme == "data":
		c.add("URL", "must lead somewhere, and not hold what it shows or runs")
	}
	if n := utf8.RuneCountInString(m.ButtonTitle); n > MaxButtonTitleLength {
		c.add("ButtonTitle", fmt.Sprintf("has %d characters, and at most %d are allowed (protocol 8)", n, MaxButtonTitleLength))
	}
}

func (c *checker) face(prefix string, h CardHeader, elements []CardText) {
	c.required(prefix+"Header.Title.Text", h.Title.Text, "2.9")
	if len(elements) == 0 {
		c.add(prefix+"Elements", "a card needs at least one element (protocol 2.9)")
	}
	for i, e := range elements {
		c.required(fmt.Sprintf("%sElements[%d].Text", prefix, i), e.Text, "2.9")
	}
}

// isLocale reports whether s can be a locale: letters, digits and hyphens.
func isLocale(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	})
}

// textField names the field that holds the text of m.
func textField(m Message) string {
	switch m.(type) {
	case Text:
		return "Content"
	case Card:
		return "Elements"
	case Raw:
		return "Body"
	default:
		return "Text"
	}
}

// Length returns how many characters of m count against MaxMessageLength: those
// of all its texts, markup included, and of a [Card] in all its languages.
// Addresses do not count. Of a [Raw] every string counts, except its msgtype.
// What exactly the service counts is not known (protocol 8).
func Length(m Message) int { return length(texts(value(m))) }

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

// texts returns what a reader of m may get to see.
func texts(m Message) []string {
	switch m := m.(type) {
	case Text:
		return []string{m.Content}
	case Markdown:
		return []string{m.Text}
	case Link:
		return []string{m.Title, m.Text, m.ButtonTitle}
	case Card:
		all := faceTexts(m.Header, m.Elements)
		for _, face := range m.I18n {
			all = append(all, faceTexts(face.Header, face.Elements)...)
		}
		return all
	case Raw:
		return rawTexts(m.Body)
	default:
		return nil
	}
}

func faceTexts(h CardHeader, elements []CardText) []string {
	all := []string{h.Title.Text, h.Subtitle.Text}
	for _, e := range elements {
		all = append(all, e.Text)
	}
	return all
}

func rawTexts(body []byte) []string {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	delete(fields, "msgtype")
	return appendStrings(nil, fields)
}

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
