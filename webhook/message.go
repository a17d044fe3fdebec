package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// Message is what a robot can post: [Text], [Markdown], [Link], [Card] or [Raw]. A
// switch needs a default: members may be added.
type Message interface { //nolint:interfacebloat // It is sealed: no user implements it.
	check(*checker)  // Finds every rule of its type that it breaks.
	field() string   // Names the field that holds its text.
	texts() []string // Everything that a reader may see.
	encode() []byte  // The body to post.

	// What Split cuts, and the message with another text in its place. A nil doc
	// cannot be cut.
	cut() (doc *split.Doc, with func(text string) Message)
}

// Text is plain text (protocol 2.7), in which at tags mention people. Package
// markdown's Plain writes it, and makes text of users inert.
type Text struct {
	_       [0]func()
	Content string // Required.
}

func (m Text) check(c *checker) { c.required("Content", m.Content, "2.7") }
func (Text) field() string      { return "Content" }
func (m Text) texts() []string  { return []string{m.Content} }
func (m Text) encode() []byte   { return marshal("text", wireText(m)) }

func (m Text) cut() (*split.Doc, func(string) Message) {
	return split.Plain(m.Content), func(text string) Message { return Text{Content: text} }
}

// Markdown is text in the markdown subset of the service (protocol 2.7, 2.8).
// Package markdown's Builder writes it.
type Markdown struct {
	_    [0]func()
	Text string // Required.
}

func (m Markdown) check(c *checker) { c.required("Text", m.Text, "2.7") }
func (Markdown) field() string      { return "Text" }
func (m Markdown) texts() []string  { return []string{m.Text} }
func (m Markdown) encode() []byte   { return marshal("markdown", wireMarkdown(m)) }

func (m Markdown) cut() (*split.Doc, func(string) Message) {
	return split.Markdown(m.Text), func(text string) Message { return Markdown{Text: text} }
}

// Link is a title, a text and a button that opens a URL (protocol 2.7).
type Link struct {
	_           [0]func()
	Title       string // Required. Plain text.
	Text        string // Required. Markdown.
	URL         string // What the button opens: an absolute URL, but not javascript: or data:. Optional.
	ButtonTitle string // At most MaxButtonTitleLength characters. If empty, the service writes its own.
}

func (Link) field() string     { return "Text" }
func (m Link) texts() []string { return []string{m.Title, m.Text, m.ButtonTitle} }
func (m Link) encode() []byte  { return marshal("link", wireLink(m)) }

func (m Link) check(c *checker) {
	c.required("Title", m.Title, "2.7")
	c.required("Text", m.Text, "2.7")
	switch u, err := url.Parse(m.URL); {
	case m.URL == "":
	case err != nil || !u.IsAbs():
		c.add("URL", "must be an absolute URL")
	case u.Scheme == "javascript" || u.Scheme == "vbscript" || u.Scheme == "data":
		c.add("URL", "must lead to a page or an app, not hold code or data")
	}
	if n := utf8.RuneCountInString(m.ButtonTitle); n > MaxButtonTitleLength {
		c.add("ButtonTitle", fmt.Sprintf("has %d characters, and at most %d are allowed (protocol 8)", n, MaxButtonTitleLength))
	}
}

func (m Link) cut() (*split.Doc, func(string) Message) {
	return split.Markdown(m.Text), func(text string) Message {
		m.Text = text
		return m
	}
}

// Card is a header over a column of texts (protocol 2.9).
//
// Readers whose language is not in I18n see the Card itself. Buttons and other
// interactive components do not work.
type Card struct {
	_        [0]func()
	Header   CardHeader
	Elements []CardText          // At least one.
	I18n     map[string]CardFace // In other languages, by locale: "zh-TW", "en-US".
}

// CardFace is a [Card] in one language.
type CardFace struct {
	_        [0]func()
	Header   CardHeader
	Elements []CardText // At least one.
}

// CardHeader is the top of a card.
type CardHeader struct {
	Title    CardText // Required.
	Subtitle CardText // Optional.
}

// CardText is one text of a card.
type CardText struct {
	Text     string // Required.
	Markdown bool
}

func (Card) field() string    { return "Elements" }
func (m Card) face() CardFace { return CardFace{Header: m.Header, Elements: m.Elements} }

func (m Card) encode() []byte                              { return marshal("card", newWireCard(m)) }
func (Card) cut() (doc *split.Doc, _ func(string) Message) { return nil, nil }

func (m Card) check(c *checker) {
	m.face().check(c, "")
	for _, locale := range slices.Sorted(maps.Keys(m.I18n)) {
		shown := locale
		if locale == "" || strings.Trim(locale, localeBytes) != "" {
			c.add("I18n", `a key must be a locale such as "zh-TW" (protocol 2.9)`)
			shown = "…" // an error does not repeat what it found
		}
		m.I18n[locale].check(c, "I18n["+shown+"].")
	}
}

// localeBytes is what a locale is made of.
const localeBytes = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func (m Card) texts() []string {
	all := m.face().texts()
	for _, face := range m.I18n {
		all = append(all, face.texts()...)
	}
	return all
}

func (f CardFace) check(c *checker, prefix string) {
	c.required(prefix+"Header.Title.Text", f.Header.Title.Text, "2.9")
	c.when(len(f.Elements) == 0, prefix+"Elements", "a card needs at least one element (protocol 2.9)")
	for i, e := range f.Elements {
		c.required(fmt.Sprintf("%sElements[%d].Text", prefix, i), e.Text, "2.9")
	}
}

func (f CardFace) texts() []string {
	all := []string{f.Header.Title.Text, f.Header.Subtitle.Text}
	for _, e := range f.Elements {
		all = append(all, e.Text)
	}
	return all
}

// Raw is the body of a message, for what the other types cannot say. It is sent byte for
// byte.
type Raw struct {
	_    [0]func()
	Body json.RawMessage // Required. A JSON object with a msgtype.
}

func (Raw) field() string                                 { return "Body" }
func (m Raw) encode() []byte                              { return bytes.Clone(m.Body) }
func (Raw) cut() (doc *split.Doc, _ func(string) Message) { return nil, nil }

func (m Raw) check(c *checker) {
	_, _, err := readObject(m.Body)
	c.when(err != nil, "Body", "must be a JSON object with a msgtype (protocol 2.7)")
}

func (m Raw) texts() []string {
	var fields map[string]any
	_ = json.Unmarshal(m.Body, &fields) // what is not an object has no texts
	delete(fields, "msgtype")
	return appendStrings(nil, fields)
}
