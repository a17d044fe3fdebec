package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
	"github.com/weboffice-go/weboffice/signing"
)

// Event is a message in a group chat that mentions the robot (protocol 2.10).
type Event struct {
	_        [0]func()
	ChatID   int64          // The conversation: chatid.
	SenderID int64          // Who wrote it: creator.
	Content  string         // As sent, the mention included: a stranger's text.
	Reply    *Quoted        // The message to which it is a reply, or nil.
	RobotKey signing.Secret // Key of the robot that was mentioned.
	Robot    string         // Its name, by ReceiverConfig.Names or Lookup.
	URL      string         // The callback URL, as it was entered in the chat client.
	CTime    int64          // When it was sent, as received; the unit is not known.
}

// Quoted is the earlier message to which an [Event] is a reply.
type Quoted struct {
	Content  string // reply_content
	SenderID int64  // reply_creator
}

// ID returns the same text for the same event, in every process: 32 hexadecimal
// digits, an HMAC-SHA256 of all fields under the robot key. Two messages of one
// person with the same words and the same CTime have the same ID.
func (e Event) ID() string {
	h := hmac.New(sha256.New, []byte(e.RobotKey.Reveal()))
	var b []byte
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) } //nolint:gosec // Its bits are all that counts.
	text := func(s string) { number(int64(len(s))); b = append(b, s...) }
	number(e.ChatID)
	number(e.SenderID)
	number(e.CTime)
	text(e.Content)
	text(e.URL)
	if e.Reply != nil {
		number(e.Reply.SenderID)
		text(e.Reply.Content)
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Text returns what was said to the robot: Content without white space around it and
// a mention at its beginning, which is an at tag, or "@" and a name up to white space, a
// comma or the like. For a name with spaces see [Event.TextTo].
func (e Event) Text() string {
	s := strings.TrimSpace(e.Content)
	if at, rest, ok := markup.CutAt(s); ok && at.Ended {
		return strings.TrimSpace(rest)
	}
	if !strings.HasPrefix(s, "@") {
		return s
	}
	return said(strings.TrimLeftFunc(s, func(r rune) bool { return !endsName(r) }))
}

// TextTo is [Event.Text] for a robot of that name, which may have spaces.
func (e Event) TextTo(name string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(e.Content), "@"+name)
	next, _ := utf8.DecodeRuneInString(rest)
	if ok && (rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next)) {
		return said(rest)
	}
	return e.Text()
}

// pauses are what may stand between a name and what is said to it.
const pauses = ",:;!?，：；！？、。"

func endsName(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(pauses, r) }

// said drops what separates a name from what follows.
func said(rest string) string { return strings.TrimSpace(strings.TrimLeftFunc(rest, endsName)) }

// LogValue logs the ID of e and where it comes from, and nothing of what was said.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("id", e.ID()), slog.Int64("chat", e.ChatID), slog.Int64("sender", e.SenderID)}
	if e.Robot != "" {
		attrs = append(attrs, slog.String("robot", e.Robot))
	}
	return slog.GroupValue(attrs...)
}
