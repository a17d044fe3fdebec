package desk

import (
	"sync"
	"time"
)

// clock is the time of the service. It can be moved forward: what expires and the minute
// of the robots, and apart from that the Dates of signatures, since clients sign with
// the real time.
type clock struct {
	real func() time.Time

	mu            sync.Mutex
	offset, dates time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.real().Add(c.offset)
}

func (c *clock) dateNow() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.real().Add(c.dates)
}

func (c *clock) advance(by time.Duration, dates bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
	if dates {
		c.dates += by
	}
}

func (c *clock) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset, c.dates = 0, 0
}

// Time is the clock as the API shows it.
type Time struct {
	Now         time.Time `json:"now"`
	Real        time.Time `json:"real"`
	Offset      string    `json:"offset"`
	DatesOffset string    `json:"dates_offset"`
}

func (c *clock) show() Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.real().UTC()
	return Time{now.Add(c.offset), now, c.offset.String(), c.dates.String()}
}
