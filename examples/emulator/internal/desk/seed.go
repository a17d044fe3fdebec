package desk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// The credentials that there are without a file of seeds. They are public.
const (
	DefaultAppID    = "dev-app"
	DefaultAppKey   = "dev-app-key"
	DefaultRobotKey = "dev-robot-key"
)

// Seed is a state to start in.
type Seed struct {
	Apps      []App                   `json:"apps"`
	Robots    []RobotSettings         `json:"robots"`
	Clients   []SeedClient            `json:"clients"`
	TokenLife string                  `json:"token_life"`
	Messages  []SeedMessage           `json:"messages"`
	Faults    map[string]FaultSetting `json:"faults"`
	Advance   string                  `json:"advance"`
}

// SeedClient is a client of the token endpoint.
type SeedClient struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// SeedMessage is a message of a robot, or a line of a member.
type SeedMessage struct {
	Robot  string          `json:"robot"`
	Body   json.RawMessage `json:"body"`
	Member string          `json:"member"`
	Text   string          `json:"text"`
}

// DefaultSeed has one app, which is a client of the token endpoint, and one robot.
func DefaultSeed() *Seed {
	return &Seed{
		Apps:    []App{{DefaultAppID, DefaultAppKey}},
		Robots:  []RobotSettings{{Name: "Robot", Key: DefaultRobotKey}},
		Clients: []SeedClient{{DefaultAppID, DefaultAppKey}},
	}
}

// ReadSeed reads a file of seeds, in JSON or YAML. What it does not name is as in
// DefaultSeed.
func ReadSeed(text []byte) (*Seed, error) {
	s, err := parseSeed(text)
	if err != nil {
		return nil, err
	}
	byDefault := DefaultSeed()
	if s.Apps == nil {
		s.Apps = byDefault.Apps
	}
	if s.Robots == nil {
		s.Robots = byDefault.Robots
	}
	if s.Clients == nil {
		for _, app := range s.Apps {
			s.Clients = append(s.Clients, SeedClient{app.ID, app.Key})
		}
	}
	return s, nil
}

// parseSeed reads JSON or YAML, in which every member must be known.
func parseSeed(text []byte) (*Seed, error) {
	if !json.Valid(text) {
		converted, err := yamlToJSON(text)
		if err != nil {
			return nil, problem{"", "the seeds are neither JSON nor YAML: " + err.Error()}
		}
		text = converted
	}
	var s Seed
	return &s, decode(text, &s)
}

func (d *Desk) handleSeed(r *http.Request) (any, error) {
	text, err := readBody(r, "application/json", "application/yaml", "application/x-yaml", "text/yaml")
	if err != nil {
		return nil, err
	}
	s, err := parseSeed(text)
	if err != nil {
		return nil, err
	}
	return nil, d.seed(s)
}

// seed adds what a Seed has. It stops at the first mistake.
func (d *Desk) seed(s *Seed) error {
	if err := d.addApps(s.Apps); err != nil {
		return err
	}
	for i, robot := range s.Robots {
		if err := robot.check(); err != nil {
			return fmt.Errorf("robots[%d]: %w", i, err)
		}
		if _, err := d.chat.add(robot); err != nil {
			return fmt.Errorf("robots[%d]: %w", i, err)
		}
	}
	for i, client := range s.Clients {
		if _, err := d.plugin.setClient(client.ID, client.Secret); err != nil {
			return fmt.Errorf("clients[%d]: %w", i, err)
		}
	}
	if s.TokenLife != "" {
		if err := d.plugin.setLife(s.TokenLife); err != nil {
			return err
		}
	}
	for area, setting := range s.Faults {
		if !slices.Contains(areas(), area) {
			return problem{"faults", "there is no area " + cut(area, 50)}
		}
		if err := d.faults.set(area, setting); err != nil {
			return fmt.Errorf("faults.%s: %w", area, err)
		}
	}
	if s.Advance != "" {
		by, err := positive("advance", s.Advance)
		if err != nil {
			return err
		}
		d.clock.advance(by, false)
	}
	for i, m := range s.Messages {
		if err := d.chat.seed(m); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	d.journal.add(Event{Kind: kindSeed, Text: "seeds were added"})
	return nil
}

// addApps adds apps, or changes their keys.
func (d *Desk) addApps(apps []App) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, app := range apps {
		if app.ID == "" || app.Key == "" || strings.ContainsAny(app.ID, ": \t\r\n") || len(app.ID)+len(app.Key) > 400 {
			return problem{"apps", fmt.Sprintf("apps[%d]: id and key are required; an id has no colon and no white space", i)}
		}
		at := slices.IndexFunc(d.apps, func(a App) bool { return a.ID == app.ID })
		switch {
		case at >= 0:
			d.apps[at] = app
		case len(d.apps) == maxApps:
			return problem{"apps", fmt.Sprintf("apps[%d]: there are %d apps already", i, maxApps)}
		default:
			d.apps = append(d.apps, app)
		}
	}
	return nil
}

// seed shows a message that was never sent.
func (c *chat) seed(m SeedMessage) error {
	if m.Member != "" || m.Body == nil {
		l := line{Text: m.Text, SenderName: m.Member}
		if m.Member == "Bob" {
			l.Sender = bob
		}
		if err := l.check(); err != nil {
			return err
		}
		c.keep(Message{
			At: c.desk.clock.now().UTC(), From: "member", Sender: l.Sender, SenderName: l.SenderName, Type: "text",
			Length: len([]rune(l.Text)), Blocks: plainBlocks(l.Text), Plain: l.Text,
		})
		return nil
	}
	robot, ok := c.robot(func(r Robot) bool { return m.Robot == "" || r.Name == m.Robot })
	if !ok {
		return problem{"robot", "there is no robot of that name"}
	}
	message, err := webhook.Decode(m.Body)
	if err != nil {
		return problem{"body", "the body is not a message"}
	}
	shown := messageOf(webhooktest.Sent{Message: message, Body: m.Body, At: c.desk.clock.now()}, c.desk.hider())
	shown.Robot, shown.RobotName = robot.ID, robot.Name
	c.keep(shown)
	return nil
}

// positive reads a duration of more than zero.
func positive(field, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 10*365*24*time.Hour {
		return 0, problem{field, field + " must be a duration of more than zero, such as 31m"}
	}
	return d, nil
}

// advance moves the clock.
func (d *Desk) advance(r *http.Request) (any, error) {
	var body struct {
		By    string `json:"by"`
		Dates bool   `json:"dates"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	by, err := positive("by", body.By)
	if err != nil {
		return nil, err
	}
	d.clock.advance(by, body.Dates)
	d.journal.add(Event{Kind: kindTime, Text: "the clock was moved by " + by.String()})
	return d.clock.show(), nil
}

// areaFaults is what the API shows of the faults of an area.
type areaFaults struct {
	Area   string        `json:"area"`
	Active *FaultSetting `json:"active,omitempty"`
	Hits   int           `json:"hits"`
	Offers []Offer       `json:"offers"`
}

func (d *Desk) listFaults(*http.Request) (any, error) {
	var all struct {
		Areas []areaFaults `json:"areas"`
	}
	for _, area := range areas() {
		active, hits := d.faults.setting(area)
		all.Areas = append(all.Areas, areaFaults{area, active, hits, offers(area)})
	}
	return all, nil
}

func (d *Desk) healAll(*http.Request) (any, error) {
	d.faults.heal(areas()...)
	d.journal.add(Event{Kind: kindFault, State: "off", Text: "all faults are off"})
	return nil, nil
}

func (d *Desk) setFault(r *http.Request) (any, error) {
	area := r.PathValue("area")
	if !slices.Contains(areas(), area) {
		return nil, notFound("area")
	}
	var s FaultSetting
	if err := readJSON(r, &s); err != nil {
		return nil, err
	}
	if err := d.faults.set(area, s); err != nil {
		return nil, err
	}
	d.journal.add(Event{Kind: kindFault, Area: area, State: "on", Text: s.Kind})
	return d.listFaults(r)
}

func (d *Desk) heal(r *http.Request) (any, error) {
	area := r.PathValue("area")
	if !slices.Contains(areas(), area) {
		return nil, notFound("area")
	}
	d.faults.heal(area)
	d.journal.add(Event{Kind: kindFault, Area: area, State: "off", Text: "the fault is off"})
	return nil, nil
}
