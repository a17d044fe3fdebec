package token

import (
	"bytes"
	"encoding/json"
	"net/http"
	"unicode/utf8"
)

// field is a string member of a JSON object.
type field struct {
	name  string
	value string
	seen  int
	wrong bool // it is there, and no string
}

// problem says what is wrong with f, or nothing.
func (f *field) problem() string {
	switch {
	case f.seen == 0:
		return "is missing"
	case f.seen > 1:
		return "is given more than once"
	case f.wrong:
		return "must be a string"
	case f.value == "":
		return "is empty"
	default:
		return ""
	}
}

// readFields reads body, which must be one JSON object in UTF-8, and finds fields
// among its members. encoding/json would take "App_Id" for "app_id", and the last
// of two members of one name.
func readFields(body []byte, fields []field) error {
	if !json.Valid(body) || !utf8.Valid(body) {
		return malformed(http.StatusBadRequest, "the body is not JSON", nil)
	}
	s := scanner{bytes.TrimLeft(body, space)}
	if s.rest[0] != '{' {
		return malformed(http.StatusBadRequest, "the body is not a JSON object", nil)
	}
	for s.skip(); s.rest[0] != '}'; {
		name := s.value()
		s.skip() // ":"
		raw := s.value()
		if s.rest[0] == ',' {
			s.skip()
		}
		for i := range fields {
			if named(name, fields[i].name) {
				fields[i].take(raw)
			}
		}
	}
	return nil
}

func (f *field) take(raw []byte) {
	f.seen++
	f.value, f.wrong = text(raw)
}

// text is the text of a JSON value, which must be a string.
func text(raw []byte) (s string, wrong bool) {
	if raw[0] != '"' {
		return "", true
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), false
	}
	return unescaped(raw)
}

func unescaped(raw []byte) (s string, wrong bool) {
	err := json.Unmarshal(raw, &s)
	return s, err != nil
}

// named reports whether a member's name, as it is written, is name.
func named(raw []byte, name string) bool {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1:len(raw)-1]) == name
	}
	s, _ := unescaped(raw)
	return s == name
}

const space = " \t\r\n"

// scanner walks over JSON that is known to be valid.
type scanner struct{ rest []byte }

// skip leaves one character of punctuation behind, and the space after it.
func (s *scanner) skip() { s.rest = bytes.TrimLeft(s.rest[1:], space) }

// value takes the next value and leaves the space after it behind.
func (s *scanner) value() []byte {
	end := 0
	switch s.rest[0] {
	case '"':
		end = quoted(s.rest)
	case '{', '[':
		end = nested(s.rest)
	default:
		end = bytes.IndexAny(s.rest, ",}"+space)
	}
	raw := s.rest[:end]
	s.rest = bytes.TrimLeft(s.rest[end:], space)
	return raw
}

// quoted is the length of the string at the start of b.
func quoted(b []byte) int {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// nested is the length of the object or array at the start of b.
func nested(b []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			i += quoted(b[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}
