package token

// Apps is how many apps c keeps a token of.
func (c *Cache) Apps() (n int) {
	for range c.kept.Range {
		n++
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
