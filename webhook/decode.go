package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Decode reads the body of a message, as [Encode] writes it. The four types of
// the protocol come back as their Go types. Any other msgtype is a [Raw], and so
// is a body of a known msgtype that holds more than its Go type can, or breaks
// one of its rules: nothing is lost on the way. It fails if body is not a JSON
// object with a msgtype.
func Decode(body []byte) (Message, error) {
	fields, kind, err := readObject(body)
	if err != nil {
		return nil, err
	}
	if m := decodeKnown(kind, fields); m != nil {
		var c checker
		if c.message(m); c.problems == nil {
			return m, nil
		}
	}
	return Raw{Body: bytes.Clone(body)}, nil
}

var errNoMessage = errors.New("webhook: decode: not a JSON object with a msgtype")

// readObject reads body and its msgtype.
func readObject(body []byte) (fields map[string]json.RawMessage, kind string, err error) {
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields["msgtype"], &kind) != nil || kind == "" {
		return nil, "", errNoMessage
	}
	return fields, kind, nil
}

// decodeKnown returns nil where the Go type of kind cannot hold fields.
func decodeKnown(kind string, fields map[string]json.RawMessage) Message {
	body, ok := fields[kind]
	if !ok || len(fields) != 2 {
		return nil
	}
	switch kind {
	case typeText:
		var w *wireText
		if strict(body, &w) {
			return Text{Content: w.Content}
		}
	case typeMarkdown:
		var w *wireMarkdown
		if strict(body, &w) {
			return Markdown{Text: w.Text}
		}
	case typeLink:
		var w *wireLink
		if strict(body, &w) {
			return Link{Title: w.Title, Text: w.Text, URL: w.URL, ButtonTitle: w.ButtonTitle}
		}
	case typeCard:
		var w *wireCard
		if strict(body, &w) {
			return w.card()
		}
	}
	return nil
}

// strict decodes body into *p, and reports whether there was one and nothing was left over.
func strict[T any](body []byte, p **T) bool {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if dec.Decode(p) != nil || *p == nil {
		return false
	}
	_, err := dec.Token()
	return errors.Is(err, io.EOF)
}

// card returns nil where an element is of a kind that CardText cannot hold.
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
