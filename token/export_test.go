package token

// Apps is how many apps c keeps.
func (c *Cache) Apps() int { return len(*c.kept.Load()) }

// Flights is how many fetches are under way.
func (c *Cache) Flights() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.flights)
}
