package desk

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// routes are those of the chat.
func (c *chat) routes() []route {
	return []route{
		{method: "GET", path: "/chat/messages", handle: c.listMessages},
		{method: "GET", path: "/chat/messages/{id}", handle: func(r *http.Request) (any, error) {
			m, ok := c.messages.get(r.PathValue("id"))
			if !ok {
				return nil, notFound("message")
			}
			return m, nil
		}},
		{method: "GET", path: "/chat/robots", handle: func(*http.Request) (any, error) { return list[Robot]{Items: c.all()}, nil }},
		{method: "POST", path: "/chat/robots", status: http.StatusCreated, handle: func(r *http.Request) (any, error) {
			var s RobotSettings
			if err := readJSON(r, &s); err != nil {
				return nil, err
			}
			if err := s.check(); err != nil {
				return nil, err
			}
			return c.add(s)
		}},
		{method: "GET", path: "/chat/robots/{id}", handle: func(r *http.Request) (any, error) { return c.byID(r.PathValue("id")) }},
		{method: "PUT", path: "/chat/robots/{id}", handle: func(r *http.Request) (any, error) {
			var s RobotSettings
			if err := readJSON(r, &s); err != nil {
				return nil, err
			}
			if err := s.check(); err != nil {
				return nil, err
			}
			return c.update(r.PathValue("id"), s)
		}},
		{method: "DELETE", path: "/chat/robots/{id}", handle: func(r *http.Request) (any, error) { return nil, c.remove(r.PathValue("id")) }},
		{method: "PUT", path: "/chat/robots/{id}/callback", handle: c.handleRegister},
		{method: "DELETE", path: "/chat/robots/{id}/callback", handle: c.handleUnregister},
		{method: "POST", path: "/chat/say", handle: c.handleSay},
	}
}

func (s RobotSettings) check() error {
	switch {
	case utf8.RuneCountInString(s.Name) > 100:
		return problem{"name", "name must have at most 100 characters"}
	case len(s.Key) > 200 || strings.ContainsAny(s.Key, " \t\r\n"):
		return problem{"key", "key must have at most 200 characters and no white space"}
	case len(s.SigningSecret) > 200:
		return problem{"signing_secret", "signing_secret must have at most 200 characters"}
	}
	return nil
}

func (c *chat) listMessages(r *http.Request) (any, error) {
	q := queryOf(r, "robot", "refused", "text", "before", "limit")
	robot, refused, text := q.text("robot"), q.boolean("refused"), strings.ToLower(q.text("text"))
	before, limit := q.page(c.messages.prefix)
	if q.err != nil {
		return nil, q.err
	}
	items, next := c.messages.page(before, limit, func(m Message) bool {
		return (robot == "" || m.Robot == robot) && (refused == nil || *refused == (m.Refused != "")) &&
			(text == "" || strings.Contains(strings.ToLower(m.Plain+"\n"+m.SenderName+"\n"+m.RobotName+"\n"+m.Reason), text))
	})
	return list[Message]{items, next}, nil
}

func (c *chat) handleRegister(r *http.Request) (any, error) {
	var body struct {
		URL string `json:"url"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	robot, err := c.byID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if safeURL(body.URL) == "" {
		return nil, problem{"url", "url must be an absolute http or https URL"}
	}
	return c.register(r.Context(), robot, body.URL), nil
}

func (c *chat) handleUnregister(r *http.Request) (any, error) {
	robot, err := c.byID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	err = c.server.Add(robot.robot()) // Which forgets the callback.
	c.mu.Unlock()
	if err == nil {
		c.setCallback(robot.ID, "")
	}
	return nil, err
}

// line is what a member writes.
type line struct {
	Text       string `json:"text"`
	Robot      string `json:"robot"`
	Sender     int64  `json:"sender"`
	SenderName string `json:"sender_name"`
	ReplyTo    string `json:"reply_to"`
}

// The members that there always are.
const (
	ann = 2001
	bob = 2002
)

func (l *line) check() error {
	l.Sender = cmp.Or(l.Sender, ann)
	if l.SenderName == "" {
		l.SenderName = map[int64]string{ann: "Ann", bob: "Bob"}[l.Sender]
	}
	switch {
	case strings.TrimSpace(l.Text) == "":
		return problem{"text", "text must not be empty"}
	case utf8.RuneCountInString(l.Text) > webhook.MaxMessageLength:
		return problem{"text", "text must have at most 5000 characters"}
	case utf8.RuneCountInString(l.SenderName) > 100:
		return problem{"sender_name", "sender_name must have at most 100 characters"}
	}
	return nil
}

func (c *chat) handleSay(r *http.Request) (any, error) {
	var l line
	if err := readJSON(r, &l); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	return c.say(r.Context(), l)
}

// said is the answer of say.
type said struct {
	Message  Message  `json:"message"`
	Delivery *Outcome `json:"delivery,omitempty"`
}

// say shows the line of a member, and delivers it to the robot that it mentions.
func (c *chat) say(ctx context.Context, l line) (said, error) {
	m := Message{
		At: c.desk.clock.now().UTC(), From: "member", Sender: l.Sender, SenderName: l.SenderName, Type: "text",
		Length: utf8.RuneCountInString(l.Text), Blocks: plainBlocks(l.Text), Plain: l.Text,
	}
	var robot Robot
	if l.Robot != "" {
		var err error
		if robot, err = c.byID(l.Robot); err != nil {
			return said{}, problem{"robot", "there is no such robot"}
		}
		m.Robot, m.RobotName = robot.ID, robot.Name
		m.Blocks = plainBlocks("@" + robot.Name + " " + l.Text)
	}
	event := webhook.Event{SenderID: l.Sender, Content: "@" + robot.Name + " " + l.Text, RobotKey: signing.NewSecret(robot.Key)}
	if l.ReplyTo != "" {
		to, ok := c.messages.get(l.ReplyTo)
		if !ok {
			return said{}, problem{"reply_to", "there is no such message; it may have been forgotten"}
		}
		m.ReplyTo = &ReplyTo{to.ID, cut(to.Plain, maxEventText), cmp.Or(to.SenderName, to.RobotName)}
		event.Reply = &webhook.Quoted{Content: to.Plain, SenderID: to.Sender}
	}
	m = c.keep(m)
	if l.Robot == "" {
		return said{Message: m}, nil
	}
	delivery := c.deliver(ctx, robot, event)
	m, _ = c.messages.change(m.ID, func(m *Message) { m.Delivery = &delivery })
	state := stateOK
	if !delivery.OK {
		state = stateFailed
	}
	c.desk.journal.add(Event{Kind: kindDelivery, Area: areaChat, State: state, Ref: m.ID, Text: delivery.Text}, m.Plain)
	return said{m, &delivery}, nil
}

// deliver sends a mention to the callback of the robot.
func (c *chat) deliver(ctx context.Context, robot Robot, event webhook.Event) Outcome {
	if robot.CallbackURL == "" {
		return Outcome{Text: "The robot has no callback address, so the message was not delivered. Register one in its settings."}
	}
	if robot.unchecked {
		if checked := c.register(ctx, robot, robot.CallbackURL); !checked.OK {
			return checked
		}
	}
	c.mu.Lock()
	// Receivers take two equal events for one that is repeated.
	c.ctime = max(c.ctime+1, c.desk.clock.now().Unix())
	event.CTime = c.ctime
	server := c.server
	c.mu.Unlock()
	t := &trace{}
	err := server.Mention(withTrace(ctx, t), event)
	return outcome(t, "Delivered. What the robot answers appears in the group.", err)
}
