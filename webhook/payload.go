package webhook

import (
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
	ChatID   number    `json:"chatid"`
	Creator  number    `json:"creator"`
	Content  string    `json:"content"`
	Reply    wireReply `json:"reply"`
	RobotKey string    `json:"robot_key"`
	URL      string    `json:"url"`
	CTime    wireTime  `json:"ctime"`
}

// number is an integer, also as a string, or as in 1.0 and 1e9.
type number int64

// UnmarshalJSON drops the fraction of a number that is not an integer, and fails.
func (n *number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if b[0] == '"' && json.Unmarshal(b, &s) != nil {
		return errors.New("not a string")
	}
	i, err := strconv.ParseInt(s, 10, 64)
	if err == nil || s == "" || s == "null" {
		*n = number(i)
		return nil
	}
	const exact = 1 << 53 // beyond it, a float64 is not every integer
	f, err := strconv.ParseFloat(s, 64)
	if err == nil && math.Abs(f) <= exact {
		*n = number(f)
	}
	if err != nil || f != float64(*n) {
		return errors.New("not an integer of 64 bits")
	}
	return nil
}

// wireTime is a time in an unknown unit. It is 0 if it is not a number.
type wireTime struct{ number }

// UnmarshalJSON never fails.
func (t *wireTime) UnmarshalJSON(b []byte) error {
	_ = t.number.UnmarshalJSON(b)
	return nil
}

// wireReply is an object, or nothing in another form, such as [].
type wireReply struct{ quoted *Quoted }

// UnmarshalJSON never fails.
func (r *wireReply) UnmarshalJSON(b []byte) error {
	var w struct {
		Content string `json:"reply_content"`
		Creator number `json:"reply_creator"`
	}
	if err := json.Unmarshal(b, &w); err == nil && (w.Content != "" || w.Creator != 0) {
		r.quoted = &Quoted{Content: w.Content, SenderID: int64(w.Creator)}
	}
	return nil
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
	if err := json.Unmarshal(body, &wire); err != nil || wire == nil {
		return Event{}, invalid("the body is not an event (protocol 2.10)")
	}
	e := Event{
		ChatID: int64(wire.ChatID), SenderID: int64(wire.Creator), Content: wire.Content, Reply: wire.Reply.quoted,
		URL: wire.URL, CTime: int64(wire.CTime.number),
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
