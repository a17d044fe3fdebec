package desk

import (
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"
)

// settings are what is stored besides the lists.
type settings struct {
	Apps      []App             `json:"apps"`
	Robots    []Robot           `json:"robots"`
	Added     int               `json:"added"` // Robots, so far.
	Clients   map[string]string `json:"clients"`
	Life      time.Duration     `json:"life"`
	Offset    time.Duration     `json:"offset"`
	Dates     time.Duration     `json:"dates"`
	Tasks     int64             `json:"tasks"`
	Steps     int64             `json:"steps"`
	LastEvent int               `json:"last_event"`
}

// settings are those of the moment.
func (d *Desk) settings() settings {
	s := settings{Apps: d.allApps(), Tasks: d.tasks.Load(), Steps: d.viewer.steps.Load(), LastEvent: d.journal.last(), Clients: map[string]string{}}
	for _, c := range d.plugin.allClients() {
		s.Clients[c.ID] = c.Secret
	}
	d.plugin.mu.Lock()
	s.Life = d.plugin.life
	d.plugin.mu.Unlock()
	d.chat.mu.Lock()
	s.Robots, s.Added = append([]Robot{}, d.chat.robots...), d.chat.added
	d.chat.mu.Unlock()
	d.clock.mu.Lock()
	s.Offset, s.Dates = d.clock.offset, d.clock.dates
	d.clock.mu.Unlock()
	return s
}

// What is stored of items whose fields are not all in the API.
type (
	storedMessage struct {
		Message
		Plain string `json:"stored_plain"`
	}
	storedConversion struct {
		Conversion
		Files [][]byte `json:"stored_files"`
	}
	storedExchange struct {
		Exchange
		Detail *Detail `json:"stored_detail"`
	}
)

// restore takes over the state that is stored, and keeps it from then on. It reports
// whether there was one.
func (s *Store) restore(d *Desk) (restored bool, err error) {
	var kept settings
	err = s.db.View(func(tx *bolt.Tx) error {
		if b := tx.Bucket([]byte("settings")); b != nil {
			restored = true
			return json.Unmarshal(b.Get([]byte("settings")), &kept)
		}
		return nil
	})
	if err == nil && restored {
		err = d.restore(kept)
	}
	if err == nil {
		err = s.lists(d)
	}
	if err != nil {
		return restored, err
	}
	d.work.Go(func() { s.keep(d) })
	return restored, nil
}

// lists restores and keeps the lists.
func (s *Store) lists(d *Desk) error {
	if err := keepRing(s, "messages", d.chat.messages,
		func(m Message) storedMessage { return storedMessage{m, m.Plain} },
		func(m storedMessage) Message { m.Message.Plain = m.Plain; return m.Message }); err != nil {
		return err
	}
	if err := keepRing(s, "conversions", d.conversions.list,
		func(c Conversion) storedConversion { return storedConversion{c, c.Files} },
		func(c storedConversion) Conversion {
			c.Conversion.Files = c.Files
			if !c.ended() {
				c.State, c.Message = taskFailed, "the emulator was started again"
			}
			return c.Conversion
		}); err != nil {
		return err
	}
	if err := keepRing(s, "exchanges", d.exchanges,
		func(x Exchange) storedExchange { return storedExchange{x, x.Detail} },
		func(x storedExchange) Exchange {
			x.Exchange.Detail, x.Resendable = x.Detail, false
			return x.Exchange
		}); err != nil {
		return err
	}
	d.conversions.adopt()
	same := func(s Session) Session { return s }
	if err := keepRing(s, "sessions", d.viewer.sessions, same, same); err != nil {
		return err
	}
	call := func(c PluginCall) PluginCall { return c }
	return keepRing(s, "calls", d.plugin.calls, call, call)
}

// keep writes changes until the desk is closed, and then the last ones.
func (s *Store) keep(d *Desk) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.flush(d.settings()); err != nil {
				d.cfg.Logger.Error("the state cannot be stored", "error", err)
			}
		case <-d.closing:
			return
		}
	}
}

// restore takes over settings.
func (d *Desk) restore(kept settings) error {
	d.tasks.Store(kept.Tasks)
	d.viewer.steps.Store(kept.Steps)
	d.clock.mu.Lock()
	d.clock.offset, d.clock.dates = kept.Offset, kept.Dates
	d.clock.mu.Unlock()
	d.journal.items.restore(kept.LastEvent, Event{ID: kept.LastEvent, At: d.clock.now().UTC(), Kind: kindReset, Text: "the emulator was started again"})
	if err := d.addApps(kept.Apps); err != nil {
		return err
	}
	d.plugin.mu.Lock()
	d.plugin.clients, d.plugin.life = kept.Clients, kept.Life
	d.plugin.renew()
	d.plugin.mu.Unlock()
	return d.chat.restore(kept.Robots, kept.Added)
}

// restore takes over robots. Their callbacks are checked when they are needed: whoever
// answers there may not be up yet.
func (c *chat) restore(robots []Robot, added int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, robot := range robots {
		if err := c.server.Add(robot.robot()); err != nil {
			return settingsProblem(err)
		}
		robot.set(robot.RobotSettings, c.desk.cfg.URL)
		robot.unchecked = robot.CallbackURL != ""
		c.robots = append(c.robots, robot)
	}
	c.added = added
	return nil
}
