package markdown

import (
	"cmp"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// MentionUser mentions the user with an id (protocol 2.7). If name is empty, the service
// adds the name. MentionUser never mentions everyone: an invalid id, such as "-1" or one with
// quotes, leaves only the name as text.
func MentionUser(userID, name string) Inline {
	first, _ := utf8.DecodeRuneInString(userID)
	if !isAttribute(userID) || !unicode.IsLetter(first) && !unicode.IsDigit(first) { // "-1" is everyone, and so might be "-01"
		return Join(cmp.Or(name, userID))
	}
	return mention(`user_id="`+userID+`"`, name)
}

// MentionEmail mentions the user with an e-mail address; see [MentionUser].
func MentionEmail(email, name string) Inline {
	local, domain, _ := strings.Cut(email, "@")
	if local == "" || domain == "" || strings.Contains(domain, "@") || !isAttribute(email) {
		return Join(cmp.Or(name, email))
	}
	return mention(`email="`+email+`"`, name)
}

// MentionAll mentions everyone in the group. If name is empty, the service adds one.
func MentionAll(name string) Inline {
	return mention(`user_id="-1"`, name)
}

func mention(attr, name string) Inline {
	b := appendClean([]byte(element(markMention, attr).s), name)
	return Inline{string(append(b, markMentionEnd))}
}

// isAttribute reports whether s may stand between the quotes of an attribute, however it
// is read.
func isAttribute(s string) bool {
	if !utf8.ValidString(s) || strings.ContainsAny(s, "\"<>\\`;&[]") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
}

// Mention is an at tag in a message. One of UserID, Email and All is set.
type Mention struct {
	UserID string // Empty when everyone is mentioned.
	Email  string
	All    bool   // The tag has the user id "-1".
	Name   string // What the tag shows, without escapes; empty if the service fills it in.
}

// Mentions returns the at tags in a message, of markdown or plain text. It is as tolerant as
// a service could be of upper case, missing quotes, a preceding backslash and a missing end
// tag. A tag with neither a user id nor an e-mail address is skipped.
func Mentions(s string) []Mention {
	var ms []Mention
	for i := strings.IndexByte(s, '<'); i >= 0; i = strings.IndexByte(s, '<') {
		at, rest, ok := markup.CutAt(s[i:])
		switch {
		case !ok:
			rest = s[i+1:]
		case at.UserID == "-1":
			ms = append(ms, Mention{All: true, Name: unescape(at.Name)})
		case at.UserID != "" || at.Email != "":
			ms = append(ms, Mention{UserID: at.UserID, Email: at.Email, Name: unescape(at.Name)})
		}
		s = rest
	}
	return ms
}

// unescape undoes the escapes of markdown and of plain text.
func unescape(s string) string {
	if !strings.ContainsAny(s, "\\&"+joiner) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && markup.IsPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case c == '&' && markup.Entity(s[i:]) > 0:
			n := markup.Entity(s[i:])
			b.WriteString(html.UnescapeString(s[i : i+n]))
			i += n
			if strings.HasPrefix(s[i:], joiner) && strings.ContainsAny(s[i-n:i], "lLmM") { // of &lt; or &amp;
				i += len(joiner)
			}
		case (c == '<' || c == '&' || c == '\\') && strings.HasPrefix(s[i+1:], joiner):
			b.WriteByte(c)
			i += 1 + len(joiner)
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}
