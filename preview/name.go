package preview

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// forbidden are the characters that a file name must not contain (protocol 2.4).
const forbidden = `\/|":*?<>`

// nameProblem says which rule of protocol 2.4 name breaks, if any.
func nameProblem(name string) string {
	switch {
	case name == "":
		return "protocol 2.4: required"
	case !utf8.ValidString(name):
		return "protocol 2.4: UTF-8"
	case strings.ContainsAny(name, forbidden):
		return `protocol 2.4: none of \ / | " : * ? < >`
	case utf8.RuneCountInString(name) > MaxFileNameLength:
		return "protocol 2.4: at most 240 characters"
	default:
		return ""
	}
}

// CheckName checks a file name: not empty, UTF-8, at most [MaxFileNameLength]
// characters, and none of \ / | " : * ? < > (protocol 2.4). The error is a [*RuleError].
func CheckName(name string) error {
	if rule := nameProblem(name); rule != "" {
		return broken("name", rule, name)
	}
	return nil
}

// CleanName turns any text into a name that [CheckName] accepts: what is forbidden or
// invisible becomes an underscore, as do an empty name, "." and "..". A name that is too
// long keeps its extension. Two names may become the same.
func CleanName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || isDirectional(r) || strings.ContainsRune(forbidden, r) {
			return '_'
		}
		return r
	}, name)
	switch clean {
	case "", ".":
		return "_"
	case "..":
		return "__"
	}
	return shorten(clean)
}

// isDirectional reports whether r turns the direction of what follows.
func isDirectional(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// maxExtension is the length of the longest extension; longer ones are text after a dot.
const maxExtension = 16

func shorten(name string) string {
	runes := []rune(name)
	if len(runes) <= MaxFileNameLength {
		return name
	}
	extension := []rune(path.Ext(name))
	if len(extension) > maxExtension+1 {
		extension = nil
	}
	end := MaxFileNameLength - len(extension)
	for end > 1 && joined(runes[end-1], runes[end]) {
		end--
	}
	return string(runes[:end]) + string(extension)
}

// joined reports whether a cut between the two would leave half a character as
// readers see it: a letter without its accent, or a part of an emoji.
func joined(before, after rune) bool {
	const joiner, firstTone, lastTone = '\u200d', '\U0001f3fb', '\U0001f3ff'
	return before == joiner || after == joiner || unicode.Is(unicode.M, after) || after >= firstTone && after <= lastTone
}

// DefaultCheckID accepts 1 to
// [MaxFileIDLength] ASCII letters, digits and underscores, not beginning with an
// underscore (protocol 8, public reference 0.10).
func DefaultCheckID(fileID string) error {
	rule := ""
	switch {
	case fileID == "":
		rule = "protocol 2.4: required"
	case len(fileID) > MaxFileIDLength:
		rule = "protocol 2.4: at most 47 characters"
	case fileID[0] == '_':
		rule = "public reference 0.10: no underscore first" + setCheckID
	case strings.ContainsFunc(fileID, notWord):
		rule = "public reference 0.10: letters, digits and underscores" + setCheckID
	default:
		return nil
	}
	return broken("id", rule, fileID)
}

const setCheckID = "; set Config.CheckID to accept other ids"

func notWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// maxValue is how many bytes of a value go into an error or a log.
const maxValue = 80

// cut shortens what a store or a caller gave to what a log should hold.
func cut(s string) string { return redact.Cut(s, maxValue) }
