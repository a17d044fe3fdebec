package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// The wire forms of protocol 2.7 and 2.9, with their fields in the order in which
// the service's own documentation writes them.
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
// the bytes that [Robot.Send] posts, for a dry run or an outbox. A broken rule is
// a [*FieldError]; several are joined.
//
// "<", ">" and "&" are not escaped, as in the messages that the service's
// documentation shows. Bytes that are not UTF-8 become U+FFFD.
func Encode(m Message) ([]byte, error) {
	m = value(m)
	if err := joinFields(violations(m, MaxMessageLength, nil)); err != nil {
		return nil, err
	}
	return m.encode(), nil
}

// marshal cannot fail: w has only strings.
func marshal(w wireMessage) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(w)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")) // Encode adds one, and resty would send it
}

// Decode reads the body of a message, as [Encode] writes it. The four types of
// the protocol come back as their Go types. Any other msgtype is a [Raw], and so
// is a body of a known msgtype that holds more than its Go type can, or breaks
// one of its rules, so nothing is lost. It fails if body is not a JSON
// object with a msgtype.
func Decode(body []byte) (Message, error) {
	fields, kind, err := readObject(body)
	if err != nil {
		return nil, err
	}
	if decode, ok := decoders[kind]; ok && len(fields) == 2 {
		if m := decode(fields[kind]); m != nil && m.check().problems == nil {
			return m, nil
		}
	}
	return Raw{Body: bytes.Clone(body)}, nil
}

// readObject reads body and its msgtype.
func readObject(body []byte) (fields map[string]json.RawMessage, kind string, err error) {
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields["msgtype"], &kind) != nil || kind == "" {
		return nil, "", errors.New("webhook: decode: not a JSON object with a msgtype")
	}
	return fields, kind, nil
}

// decoders return nil if the Go type cannot hold what the body has.
var decoders = map[string]func(json.RawMessage) Message{
	typeText: strict(func(w *wireText) Message { return Text{Content: w.Content} }),
	typeMarkdown: strict(func(w *wireMarkdown) Message {
		return Markdown{Text: w.Text}
	}),
	typeLink: strict(func(w *wireLink) Message {
		return Link{Title: w.Title, Text: w.Text, URL: w.URL, ButtonTitle: w.ButtonTitle}
	}),
	typeCard: strict((*wireCard).card),
}

// strict decodes a body that is there and has no unknown fields, and makes a message
// of it.
func strict[T any](message func(*T) Message) func(json.RawMessage) Message {
	return func(body json.RawMessage) Message {
		var w *T
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		if dec.Decode(&w) != nil || w == nil {
			return nil
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return nil
		}
		return message(w)
	}
}

func newWireCard(c Card) *wireCard {
	w := &wireCard{wireFace: newWireFace(c.face())}
	if len(c.I18n) > 0 {
		w.I18n = make(map[string]wireFace, len(c.I18n))
		for locale, face := range c.I18n {
			w.I18n[locale] = newWireFace(face)
		}
	}
	return w
}

func newWireFace(f CardFace) wireFace {
	w := wireFace{Header: wireHeader{Title: newWireItem(f.Header.Title)}, Elements: make([]wireItem, len(f.Elements))}
	if f.Header.Subtitle.Text != "" {
		subtitle := newWireItem(f.Header.Subtitle)
		w.Header.Subtitle = &subtitle
	}
	for i, e := range f.Elements {
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

// card returns nil if an element is of a kind that CardText cannot hold.
func (w *wireCard) card() Message {
	face, ok := w.face()
	c := Card{Header: face.Header, Elements: face.Elements}
	for locale, f := range w.I18n {
		if c.I18n == nil {
			c.I18n = make(map[string]CardFace, len(w.I18n))
		}
		face, fits := f.face()
		c.I18n[locale], ok = face, ok && fits
	}
	if !ok {
		return nil
	}
	return c
}

func (w *wireFace) face() (f CardFace, ok bool) {
	f.Header.Title, ok = w.Header.Title.text()
	if w.Header.Subtitle != nil {
		subtitle, fits := w.Header.Subtitle.text()
		f.Header.Subtitle, ok = subtitle, ok && fits && subtitle.Text != ""
	}
	for _, e := range w.Elements {
		t, fits := e.text()
		f.Elements, ok = append(f.Elements, t), ok && fits
	}
	return f, ok
}

func (w *wireItem) text() (t CardText, ok bool) {
	t = CardText{Text: w.Content.Text, Markdown: w.Content.Type == contentMarkdown}
	return t, w.Tag == tagText && (t.Markdown || w.Content.Type == contentPlain)
}
