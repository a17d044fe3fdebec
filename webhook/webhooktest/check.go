package webhooktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/webhook"
)

// Texts of refusals that were seen in real traffic (public reference 6.1).
const (
	textMsgType  = "msgtype is error."
	textMarkdown = "Markdown message is empty"
	textCard     = "Card message is empty"
	textFace     = "header and elements missed"
)

// check checks a message by protocol 2.7, 2.9 and 8, with code of its own: it must
// not share a mistake with package webhook.
func (r *robot) check(contentType string, body []byte) *refused {
	unsigned := contentType == "" && r.verifier == nil // only a signature needs it (protocol 5.2)
	if media, _, err := mime.ParseMediaType(contentType); !unsigned && (err != nil || media != "application/json") {
		return &refused{why: BadMessage, text: "Content-Type must be application/json"}
	}
	msg, problem := readMessage(body)
	if problem != "" {
		return &refused{why: BadMessage, text: problem}
	}
	length := 0
	for _, t := range msg.texts {
		length += utf8.RuneCountInString(t)
	}
	if length > webhook.MaxMessageLength {
		return &refused{why: TooLong}
	}
	if len(r.Keywords) > 0 && !msg.holdsOneOf(r.Keywords) {
		return &refused{why: NoKeyword}
	}
	return nil
}

// message is what its readers get to see of a message.
type message struct{ texts []string }

func (m message) holdsOneOf(keywords []string) bool {
	for _, t := range m.texts {
		if slices.ContainsFunc(keywords, func(k string) bool { return strings.Contains(t, k) }) {
			return true
		}
	}
	return false
}

// The shapes of protocol 2.7, whose required fields are pointers.
type (
	bodyShape struct {
		MsgType  string          `json:"msgtype"`
		Text     *textShape      `json:"text"`
		Markdown *markdownShape  `json:"markdown"`
		Link     *linkShape      `json:"link"`
		Card     json.RawMessage `json:"card"`
	}
	textShape struct {
		Content string `json:"content"`
	}
	markdownShape struct {
		Text string `json:"text"`
	}
	linkShape struct {
		Title    string `json:"title"`
		Text     string `json:"text"`
		URL      string `json:"messageUrl"`
		BtnTitle string `json:"btnTitle"`
	}
)

// readMessage says what is wrong with body, or gives its texts and "".
func readMessage(body []byte) (message, string) {
	var shape bodyShape
	if err := json.Unmarshal(body, &shape); err != nil || !utf8.Valid(body) {
		return message{}, "the body is not a JSON object of the shape of a message"
	}
	switch shape.MsgType {
	case "text":
		if shape.Text == nil || blank(shape.Text.Content) {
			return message{}, "Text message is empty"
		}
		return message{[]string{shape.Text.Content}}, ""
	case "markdown":
		if shape.Markdown == nil || blank(shape.Markdown.Text) {
			return message{}, textMarkdown
		}
		return message{[]string{shape.Markdown.Text}}, ""
	case "link":
		return readLink(shape.Link)
	case "card":
		return readCard(shape.Card)
	default:
		return message{}, textMsgType
	}
}

func readLink(link *linkShape) (message, string) {
	switch {
	case link == nil || blank(link.Title) || blank(link.Text):
		return message{}, "Link message is empty"
	case utf8.RuneCountInString(link.BtnTitle) > webhook.MaxButtonTitleLength:
		return message{}, "btnTitle is too long"
	}
	return message{[]string{link.Title, link.Text, link.BtnTitle}}, ""
}

// The shapes of protocol 2.9.
type (
	cardShape struct {
		Header   *headerShape         `json:"header"`
		Elements []itemShape          `json:"elements"`
		I18n     map[string]cardShape `json:"i18n"`
	}
	headerShape struct {
		Title    *itemShape `json:"title"`
		Subtitle *itemShape `json:"subtitle"`
	}
	itemShape struct {
		Tag     string `json:"tag"`
		Content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
)

// readCard knows no other element than a text: interactive components do not work
// in the cards of a webhook (protocol 2.9).
func readCard(raw json.RawMessage) (message, string) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return message{}, textCard
	}
	var card cardShape
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&card); err != nil {
		if bytes.Contains(raw, []byte(`"card"`)) { // nested twice, as recorded
			return message{}, textFace
		}
		return message{}, "the card holds what a webhook card cannot"
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return message{}, textFace
	}
	var msg message
	faces := []cardShape{card}
	for _, face := range card.I18n {
		if face.I18n != nil {
			return message{}, "i18n within i18n"
		}
		faces = append(faces, face)
	}
	for _, face := range faces {
		if problem := msg.addFace(face); problem != "" {
			return message{}, problem
		}
	}
	return msg, ""
}

func (m *message) addFace(face cardShape) (problem string) {
	if face.Header == nil || face.Header.Title == nil || len(face.Elements) == 0 {
		return textFace
	}
	items := append([]itemShape{*face.Header.Title}, face.Elements...)
	if face.Header.Subtitle != nil {
		items = append(items, *face.Header.Subtitle)
	}
	for _, item := range items {
		if item.Tag != "text" || item.Content.Type != "plainText" && item.Content.Type != "markdown" {
			return "a text of the card has an unknown tag or type"
		}
		if blank(item.Content.Text) {
			return "a text of the card is empty"
		}
		m.texts = append(m.texts, item.Content.Text)
	}
	return ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
