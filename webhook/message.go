package webhook

import "encoding/json"

// Message is what a robot can post: [Text], [Markdown], [Link], [Card] or [Raw].
// The interface is sealed; a switch over its members needs a default all the same,
// since members may be added.
type Message interface{ message() }

// Text is plain text (protocol 2.7). It may mention people with at tags: package
// markdown's Plain writes them, and makes text of users inert.
type Text struct {
	_       [0]func()
	Content string // Required.
}

// Markdown is text in the markdown subset of the service (protocol 2.7, 2.8).
// Package markdown's Builder writes it, with text of users made inert.
type Markdown struct {
	_    [0]func()
	Text string // Required.
}

// Link is a title, a text and a button that opens an address (protocol 2.7).
type Link struct {
	_           [0]func()
	Title       string // Required. Plain text.
	Text        string // Required. Markdown, as in [Markdown].
	URL         string // Where the button leads: an absolute address of a page or an app, but not javascript: or data:. messageUrl on the wire. If empty, left out.
	ButtonTitle string // Text on the button, at most MaxButtonTitleLength characters. btnTitle on the wire. If empty, left out, and the service writes its own.
}

// Card is a header over a column of texts (protocol 2.9).
//
// Readers whose language is not in I18n see the fields of the Card itself.
// Buttons and other interactive components do not work in the cards of a robot.
type Card struct {
	_        [0]func()
	Header   CardHeader
	Elements []CardText          // At least one.
	I18n     map[string]CardFace // The same card in other languages, by locale: "zh-TW", "en-US". If empty, left out.
}

// CardFace is a [Card] in one language. It follows the same rules.
type CardFace struct {
	_        [0]func()
	Header   CardHeader
	Elements []CardText // At least one.
}

// CardHeader is the top of a card.
type CardHeader struct {
	Title    CardText // Required.
	Subtitle CardText // If its Text is empty, left out.
}

// CardText is one text of a card.
type CardText struct {
	Text     string // Required, except in a Subtitle.
	Markdown bool   // Text is markdown; otherwise it is plain text, shown as it is.
}

// Raw is the whole body of a message, for what the other types cannot say, such
// as a new msgtype. It goes out byte for byte.
type Raw struct {
	_    [0]func()
	Body json.RawMessage // Required. A JSON object with a msgtype.
}

func (Text) message()     {}
func (Markdown) message() {}
func (Link) message()     {}
func (Card) message()     {}
func (Raw) message()      {}
