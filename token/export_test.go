package token

import "maps"

// Apps is how many apps c keeps a token of.
func (c *Cache) Apps() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, part := range []map[string]*entry{*c.kept.Load(), c.fresh} {
		for e := range maps.Values(part) {
			if e.Load() != absent {
				n++
			}
		}
	}
	return n
}

// Fetches is how many fetches callers can wait for, and how many apps have abandoned calls
// that still run.
func (c *Cache) Fetches() (running, late int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.fetches), len(c.late)
}

// Fresh is how many apps are found under the lock only.
func (c *Cache) Fresh() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.fresh)
}
