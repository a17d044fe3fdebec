package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// chat is the group: its messages, and its robots on a fake of the messaging service.
type chat struct {
	desk     *Desk
	messages *ring[Message]

	mu     sync.Mutex
	server *webhooktest.Server
	robots []Robot // In the order in which they were added.
	added  int     // Counted for their ids.
	ctime  int64   // Of the last mention.
}

// RobotSettings are what can be changed of a robot.
type RobotSettings struct {
	Name          string   `json:"name"`
	Key           string   `json:"key"`
	SigningSecret string   `json:"signing_secret"`
	Keywords      []string `json:"keywords"`
	AllowList     []string `json:"allow_list"`
	PerMinute     int      `json:"per_minute"`
}

// Robot is a robot of the group.
type Robot struct {
	ID string `json:"id"`
	RobotSettings
	URL         string `json:"url"`
	CallbackURL string `json:"callback_url"`
	Curl        string `json:"curl"`

	unchecked bool // The callback was registered in an earlier run.
}

func newChat(d *Desk) *chat {
	c := &chat{desk: d, messages: newRing[Message]("m", maxMessages)}
	c.messages.bytes, c.messages.size = maxMessageBytes, Message.size
	c.start()
	return c
}

// start begins with an empty group.
func (c *chat) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.desk
	c.server = webhooktest.NewServer(&webhooktest.Options{
		HTTPClient: d.client(areaChat), Keep: 1, Received: c.received, Now: d.clock.now, Logger: d.cfg.Logger,
		DateNow: func() time.Time { return d.clock.dateNow().Add(d.faults.skew(areaChat)) },
	})
	c.server.Remove(webhooktest.TestKey())
	c.robots = nil
}

// ServeHTTP takes messages.
func (c *chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	server := c.server
	c.mu.Unlock()
	server.ServeHTTP(w, r)
}

// received keeps a message as soon as its exchange has a number.
func (c *chat) received(ctx context.Context, sent webhooktest.Sent) {
	p := pendingOf(ctx)
	if p == nil {
		return
	}
	key := sent.Key.Reveal()
	p.secrets = append(p.secrets, key)
	m := messageOf(sent, c.desk.hider(key))
	if robot, ok := c.robot(func(r Robot) bool { return r.Key == key }); ok {
		m.Robot, m.RobotName = robot.ID, robot.Name
	}
	p.arrived = func(exchange string) string {
		m.Exchange = exchange
		return c.keep(m).ID
	}
}

// keep adds a message and tells of it.
func (c *chat) keep(m Message) Message {
	m = c.messages.add(func(id string) Message {
		m.ID = id
		return m
	})
	c.desk.journal.add(Event{Kind: kindMessage, Area: areaChat, State: m.state(), Ref: m.ID, Text: m.Plain}, m.RobotName, m.SenderName, m.Reason)
	return m
}

func (c *chat) robot(is func(Robot) bool) (Robot, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.robots, is); i >= 0 {
		return c.robots[i], true
	}
	return Robot{}, false
}

func (c *chat) byID(id string) (Robot, error) {
	robot, ok := c.robot(func(r Robot) bool { return r.ID == id })
	if !ok {
		return robot, notFound("robot")
	}
	return robot, nil
}

func (c *chat) all() []Robot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Robot{}, c.robots...)
}

// signs reports whether the robot with that key wants signatures.
func (c *chat) signs(key string) bool {
	robot, ok := c.robot(func(r Robot) bool { return r.Key == key })
	return ok && robot.SigningSecret != ""
}

// add puts a robot into the group.
func (c *chat) add(s RobotSettings) (Robot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Key == "" {
		s.Key = strings.ToLower(rand.Text())
	}
	switch {
	case len(c.robots) == maxRobots:
		return Robot{}, refusal{http.StatusConflict, fmt.Sprintf("there are %d robots already", maxRobots)}
	case slices.ContainsFunc(c.robots, func(r Robot) bool { return r.Key == s.Key }):
		return Robot{}, refusal{http.StatusConflict, "another robot has this key"}
	}
	if s.Name == "" {
		s.Name = "Robot " + strconv.Itoa(c.added+1)
	}
	if err := c.server.Add(s.robot()); err != nil {
		return Robot{}, settingsProblem(err)
	}
	c.added++
	robot := Robot{ID: "r" + strconv.Itoa(c.added)}
	robot.set(s, c.desk.cfg.URL)
	c.robots = append(c.robots, robot)
	c.desk.journal.add(Event{Kind: kindRobot, Area: areaChat, Ref: robot.ID, Text: robot.Name})
	return robot, nil
}

// set takes over settings, and makes what follows from them.
func (r *Robot) set(s RobotSettings, base string) {
	s.Keywords, s.AllowList = append([]string{}, s.Keywords...), append([]string{}, s.AllowList...)
	if s.PerMinute == 0 {
		s.PerMinute = webhook.MessagesPerMinute
	}
	r.RobotSettings = s
	r.URL = (*webhooktest.Server)(nil).Address(base, signing.NewSecret(s.Key)).Reveal()
	r.Curl = sendCommand(r.URL, s)
}

// sendCommand is a command that sends a message.
func sendCommand(url string, s RobotSettings) string {
	text := "Hello from curl"
	if len(s.Keywords) > 0 {
		text = s.Keywords[0] + " " + text
	}
	if s.SigningSecret != "" {
		return "# The robot checks signatures: use examples/robot, or a client that signs."
	}
	return `curl -H 'Content-Type: application/json' -d ` + shellQuote(`{"msgtype":"text","text":{"content":`+quoteJSON(text)+`}}`) + ` ` + shellQuote(url)
}

// robot is how the fake knows the settings.
func (s RobotSettings) robot() webhooktest.Robot {
	return webhooktest.Robot{
		Key: signing.NewSecret(s.Key), SigningSecret: signing.NewSecret(s.SigningSecret),
		Keywords: s.Keywords, AllowList: s.AllowList, PerMinute: s.PerMinute,
	}
}

// settingsProblem is what the fake says is wrong with a robot.
func settingsProblem(err error) error {
	text := strings.ReplaceAll(err.Error(), "webhooktest: robot: ", "")
	for name, field := range map[string]string{"Keywords": "keywords", "AllowList": "allow_list", "PerMinute": "per_minute", "Key": "key"} {
		if strings.HasPrefix(text, name+" ") || strings.HasPrefix(text, name+":") || strings.HasPrefix(text, name+"[") {
			return problem{field, text}
		}
	}
	return problem{"signing_secret", text}
}

// update changes the settings of a robot.
func (c *chat) update(id string, s RobotSettings) (Robot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.robots, func(r Robot) bool { return r.ID == id })
	if i < 0 {
		return Robot{}, notFound("robot")
	}
	robot := c.robots[i]
	if s.Key != "" && s.Key != robot.Key {
		return Robot{}, problem{"key", "the key of a robot cannot be changed: add another robot"}
	}
	s.Key = robot.Key
	if s.Name == "" {
		s.Name = robot.Name
	}
	if err := c.server.Update(s.robot()); err != nil {
		return Robot{}, settingsProblem(err)
	}
	robot.set(s, c.desk.cfg.URL)
	c.robots[i] = robot
	c.desk.journal.add(Event{Kind: kindRobot, Area: areaChat, Ref: robot.ID, Text: robot.Name})
	return robot, nil
}

// remove takes a robot out of the group.
func (c *chat) remove(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.robots, func(r Robot) bool { return r.ID == id })
	if i < 0 {
		return notFound("robot")
	}
	c.server.Remove(signing.NewSecret(c.robots[i].Key))
	c.desk.journal.add(Event{Kind: kindRobot, Area: areaChat, Ref: id, State: "removed", Text: c.robots[i].Name})
	c.robots = slices.Delete(c.robots, i, i+1)
	return nil
}

// setCallback notes the callback address of a robot; empty is none.
func (c *chat) setCallback(id, address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.robots {
		if c.robots[i].ID == id {
			c.robots[i].CallbackURL, c.robots[i].unchecked = address, false
			c.desk.journal.add(Event{Kind: kindRobot, Area: areaChat, Ref: id, Text: c.robots[i].Name})
		}
	}
}

// register registers a callback address as the chat client does.
func (c *chat) register(ctx context.Context, robot Robot, address string) Outcome {
	c.mu.Lock()
	server := c.server
	c.mu.Unlock()
	t := &trace{}
	err := server.Register(withTrace(ctx, t), signing.NewSecret(robot.Key), address)
	if err != nil {
		return outcome(t, "", fmt.Errorf("%s did not take the address: %w", robot.Name, err))
	}
	c.setCallback(robot.ID, address)
	return outcome(t, robot.Name+" forwards its mentions to this address.", nil)
}

// outcome says how a call went, and what to look at.
func outcome(t *trace, done string, err error) Outcome {
	o := Outcome{OK: err == nil, Text: done}
	if err != nil {
		o.Text = strings.ReplaceAll(strings.ReplaceAll(err.Error(), "webhooktest: register: ", ""), "webhooktest: mention: ", "")
		if errors.Is(err, context.DeadlineExceeded) {
			o.Text += ". It took too long: answer first, and work then"
		}
	}
	if ids := t.ids(); len(ids) > 0 {
		o.Exchange = ids[len(ids)-1]
	}
	return o
}
