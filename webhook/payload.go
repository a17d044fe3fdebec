package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

// wireEvent is the payload of protocol 2.10. An event is delivered once, as far as is
// known, so it must not be lost for the form of a number, or of a field that is not
// needed.
type wireEvent struct {
	ChatID   text            `json:"chatid"`
	Creator  text            `json:"creator"`
	Content  string          `json:"content"`
	Reply    json.RawMessage `json:"reply"` // may have another form if there is none, such as []
	RobotKey string          `json:"robot_key"`
	URL      string          `json:"url"`
	CTime    text            `json:"ctime"`
}

type wireReply struct {
	Content string `json:"reply_content"`
	Creator text   `json:"reply_creator"`
}

// event fails if an id is not an integer.
func (w *wireEvent) event() (Event, error) {
	chat, err := w.ChatID.integer()
	sender, err2 := w.Creator.integer()
	at, _ := w.CTime.integer() // in an unknown unit; without its fraction, or 0
	e := Event{ChatID: chat, SenderID: sender, Content: w.Content, URL: w.URL, CTime: at}
	var reply wireReply
	if json.Unmarshal(w.Reply, &reply) == nil {
		creator, err := reply.Creator.integer()
		if err == nil && (reply.Content != "" || creator != 0) {
			e.Reply = &Quoted{Content: reply.Content, SenderID: creator}
		}
	}
	return e, cmp.Or(err, err2)
}

// integer reads an integer, also one as in 1.0 and 1e9. Nothing is 0. With the error for
// a fraction it returns the number without it.
func (t text) integer() (int64, error) {
	n, err := strconv.ParseInt(string(t), 10, 64)
	if err == nil || t == "" {
		return n, nil
	}
	const exact = 1 << 53 // beyond it, a float64 is not every integer
	f, err := strconv.ParseFloat(string(t), 64)
	if n = 0; math.Abs(f) <= exact {
		n = int64(f)
	}
	if err != nil || f != float64(n) {
		return n, errors.New("not an integer of 64 bits")
	}
	return n, nil
}

// read reads an event from the body of a request, and takes the error of reading it.
func (r *Receiver) read(ctx context.Context, body []byte, err error) (Event, *verdict) {
	switch {
	case errors.Is(err, callback.ErrTooLarge):
		return Event{}, &verdict{http.StatusRequestEntityTooLarge, "body too large", "invalid", err.Error()}
	case errors.Is(err, callback.ErrTooSlow):
		return Event{}, &verdict{http.StatusRequestTimeout, "timeout", "timeout", err.Error()}
	case errors.Is(err, callback.ErrEaten), err == nil && len(body) == 0:
		return Event{}, invalid("the body is empty: did a middleware read it before?")
	case err != nil:
		return Event{}, &verdict{http.StatusBadRequest, "invalid argument", "network", "the body could not be read to its end"}
	}
	var wire *wireEvent
	if json.Unmarshal(body, &wire) != nil || wire == nil {
		return Event{}, invalid("the body is not an event (protocol 2.10)")
	}
	e, err := wire.event()
	if err != nil {
		return Event{}, invalid("an id in the event is " + err.Error())
	}
	v := r.identify(ctx, &e, signing.NewSecret(wire.RobotKey))
	return e, v
}

// identify finds the robot of a key among RobotKeys, in a time that does not tell
// which it is, or else by Lookup.
func (r *Receiver) identify(ctx context.Context, e *Event, sent signing.Secret) *verdict {
	for i, key := range r.cfg.RobotKeys {
		if key.Equal(sent) {
			if e.RobotKey = key; len(r.cfg.Names) > 0 {
				e.Robot = r.cfg.Names[i]
			}
		}
	}
	if !e.RobotKey.IsZero() {
		return nil
	}
	if r.cfg.Lookup != nil && !sent.IsZero() {
		found := *e
		found.RobotKey = sent
		var ok bool
		err := guarded(ctx, storeTimeout, func(ctx context.Context) (err error) {
			found.Robot, ok, err = r.cfg.Lookup(ctx, sent)
			return err
		})
		switch {
		case err != nil:
			r.logError(ctx, "webhook: look up robot", found, err)
			return busy("failed", "Lookup failed")
		case ok:
			*e = found
			return nil
		}
	}
	return &verdict{http.StatusForbidden, "forbidden", "unauthorized", "the robot key is unknown"}
}
