package desk

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kinds of events.
const (
	kindMessage  = "message"
	kindDelivery = "delivery"
	kindTask     = "task"
	kindExchange = "exchange"
	kindRobot    = "robot"
	kindSession  = "session"
	kindToken    = "token"
	kindFault    = "fault"
	kindTime     = "time"
	kindReset    = "reset"
	kindSeed     = "seed"
	kindGap      = "gap"
)

// Event is something that happened.
type Event struct {
	ID    int       `json:"id"`
	At    time.Time `json:"at"`
	Kind  string    `json:"kind"`
	Area  string    `json:"area,omitempty"`
	State string    `json:"state,omitempty"`
	Ref   string    `json:"ref,omitempty"`
	Text  string    `json:"text"`
	Item  any       `json:"item,omitempty"`

	match string // What a text is looked for in, in lower case.
}

// Texts of an event: the line, and what is searched, in bytes.
const (
	maxEventText  = 300
	maxEventMatch = 12 << 10
)

// journal numbers all events, and wakes those who wait for the next one.
type journal struct {
	now   func() time.Time
	items *ring[Event]

	mu      sync.Mutex
	changed chan struct{} // Closed with the next event.
}

func newJournal(now func() time.Time) *journal {
	j := &journal{now: now, items: newRing[Event]("", maxEvents), changed: make(chan struct{})}
	j.items.bytes, j.items.size = maxEventBytes, func(e Event) int { return len(e.Text) + len(e.match) + 200 }
	return j
}

// add numbers an event. further is text that can be searched, besides that of the event.
func (j *journal) add(e Event, further ...string) {
	e.match = cut(strings.ToLower(e.Text+"\n"+strings.Join(further, "\n")), maxEventMatch)
	e.Text = cut(strings.Join(strings.Fields(e.Text), " "), maxEventText)
	j.mu.Lock()
	defer j.mu.Unlock()
	e.At = j.now().UTC()
	j.items.add(func(id string) Event {
		e.ID, _ = strconv.Atoi(id)
		return e
	})
	close(j.changed)
	j.changed = make(chan struct{})
}

// next is closed when there is another event than those up to now.
func (j *journal) next() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.changed
}

// last is the id of the newest event.
func (j *journal) last() int {
	_, newest := j.items.bounds()
	return newest
}

// Match selects events.
type Match struct {
	Kind  string `json:"kind"`
	Area  string `json:"area"`
	State string `json:"state"`
	Text  string `json:"text"`
	Since int    `json:"since"`
}

func (m Match) accepts(e Event) bool {
	return (m.Kind == "" || m.Kind == e.Kind) && (m.Area == "" || m.Area == e.Area) &&
		(m.State == "" || m.State == e.State) && e.ID > m.Since &&
		(m.Text == "" || strings.Contains(e.match, strings.ToLower(m.Text)))
}

// cut shortens s to at most n bytes, at the end of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
