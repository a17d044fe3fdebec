package webhook

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

// bodyTimeout is how long a request's body may take to arrive. The service sends it
// chunked (public reference 6.2), so that only reading it tells its length.
const bodyTimeout = 10 * time.Second

// wireEvent is the payload of protocol 2.10.
type wireEvent struct {
	ChatID  int64  `json:"chatid"`
	Creator int64  `json:"creator"`
	Content string `json:"content"`
	Reply   *struct {
		Content string `json:"reply_content"`
		Creator int64  `json:"reply_creator"`
	} `json:"reply"`
	RobotKey string `json:"robot_key"`
	URL      string `json:"url"`
	CTime    int64  `json:"ctime"`
}

// refusal is a request that is no event for this Receiver.
type refusal struct {
	status int
	body   string
	reason string // for the log
}

// read reads an event from the body of a request, and takes the error of reading it.
func (r *Receiver) read(body []byte, err error) (Event, *refusal) {
	switch {
	case errors.Is(err, callback.ErrTooLarge):
		return Event{}, &refusal{http.StatusRequestEntityTooLarge, answerTooLarge, err.Error()}
	case errors.Is(err, callback.ErrTooSlow):
		return Event{}, &refusal{http.StatusRequestTimeout, answerSlow, err.Error()}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Event{}, &refusal{http.StatusBadRequest, answerInvalid, "the body broke off"}
	case err != nil:
		return Event{}, &refusal{http.StatusBadRequest, answerInvalid, "the body could not be read"}
	}
	var wire *wireEvent
	if err := json.Unmarshal(body, &wire); err != nil || wire == nil {
		return Event{}, &refusal{http.StatusBadRequest, answerInvalid, "the body is not an event (protocol 2.10)"}
	}
	key, ok := r.key(signing.NewSecret(wire.RobotKey))
	if !ok {
		return Event{}, &refusal{http.StatusForbidden, answerRefused, "the robot key is not one of RobotKeys"}
	}
	return wire.event(key), nil
}

// key finds sent among the RobotKeys, in a time that does not tell which it is.
func (r *Receiver) key(sent signing.Secret) (found signing.Secret, ok bool) {
	for _, key := range r.cfg.RobotKeys {
		if key.Equal(sent) {
			found, ok = key, true
		}
	}
	return found, ok
}

func (w *wireEvent) event(key signing.Secret) Event {
	e := Event{ChatID: w.ChatID, SenderID: w.Creator, Content: w.Content, RobotKey: key, URL: w.URL, CTime: w.CTime}
	if w.Reply != nil && (w.Reply.Content != "" || w.Reply.Creator != 0) {
		e.Reply = &Quoted{Content: w.Reply.Content, SenderID: w.Reply.Creator}
	}
	return e
}
