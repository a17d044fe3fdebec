package previewtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// object is a JSON object of an answer, and the rules that its fields are held to.
type object struct {
	a       *answer
	at      string // Where it is, with a dot, if it is one of a list.
	fields  map[string]json.RawMessage
	missing string // The rule that a required field breaks by not being there.
	kind    string // The rule that a field of the wrong type breaks.
}

// read reads o from raw. It notes that rule is broken if raw is not an object.
func (o *object) read(at string, raw json.RawMessage, rule string) bool {
	if err := json.Unmarshal(raw, &o.fields); err != nil || o.fields == nil {
		o.a.broken(rule, at, "is "+described(raw)+", not an object")
		return false
	}
	return true
}

// broken notes a rule that a field breaks.
func (o object) broken(rule, name, detail string) { o.a.broken(rule, o.at+name, detail) }

// text reads a string. One that is required must not be empty.
func (o object) text(name string, required bool) string {
	raw, there := o.fields[name]
	if !there {
		if required {
			o.broken(o.missing, name, "is missing")
		}
		return ""
	}
	s, ok := o.decoded(name, raw)
	if ok && s == "" && required {
		o.broken(o.missing, name, "is empty")
	}
	return s
}

// decoded is the string raw. json replaces half a surrogate pair, which is not a character.
func (o object) decoded(name string, raw json.RawMessage) (string, bool) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		o.broken(o.kind, name, "is "+described(raw)+", not a string")
		return "", false
	}
	replaced := strings.Count(*s, "\ufffd")
	if utf8.Valid(raw) && replaced > bytes.Count(raw, []byte("\ufffd"))+bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`)) {
		o.broken(RuleJSON, name, "has half a surrogate pair")
	}
	return *s, true
}

// integer reads an integer that is required, and reports whether there was one, if
// only as a string.
func (o object) integer(name string) (int64, bool) {
	raw, there := o.fields[name]
	if !there {
		o.broken(o.missing, name, "is missing")
		return 0, false
	}
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil || raw[0] == '"' {
		o.broken(o.kind, name, "is "+described(raw)+", not an integer")
	}
	return n, err == nil
}

// flag reads 0 or 1. It takes true for 1, after it noted the broken rule.
func (o object) flag(name string) bool {
	raw := o.fields[name]
	switch string(raw) {
	case "", "0": // Left out, it is 0.
		return false
	case "1":
		return true
	}
	o.broken(RuleFlags, name, "is "+described(raw))
	return string(raw) == "true"
}

// texts reads an object of strings, or nil if it is missing.
func (o object) texts(name, rule string) map[string]string {
	raw, there := o.fields[name]
	if !there {
		return nil
	}
	in := object{a: o.a, at: o.at + name + ".", kind: rule}
	if !in.read(o.at+name, raw, rule) {
		return nil
	}
	texts := make(map[string]string, len(in.fields))
	for _, key := range slices.Sorted(maps.Keys(in.fields)) {
		if text, ok := in.decoded(shown(key), in.fields[key]); ok {
			texts[key] = text
		}
	}
	return texts
}

// shown is what an AnswerError says of a text.
func shown(text string) string { return redact.Cut(text, 200) }

// described says what kind of JSON value raw is, without a text that it holds.
func described(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "missing"
	}
	switch raw[0] {
	case 'n', 't', 'f':
		return string(raw)
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	default:
		return "the number " + string(raw[:min(len(raw), 40)])
	}
}
