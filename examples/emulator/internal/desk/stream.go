package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How a stream of events is written.
const (
	heartbeat   = 20 * time.Second
	writeWait   = 10 * time.Second      // For a client that does not read.
	maxReplayed = 500                   // Events at once.
	gather      = 25 * time.Millisecond // So that a burst is few writes.
)

// events streams what happens.
func (d *Desk) events(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "since")
	since := q.number("since", 0, 1<<53, d.journal.last())
	if q.err != nil {
		return q.err
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 {
			return problem{"Last-Event-ID", "Last-Event-ID must be the id of an event"}
		}
		since = n
	}
	select {
	case d.streams <- struct{}{}:
		defer func() { <-d.streams }()
	default:
		return refusal{http.StatusServiceUnavailable, fmt.Sprintf("%d clients read the events already", maxStreams)}
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	s := stream{w: w, c: http.NewResponseController(w), now: d.cfg.Now}
	if err := s.write(": the emulator\nretry: 1000\n\n"); err != nil {
		return nil //nolint:nilerr // The client has gone.
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		next := d.journal.next()
		text, last := d.after(since)
		var err error
		if text != "" {
			since, err = last, s.write(text)
		}
		if err != nil {
			return nil //nolint:nilerr // The client has gone, or does not read.
		}
		if since < d.journal.last() {
			continue
		}
		select {
		case <-next:
			if !pause(r.Context(), gather) {
				return nil
			}
		case <-beat.C:
			if s.write(": \n\n") != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		case <-d.closing:
			return nil
		}
	}
}

// pause reports whether d passed before ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// after writes the events after one, some of them at most.
func (d *Desk) after(since int) (text string, last int) {
	oldest, newest := d.journal.items.bounds()
	var found []Event
	if since < oldest-1 || since > newest {
		// What came between is forgotten, or the client knows another run.
		since = max(oldest-1, newest-maxReplayed)
		found = append(found, Event{ID: since, At: d.clock.now().UTC(), Kind: kindGap, Text: "events are missing: load the lists again"})
	}
	last = since
	d.journal.items.since(since, func(e Event) bool {
		found = append(found, e)
		last = e.ID
		return len(found) < maxReplayed
	})
	var b strings.Builder
	for _, e := range found {
		b.WriteString(d.encoded.text(e, d.full))
	}
	return b.String(), last
}

// encoded are events as a stream has them, so that many clients do not cost more than
// one.
type encoded struct {
	mu    sync.Mutex
	slots [512]struct {
		id   int
		text string
	}
}

// maxEncoded is the longest text that is kept.
const maxEncoded = 16 << 10

func (c *encoded) text(e Event, full func(Event) Event) string {
	slot := &c.slots[e.ID%len(c.slots)]
	if e.Kind != kindGap {
		c.mu.Lock()
		text := slot.text
		hit := slot.id == e.ID
		c.mu.Unlock()
		if hit {
			return text
		}
	}
	body, err := json.Marshal(full(e))
	if err != nil {
		return ""
	}
	text := "id: " + strconv.Itoa(e.ID) + "\ndata: " + string(body) + "\n\n"
	if e.Kind != kindGap && len(text) <= maxEncoded {
		c.mu.Lock()
		defer c.mu.Unlock()
		slot.id, slot.text = e.ID, text
	}
	return text
}

// stream writes to a client that may not read.
type stream struct {
	w   http.ResponseWriter
	c   *http.ResponseController
	now func() time.Time
}

func (s stream) write(text string) error {
	_ = s.c.SetWriteDeadline(s.now().Add(writeWait)) // Not every writer has one.
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.c.Flush()
}
