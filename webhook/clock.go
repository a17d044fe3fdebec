package webhook

import "time"

// clock returns now, or the real clock where that is nil.
func clock(now func() time.Time) func() time.Time {
	if now == nil {
		now = time.Now
	}
	return now
}
