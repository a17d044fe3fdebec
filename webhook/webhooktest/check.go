package webhooktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// textFace is a text of a refusal that was seen in real traffic, as the others of this
// form are (public reference 6.1).
const textFace = "header and elements missed"

// check reads a message and holds it against every rule but that of its minute, in the
// order of the refusals. Its code is its own: it must not share a mistake with package
// webhook. A nil robot is an unknown one.
func (r *robot) check(req *http.Request) (body []byte, no *refused) {
	var signature error
	if r != nil && r.verifier != nil {
		_, signature = r.verifier.VerifyRequest(req)
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, maxBody))
	texts, problem := readMessage(body)
	switch {
	case r == nil:
		no = &refused{why: UnknownKey, text: "no robot has this key"}
	case !r.allows(req.RemoteAddr):
		no = &refused{why: NotAllowed, text: "the address is not on the allow list"}
	case errors.Is(signature, signing.ErrTimestamp):
		no = &refused{why: BadTimestamp, text: "timestamp failure", reason: signature.Error()}
	case signature != nil:
		no = &refused{why: BadSignature, text: "signature failure", reason: signature.Error()}
	case err != nil:
		no = &refused{why: BadMessage, text: "the body cannot be read"}
	case !r.takes(req.Header.Get("Content-Type")):
		no = &refused{why: BadMessage, text: "Content-Type must be application/json"}
	case problem != "":
		no = &refused{why: BadMessage, text: problem}
	case utf8.RuneCountInString(strings.Join(texts, "")) > webhook.MaxMessageLength:
		no = &refused{why: TooLong, text: "the message is too long"}
	case len(r.Keywords) > 0 && !slices.ContainsFunc(texts, r.hasKeyword):
		no = &refused{why: NoKeyword, text: "the message has none of the robot's keywords"}
	}
	return body, no
}

// takes reports whether a message may have that Content-Type. It may have none unless it
// is signed (protocol 5.2).
func (r *robot) takes(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json" || contentType == "" && r.verifier == nil
}

func (r *robot) hasKeyword(text string) bool {
	return slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.Contains(text, k) })
}

// bodyShape has the shapes of protocol 2.7. What is missing is empty, and neither may
// be sent.
type bodyShape struct {
	MsgType string `json:"msgtype"`
	Text    struct {
		Content string `json:"content"`
	} `json:"text"`
	Markdown struct {
		Text string `json:"text"`
	} `json:"markdown"`
	Link struct {
		Title    string `json:"title"`
		Text     string `json:"text"`
		URL      string `json:"messageUrl"`
		BtnTitle string `json:"btnTitle"`
	} `json:"link"`
	Card json.RawMessage `json:"card"`
}

// readMessage says what is wrong with body, or gives what its readers see and "".
func readMessage(body []byte) (texts []string, problem string) {
	var shape bodyShape
	if err := json.Unmarshal(body, &shape); err != nil || !utf8.Valid(body) {
		return nil, "the body is not a JSON object of the shape of a message"
	}
	var name, button string
	switch shape.MsgType {
	case "text":
		name, texts = "Text", []string{shape.Text.Content}
	case "markdown":
		name, texts = "Markdown", []string{shape.Markdown.Text}
	case "link":
		name, texts, button = "Link", []string{shape.Link.Title, shape.Link.Text}, shape.Link.BtnTitle
	case "card":
		return readCard(shape.Card)
	default:
		return nil, "msgtype is error."
	}
	switch {
	case slices.ContainsFunc(texts, blank):
		return nil, name + " message is empty"
	case utf8.RuneCountInString(button) > webhook.MaxButtonTitleLength:
		return nil, "btnTitle is too long"
	}
	return append(texts, button), ""
}

// The shapes of protocol 2.9.
type (
	cardShape struct {
		Header struct {
			Title    itemShape  `json:"title"`
			Subtitle *itemShape `json:"subtitle"`
		} `json:"header"`
		Elements []itemShape          `json:"elements"`
		I18n     map[string]cardShape `json:"i18n"`
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
func readCard(raw json.RawMessage) (texts []string, problem string) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil, "Card message is empty"
	}
	var card cardShape
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&card); err != nil {
		if bytes.Contains(raw, []byte(`"card"`)) { // nested twice, as recorded
			return nil, textFace
		}
		return nil, "the card holds what a webhook card cannot"
	}
	faces := slices.AppendSeq([]cardShape{card}, maps.Values(card.I18n))
	for i, face := range faces {
		switch {
		case i > 0 && face.I18n != nil:
			return nil, "i18n within i18n"
		case face.Header.Title == itemShape{} || len(face.Elements) == 0:
			return nil, textFace
		}
		items := append([]itemShape{face.Header.Title}, face.Elements...)
		if face.Header.Subtitle != nil {
			items = append(items, *face.Header.Subtitle)
		}
		for _, item := range items {
			switch {
			case item.Tag != "text", item.Content.Type != "plainText" && item.Content.Type != "markdown":
				return nil, "a text of the card has an unknown tag or type"
			case blank(item.Content.Text):
				return nil, "a text of the card is empty"
			}
			texts = append(texts, item.Content.Text)
		}
	}
	return texts, ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
