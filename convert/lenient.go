package convert

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// code is the code of an answer, and whether there is one.
type code struct {
	value   int
	present bool
}

// UnmarshalJSON takes an integer, also in quotes.
func (c *code) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(string(unquoted(b)))
	if err != nil {
		return nil // as if it were not there, which is no success
	}
	*c = code{value: n, present: true}
	return nil
}

// word is a text that may come as another type: a state is an integer in a second
// family of tasks, and a message may be null (public reference 1.1).
type word string

// UnmarshalJSON takes a string, nothing of null, and all else as it is written.
func (w *word) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		*w = ""
	case b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b): // a second pass would find nothing
		*w = word(b[1 : len(b)-1])
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*w = word(s)
	default:
		*w = word(b)
	}
	return nil
}

// number is a number, also in quotes, and whether there is one.
type number struct {
	value   float64
	present bool
}

// UnmarshalJSON takes nothing of null.
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	digits := unquoted(b)
	value, ok := smallInteger(digits)
	if !ok {
		var err error
		value, err = strconv.ParseFloat(string(digits), 64)
		if err != nil || !json.Valid(digits) { // such as NaN
			return errNotJSON
		}
	}
	*n = number{value: value, present: true}
	return nil
}

// smallInteger reads most of the numbers that there are, without an allocation.
func smallInteger(digits []byte) (value float64, ok bool) {
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = 10*value + float64(c-'0')
	}
	return value, true
}

func unquoted(b []byte) []byte {
	if len(b) >= 2 && b[0] == '"' {
		return b[1 : len(b)-1]
	}
	return b
}
