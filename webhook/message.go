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
	URL         string // Where the button leads, absolute, of a page or an app and no javascript: or data:; messageUrl on the wire. If empty, left out.
	ButtonTitle string // On the button, at most MaxButtonTitleLength characters; btnTitle on the wire. If empty, left out, and the service writes its own.
}

// Card is a header over a column of texts (protocol 2.9).
//
// Its own fields are what readers see whose language is not in I18n. Interactive
// components do not work in the cards of a webhook.
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
	Text     string // Required, but in a Subtitle.
	Markdown bool   // Text is markdown; otherwise it is plain text, shown as it is.
}

// Raw is the whole body of a message, for a msgtype or a card element that the
// protocol does not show. It goes out byte for byte.
type Raw struct {
	_    [0]func()
	Body json.RawMessage // Required. A JSON object with a msgtype.
}

func (Text) message()     {}
func (Markdown) message() {}
func (Link) message()     {}
func (Card) message()     {}
func (Raw) message()      {}
