package webhook

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strconv"
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
	URL      string         // The callback URL, as entered in the chat client.
	CTime    int64          // When it was sent; the unit is not known.
}

// Quoted is the message to which an [Event] is a reply.
type Quoted struct {
	Content  string // reply_content
	SenderID int64  // reply_creator
}

// ID returns 32 hexadecimal digits that are the same in every process: an HMAC-SHA256 of
// all fields under the robot key. Two messages of one person with the same words and
// CTime have the same ID.
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
// comma or the like.
func (e Event) Text() string {
	s := strings.TrimSpace(e.Content)
	if at, rest, ok := markup.CutAt(s); ok && at.Ended {
		return said(rest)
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

// LogValue logs the ID and the origin of e, and nothing of what was said.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("id", e.ID()), slog.Int64("chat", e.ChatID), slog.Int64("sender", e.SenderID)}
	if e.Robot != "" {
		attrs = append(attrs, slog.String("robot", e.Robot))
	}
	return slog.GroupValue(attrs...)
}

// wireEvent is the payload of protocol 2.10. An event is delivered once, as far as is
// known, so it must not be lost for the form of a number, or of a field that is not
// needed.
type wireEvent struct {
	ChatID   text            `json:"chatid"`
	Creator  text            `json:"creator"`
	Content  string          `json:"content"`
	Reply    json.RawMessage `json:"reply"` // may have another form if there is none, such as []
	RobotKey string          `json:"robot_key"`
	URL      string          `json:"url"`
	CTime    text            `json:"ctime"`
}

type wireReply struct {
	Content string `json:"reply_content"`
	Creator text   `json:"reply_creator"`
}

// event fails if an id is not an integer.
func (w *wireEvent) event() (Event, error) {
	chat, err := w.ChatID.integer()
	sender, err2 := w.Creator.integer()
	at, _ := w.CTime.integer() // in an unknown unit; without its fraction, or 0
	e := Event{ChatID: chat, SenderID: sender, Content: w.Content, URL: w.URL, CTime: at}
	var reply wireReply
	if json.Unmarshal(w.Reply, &reply) == nil {
		creator, err := reply.Creator.integer()
		if err == nil && (reply.Content != "" || creator != 0) {
			e.Reply = &Quoted{Content: reply.Content, SenderID: creator}
		}
	}
	return e, cmp.Or(err, err2)
}

// integer reads an integer, also one as in 1.0 and 1e9. Nothing is 0. With the error for
// a fraction it returns the number without it.
func (t text) integer() (int64, error) {
	n, err := strconv.ParseInt(string(t), 10, 64)
	if err == nil || t == "" {
		return n, nil
	}
	const exact = 1 << 53 // beyond it, a float64 is not every integer
	f, err := strconv.ParseFloat(string(t), 64)
	if n = 0; math.Abs(f) <= exact {
		n = int64(f)
	}
	if err != nil || f != float64(n) {
		return n, errors.New("not an integer of 64 bits")
	}
	return n, nil
}
