package desk

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/markdown/commonmark"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// Message is one in the group, as its members see it, or as it was refused.
type Message struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	From       string    `json:"from"` // robot or member
	Robot      string    `json:"robot,omitempty"`
	RobotName  string    `json:"robot_name,omitempty"`
	Sender     int64     `json:"sender,omitempty"`
	SenderName string    `json:"sender_name,omitempty"`
	Type       string    `json:"type"` // text, markdown, link, card or unknown
	Refused    string    `json:"refused"`
	Reason     string    `json:"reason,omitempty"`
	Length     int       `json:"length,omitempty"`
	Blocks     []Block   `json:"blocks,omitempty"`
	Link       *Link     `json:"link,omitempty"`
	Card       *Card     `json:"card,omitempty"`
	Raw        string    `json:"raw,omitempty"`
	Advice     []string  `json:"advice,omitempty"`
	ReplyTo    *ReplyTo  `json:"reply_to,omitempty"`
	Delivery   *Outcome  `json:"delivery,omitempty"`
	Exchange   string    `json:"exchange,omitempty"`
	Plain      string    `json:"-"` // What is searched.
}

// Link is a link message.
type Link struct {
	Title  string  `json:"title"`
	Blocks []Block `json:"blocks"`
	URL    string  `json:"url,omitempty"`
	Button string  `json:"button,omitempty"`
}

// Card is a card with a face for each language.
type Card struct {
	Face CardFace            `json:"face"`
	I18n map[string]CardFace `json:"i18n"`
}

// CardFace is a card in one language.
type CardFace struct {
	Title    []Block   `json:"title"`
	Subtitle []Block   `json:"subtitle,omitempty"`
	Elements [][]Block `json:"elements"`
}

// ReplyTo is what a member replies to.
type ReplyTo struct {
	ID         string `json:"id,omitempty"`
	Text       string `json:"text"`
	SenderName string `json:"sender_name,omitempty"`
}

// Outcome is how something went that the emulator did.
type Outcome struct {
	OK       bool   `json:"ok"`
	Text     string `json:"text"`
	Exchange string `json:"exchange,omitempty"`
}

// size is about what a message takes of the memory.
func (m Message) size() int { return 1000 + 4*len(m.Plain) + len(m.Raw) }

// state is that of the event.
func (m Message) state() string {
	if m.Refused != "" {
		return stateRefused
	}
	return stateAccepted
}

// messageOf renders what a robot sent.
func messageOf(sent webhooktest.Sent, h hider) Message {
	m := Message{At: sent.At.UTC(), From: "robot", Refused: string(sent.Refused), Reason: h.text(sent.Reason), Type: "unknown"}
	m.show(sent.Message)
	if m.Type == "unknown" || m.Refused != "" {
		m.Raw = h.text(cut(strings.ToValidUTF8(string(sent.Body), "\uFFFD"), maxShownBody/4))
	}
	if m.Plain == "" {
		m.Plain = cut(m.Raw, maxEventMatch)
	}
	return m
}

// show renders a message by its type.
func (m *Message) show(message webhook.Message) {
	switch message := message.(type) {
	case webhook.Text:
		m.Type, m.Blocks, m.Plain = "text", plainBlocks(message.Content), message.Content
	case webhook.Markdown:
		m.Type, m.Blocks, m.Plain = "markdown", markdownBlocks(message.Text), message.Text
		m.advise(message.Text)
	case webhook.Link:
		m.Type = "link"
		m.Link = &Link{message.Title, markdownBlocks(message.Text), safeURL(message.URL), message.ButtonTitle}
		m.Plain = message.Title + "\n" + message.Text + "\n" + message.ButtonTitle
		m.advise(message.Text)
	case webhook.Card:
		m.Type = "card"
		m.Card = &Card{m.face(webhook.CardFace{Header: message.Header, Elements: message.Elements}), map[string]CardFace{}}
		for locale, face := range message.I18n {
			m.Card.I18n[locale] = m.face(face)
		}
	case webhook.Raw:
		m.showRaw(message.Body)
	}
	m.Length = utf8.RuneCountInString(m.Plain)
	m.Plain = cut(m.Plain, maxRendered)
}

// showRaw names the type of a message that is not as it should be.
func (m *Message) showRaw(body []byte) {
	var shape struct {
		MsgType string `json:"msgtype"`
		Text    struct {
			Content string `json:"content"`
		} `json:"text"`
		Markdown struct {
			Text string `json:"text"`
		} `json:"markdown"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return
	}
	switch shape.MsgType {
	case "text":
		m.Type, m.Blocks, m.Plain = "text", plainBlocks(shape.Text.Content), shape.Text.Content
	case "markdown":
		m.Type, m.Blocks, m.Plain = "markdown", markdownBlocks(shape.Markdown.Text), shape.Markdown.Text
	}
}

func (m *Message) face(f webhook.CardFace) CardFace {
	face := CardFace{Title: m.cardText(f.Header.Title), Elements: [][]Block{}}
	if f.Header.Subtitle.Text != "" {
		face.Subtitle = m.cardText(f.Header.Subtitle)
	}
	for _, e := range f.Elements {
		face.Elements = append(face.Elements, m.cardText(e))
	}
	return face
}

func (m *Message) cardText(t webhook.CardText) []Block {
	m.Plain += t.Text + "\n"
	if t.Markdown {
		m.advise(t.Text)
		return markdownBlocks(t.Text)
	}
	return plainBlocks(t.Text)
}

// advise says what the chat does not show as it is meant.
func (m *Message) advise(text string) {
	if len(text) > maxRendered {
		return
	}
	for _, p := range commonmark.Check(text) {
		line := p.Element + ": " + p.Detail
		if len(m.Advice) < 20 && !slices.Contains(m.Advice, line) {
			m.Advice = append(m.Advice, line)
		}
	}
}
