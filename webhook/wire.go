package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
)

// The wire forms of protocol 2.7 and 2.9, with their fields in the order in which
// the service's own documentation writes them.
type (
	wireText struct {
		_       [0]func()
		Content string `json:"content"`
	}
	wireMarkdown struct {
		_    [0]func()
		Text string `json:"text"`
	}
	wireLink struct {
		_           [0]func()
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
		Header struct {
			Title    wireItem  `json:"title"`
			Subtitle *wireItem `json:"subtitle,omitempty"`
		} `json:"header"`
		Elements []wireItem `json:"elements"`
	}
	wireItem struct {
		Tag     string `json:"tag"`
		Content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
)

// Encode checks m against the rules of its type and MaxMessageLength, and returns what
// [Robot.Send] posts. Broken rules are joined [*FieldError]s. Bytes that are not UTF-8
// become U+FFFD.
func Encode(m Message) ([]byte, error) {
	var c checker
	c.message(m, MaxMessageLength, nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	return m.encode(), nil
}

// marshal returns a message of that msgtype, whose body consists of strings. "<", ">" and
// "&" stay as they are, as in the service's own documentation.
func marshal(kind string, body any) []byte {
	message := bytes.NewBufferString(`{"msgtype":"` + kind + `","` + kind + `":`)
	encoder := json.NewEncoder(message)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // strings always encode, and a line feed follows
	return append(bytes.TrimSuffix(message.Bytes(), []byte("\n")), '}')
}

// Decode reads what [Encode] writes. A body of an unknown msgtype, or that its Go type
// cannot hold, or that breaks a rule, is a [Raw]. It fails if body is not a JSON object
// with a msgtype.
func Decode(body []byte) (Message, error) {
	fields, kind, err := readObject(body)
	if err != nil {
		return nil, err
	}
	if decode, ok := decoders[kind]; ok && len(fields) == 2 {
		if m := decode(fields[kind]); m != nil {
			var c checker
			if m.check(&c); c.problems == nil {
				return m, nil
			}
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
	"text":     strict(func(w *wireText) Message { return Text(*w) }),
	"markdown": strict(func(w *wireMarkdown) Message { return Markdown(*w) }),
	"link":     strict(func(w *wireLink) Message { return Link(*w) }),
	"card":     strict((*wireCard).card),
}

// strict decodes a body that is not null and has no unknown fields, and makes a
// message of it.
func strict[T any](message func(*T) Message) func(json.RawMessage) Message {
	return func(body json.RawMessage) Message {
		var w *T
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		if dec.Decode(&w) != nil || w == nil {
			return nil
		}
		return message(w)
	}
}

func newWireCard(c Card) wireCard {
	return wireCard{newWireFace(c.face()), languages(c.I18n, newWireFace)}
}

func newWireFace(f CardFace) wireFace {
	w := wireFace{Elements: make([]wireItem, len(f.Elements))}
	w.Header.Title = newWireItem(f.Header.Title)
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
	w := wireItem{Tag: "text"}
	w.Content.Type, w.Content.Text = "plainText", t.Text
	if t.Markdown {
		w.Content.Type = "markdown"
	}
	return w
}

// card returns nil if a Card cannot hold all of w.
func (w *wireCard) card() Message {
	face := w.face()
	c := Card{Header: face.Header, Elements: face.Elements, I18n: languages(w.I18n, wireFace.face)}
	if !bytes.Equal(c.encode(), marshal("card", w)) {
		return nil
	}
	return c
}

func (w wireFace) face() (f CardFace) {
	f.Header.Title = w.Header.Title.text()
	if w.Header.Subtitle != nil {
		f.Header.Subtitle = w.Header.Subtitle.text()
	}
	for _, e := range w.Elements {
		f.Elements = append(f.Elements, e.text())
	}
	return f
}

func (w wireItem) text() CardText { return CardText{w.Content.Text, w.Content.Type == "markdown"} }

// languages converts the faces of a card. If there are none, it returns nil.
func languages[From, To any](faces map[string]From, convert func(From) To) map[string]To {
	if len(faces) == 0 {
		return nil
	}
	converted := make(map[string]To, len(faces))
	for locale, face := range faces {
		converted[locale] = convert(face)
	}
	return converted
}
