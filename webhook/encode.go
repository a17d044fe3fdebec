package webhook

import (
	"bytes"
	"encoding/json"
)

// The wire forms of protocol 2.7 and 2.9, in the order of fields in which the
// service's own documentation writes them.
type (
	wireMessage struct {
		MsgType  string        `json:"msgtype"`
		Text     *wireText     `json:"text,omitempty"`
		Markdown *wireMarkdown `json:"markdown,omitempty"`
		Link     *wireLink     `json:"link,omitempty"`
		Card     *wireCard     `json:"card,omitempty"`
	}
	wireText struct {
		Content string `json:"content"`
	}
	wireMarkdown struct {
		Text string `json:"text"`
	}
	wireLink struct {
		Title       string `json:"title"`
		Text        string `json:"text"`
		URL         string `json:"messageUrl,omitempty"`
		ButtonTitle string `json:"btnTitle,omitempty"`
	}
	wireCard struct {
		wireFace
		I18n map[string]wireFace `json:"i18n,omitempty"`
	}
	wireFace struct {
		Header   wireHeader `json:"header"`
		Elements []wireItem `json:"elements"`
	}
	wireHeader struct {
		Title    wireItem  `json:"title"`
		Subtitle *wireItem `json:"subtitle,omitempty"`
	}
	wireItem struct {
		Tag     string      `json:"tag"`
		Content wireContent `json:"content"`
	}
	wireContent struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
)

const (
	typeText     = "text"
	typeMarkdown = "markdown"
	typeLink     = "link"
	typeCard     = "card"

	tagText         = "text"
	contentPlain    = "plainText"
	contentMarkdown = "markdown"
)

// Encode checks m against the rules of its type and MaxMessageLength, and returns
// the bytes that [Robot.Send] posts, for a dry run or an outbox. What breaks a
// rule is a [*FieldError]; several are joined.
//
// "<", ">" and "&" stand for themselves, as they do in the messages that the
// service's documentation shows. Bytes that are not UTF-8 become U+FFFD.
func Encode(m Message) ([]byte, error) {
	m = value(m)
	if err := joinFields(violations(m, MaxMessageLength, nil)); err != nil {
		return nil, err
	}
	return encode(m), nil
}

// encode writes m, which has been checked: strings in structs, which always encode.
func encode(m Message) []byte {
	var w wireMessage
	switch m := m.(type) {
	case Text:
		w = wireMessage{MsgType: typeText, Text: &wireText{m.Content}}
	case Markdown:
		w = wireMessage{MsgType: typeMarkdown, Markdown: &wireMarkdown{m.Text}}
	case Link:
		w = wireMessage{MsgType: typeLink, Link: &wireLink{m.Title, m.Text, m.URL, m.ButtonTitle}}
	case Card:
		w = wireMessage{MsgType: typeCard, Card: newWireCard(m)}
	case Raw:
		return bytes.Clone(m.Body)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(w)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")) // Encode adds one, and resty would send it
}

func newWireCard(c Card) *wireCard {
	w := &wireCard{wireFace: newWireFace(c.Header, c.Elements)}
	if len(c.I18n) > 0 {
		w.I18n = make(map[string]wireFace, len(c.I18n))
		for locale, face := range c.I18n {
			w.I18n[locale] = newWireFace(face.Header, face.Elements)
		}
	}
	return w
}

func newWireFace(h CardHeader, elements []CardText) wireFace {
	w := wireFace{Header: wireHeader{Title: newWireItem(h.Title)}, Elements: make([]wireItem, len(elements))}
	if h.Subtitle.Text != "" {
		subtitle := newWireItem(h.Subtitle)
		w.Header.Subtitle = &subtitle
	}
	for i, e := range elements {
		w.Elements[i] = newWireItem(e)
	}
	return w
}

func newWireItem(t CardText) wireItem {
	kind := contentPlain
	if t.Markdown {
		kind = contentMarkdown
	}
	return wireItem{Tag: tagText, Content: wireContent{Type: kind, Text: t.Text}}
}
