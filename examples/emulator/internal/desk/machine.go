package desk

import (
	"cmp"
	"fmt"
	"net/http"
	"time"
)

// maxWait is the longest that a call waits for something.
const maxWait = time.Minute

// kinds are all kinds of events.
func kinds() []string {
	return []string{kindMessage, kindDelivery, kindTask, kindExchange, kindRobot, kindSession, kindToken, kindFault, kindTime, kindReset, kindSeed}
}

// states are all states of events.
func states() []string {
	return []string{taskWaiting, taskRunning, taskSuccess, taskFailed, taskCancelled, stateAccepted, stateRefused, stateOK, "on", "off", "removed"}
}

// matchOf reads a match from a query.
func matchOf(q *parameters) Match {
	return Match{
		Kind: q.oneOf("kind", kinds()...), Area: q.oneOf("area", areas()...), State: q.oneOf("state", states()...),
		Text: q.text("text"), Since: q.number("since", 0, 1<<53, 0),
	}
}

// full is the event with what it is about.
func (d *Desk) full(e Event) Event {
	var item any
	ok := false
	switch e.Kind {
	case kindMessage, kindDelivery:
		item, ok = look(d.chat.messages, e.Ref)
	case kindTask:
		item, ok = look(d.conversions.list, e.Ref)
	case kindExchange:
		item, ok = look(d.exchanges, e.Ref)
	case kindSession:
		var s Session
		s, ok = d.viewer.sessions.get(e.Ref)
		item, ok = s, ok && s.ID != ""
	case kindToken:
		item, ok = look(d.plugin.calls, e.Ref)
	case kindRobot:
		robot, err := d.chat.byID(e.Ref)
		item, ok = robot, err == nil
	}
	if ok {
		e.Item = item
	}
	return e
}

func look[T any](r *ring[T], id string) (any, bool) { return r.get(id) }

func (d *Desk) fulls(events []Event) []Event {
	for i := range events {
		events[i] = d.full(events[i])
	}
	return events
}

// wait answers the next event that matches.
func (d *Desk) wait(r *http.Request) (any, error) {
	q := queryOf(r, "kind", "area", "text", "state", "since", "timeout")
	m := matchOf(q)
	timeout, err := duration("timeout", q.text("timeout"), maxWait)
	switch {
	case q.err != nil:
		return nil, q.err
	case err != nil:
		return nil, err
	case q.text("timeout") == "":
		timeout = 30 * time.Second
	}
	if q.text("since") == "" {
		m.Since = d.journal.last()
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		next := d.journal.next()
		var found *Event
		d.journal.items.since(m.Since, func(e Event) bool {
			if m.accepts(e) {
				found = &e
			}
			return found == nil
		})
		if found != nil {
			return d.full(*found), nil
		}
		select {
		case <-next:
		case <-timer.C:
			return nil, nil
		case <-r.Context().Done():
			return nil, nil
		case <-d.closing:
			return nil, nil
		}
	}
}

// search answers the events that match.
func (d *Desk) search(r *http.Request) (any, error) {
	q := queryOf(r, "kind", "area", "text", "state", "since", "before", "limit")
	m := matchOf(q)
	before, limit := q.page(d.journal.items.prefix)
	if q.err != nil {
		return nil, q.err
	}
	items, next := d.journal.items.page(before, limit, m.accepts)
	return struct {
		list[Event]
		LastEvent int `json:"last_event"`
	}{list[Event]{d.fulls(items), next}, d.journal.last()}, nil
}

// Assertion is how many events have to match.
type Assertion struct {
	Match
	Min    *int   `json:"min"`
	Max    *int   `json:"max"`
	Within string `json:"within"`
	During string `json:"during"`
}

// Verdict is what became of an assertion.
type Verdict struct {
	OK        bool    `json:"ok"`
	Count     int     `json:"count"`
	Error     string  `json:"error,omitempty"`
	Events    []Event `json:"events"`
	Near      []Event `json:"near,omitempty"`
	LastEvent int     `json:"last_event"`
}

// count holds an assertion against what is there.
func (d *Desk) count(a Assertion) Verdict {
	all, _ := d.journal.items.page(0, maxEvents, a.accepts)
	v := Verdict{Count: len(all), LastEvent: d.journal.last()}
	least := 1
	if a.Min != nil {
		least = *a.Min
	} else if a.Max != nil {
		least = 0
	}
	switch {
	case v.Count < least:
		v.Error = fmt.Sprintf("%d events match, and at least %d should", v.Count, least)
	case a.Max != nil && v.Count > *a.Max:
		v.Error = fmt.Sprintf("%d events match, and at most %d should", v.Count, *a.Max)
	}
	v.OK = v.Error == ""
	v.Events = all[:min(len(all), 20)]
	return v
}

// assert answers 200 if the assertion holds, and 409 if not.
func (d *Desk) assert(w http.ResponseWriter, r *http.Request) error {
	var a Assertion
	if err := readJSON(r, &a); err != nil {
		return err
	}
	within, errWithin := duration("within", a.Within, maxWait)
	during, errDuring := duration("during", a.During, maxWait)
	if err := cmp.Or(
		oneOf("kind", a.Kind, kinds()...), oneOf("area", a.Area, areas()...), oneOf("state", a.State, states()...), errWithin, errDuring,
	); err != nil {
		return err
	}
	if a.Min != nil && *a.Min < 0 || a.Max != nil && *a.Max < 0 || a.Min != nil && a.Max != nil && *a.Min > *a.Max {
		return problem{"min", "min and max must not be negative, and min not more than max"}
	}
	v := d.until(r, a, within, true)
	if v.OK && during > 0 {
		v = d.until(r, a, during, false)
	}
	status := http.StatusOK
	if !v.OK {
		status = http.StatusConflict
		if v.Count == 0 {
			v.Near, _ = d.journal.items.page(0, 5, func(e Event) bool { return a.Kind == "" || a.Kind == e.Kind })
		}
	}
	v.Events, v.Near = d.fulls(v.Events), d.fulls(v.Near)
	writeJSON(w, status, v)
	return nil
}

// until counts until the assertion is as wanted, or time is up.
func (d *Desk) until(r *http.Request, a Assertion, patience time.Duration, wanted bool) Verdict {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		next := d.journal.next()
		v := d.count(a)
		if v.OK == wanted || patience == 0 {
			return v
		}
		select {
		case <-next:
		case <-timer.C:
			return d.count(a)
		case <-r.Context().Done():
			return v
		case <-d.closing:
			return v
		}
	}
}
