package desk

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// taskWait is the longest that a task may take, waiting included.
const taskWait = 10 * time.Minute

// lookEvery is how often the progress of a task is looked at.
const lookEvery = 100 * time.Millisecond

// conversions are the tasks of a fake of the conversion API, whose work the local engine
// does.
type conversions struct {
	desk *Desk
	list *ring[Conversion]

	mu     sync.Mutex
	server *converttest.Server
	byTask map[string]string // Ids of conversions.
	closed bool
}

func newConversions(d *Desk) *conversions {
	c := &conversions{desk: d, list: newRing[Conversion]("c", maxConversions)}
	return c
}

// adopt lets the fake know a task that an earlier run has finished.
func (c *conversions) adopt() {
	items, _ := c.list.page(0, maxConversions, func(x Conversion) bool { return x.TaskID != "" })
	for _, x := range items {
		step := converttest.Failure(x.Message)
		switch {
		case x.State == taskSuccess && x.Files != nil:
			step = converttest.Success(x.Files...)
		case x.State == taskSuccess:
			continue // Its results are not kept, so the task is not, either.
		}
		job, err := converttest.Script{step}.Start(context.Background(), converttest.Submission{})
		if err != nil {
			continue
		}
		c.mu.Lock()
		c.server.Adopt(converttest.Submission{Task: convert.Task{ID: x.TaskID, Target: convert.Target(x.Target)}, AppID: x.AppID}, job)
		c.byTask[x.TaskID] = x.ID
		c.mu.Unlock()
	}
}

// start begins with a fake without tasks, and closes the one before.
func (c *conversions) start() {
	d := c.desk
	server := converttest.NewServer(&converttest.Options{
		Lookup: d.lookup, Converter: c, PublicURL: d.cfg.URL, Sources: &http.Client{Timeout: callTimeout},
		Now: d.clock.now, Logger: d.cfg.Logger, TaskID: d.taskID,
		DateNow: func() time.Time { return d.clock.dateNow().Add(d.faults.skew(areaConversion)) },
	})
	c.mu.Lock()
	old := c.server
	c.server, c.byTask = server, map[string]string{}
	c.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

func (c *conversions) close() {
	c.mu.Lock()
	server := c.server
	c.closed = true
	c.mu.Unlock()
	server.Close()
}

// ServeHTTP answers the calls of the conversion API. A submit that it refuses is kept as
// a conversion, too.
func (c *conversions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	server := c.server
	c.mu.Unlock()
	server.ServeHTTP(w, r)
}

// Start implements [converttest.Converter].
func (c *conversions) Start(ctx context.Context, s converttest.Submission) (converttest.Job, error) {
	ctx, cancel := context.WithCancel(ctx)
	job, err := c.desk.cfg.Engine.Converter(taskWait).Start(ctx, s)
	if err != nil {
		cancel()
		return nil, err
	}
	sent, _, _ := sentParameters(string(s.Task.Target), s.Body)
	w := &watched{job: job}
	conversion := c.list.add(func(id string) Conversion {
		return Conversion{
			ID: id, TaskID: s.Task.ID, At: c.desk.clock.now().UTC(), Target: string(s.Task.Target), Name: cut(s.Filename, 1000),
			URL: withoutQuery(s.URL), AppID: s.AppID, State: taskWaiting, Sent: sent, Understood: understood(s, sent),
			Results: []Result{}, cancel: func() { w.stop(cancel) },
		}
	})
	c.mu.Lock()
	c.byTask[s.Task.ID] = conversion.ID
	c.mu.Unlock()
	if p := pendingOf(ctx); p != nil {
		p.ref = conversion.ID
		p.arrived = func(exchange string) string {
			c.list.change(conversion.ID, func(x *Conversion) { x.Exchange = exchange })
			return conversion.ID
		}
	}
	c.tell(conversion)
	c.desk.work.Go(func() {
		defer cancel()
		c.follow(w, conversion.ID)
	})
	c.forget()
	return w, nil
}

// tell tells of a conversion.
func (c *conversions) tell(x Conversion) {
	c.desk.journal.add(Event{Kind: kindTask, Area: areaConversion, State: x.State, Ref: x.ID, Text: x.Name + " to " + x.Target + " " + x.Message}, x.TaskID)
}

// follow takes over the progress of a job until it has ended.
func (c *conversions) follow(w *watched, id string) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	started := c.desk.cfg.Now()
	for {
		step := w.Step()
		was, ok := c.list.get(id)
		if !ok {
			return
		}
		now := was
		now.step(step)
		if now.State == taskFailed && step.Message == "cancelled" {
			now.State = taskCancelled
		}
		if now.State != was.State || now.Progress != was.Progress || now.ended() {
			now, ok = c.list.change(id, func(x *Conversion) {
				x.State, x.Progress, x.Message, x.Files, x.Results = now.State, now.Progress, now.Message, now.Files, now.Results
				x.Took = milliseconds(c.desk.cfg.Now().Sub(started))
			})
			if ok {
				c.tell(now)
			}
			c.forget()
		}
		if now.ended() {
			return
		}
		select {
		case <-tick.C:
		case <-c.desk.closing:
			return
		}
	}
}

// forget lets the fake forget what the list has forgotten, and gives up the oldest
// results if all of them are too much.
func (c *conversions) forget() {
	held := 0
	kept := map[string]bool{}
	old := []string{}
	items, _ := c.list.page(0, maxConversions, func(Conversion) bool { return true })
	for _, x := range items {
		held += x.size()
		if held > maxResultBytes && len(x.Files) > 0 {
			old = append(old, x.ID)
			continue
		}
		kept[x.TaskID] = true
	}
	for _, id := range old {
		c.list.change(id, func(x *Conversion) {
			x.Files = nil
			x.Results = resultsWithout(x.Results)
		})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for task := range c.byTask {
		if !kept[task] {
			delete(c.byTask, task)
			c.server.Forget(task)
		}
	}
}

func resultsWithout(results []Result) []Result {
	gone := append([]Result{}, results...)
	for i := range gone {
		gone[i].Kept = false
	}
	return gone
}

// refusals keeps submits that the fake refuses.
func (c *conversions) refusals(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := pendingOf(r.Context())
		_, target, submit := strings.Cut(r.URL.Path, converttest.PathPrefix+"office/convert/to/")
		if p == nil || !submit {
			next.ServeHTTP(w, r)
			return
		}
		head, _ := peek(r)
		next.ServeHTTP(w, r)
		if p.ref != "" || p.fault != "" {
			return
		}
		sent, name, address := sentParameters(target, head)
		app := ""
		if parts := strings.Split(r.Header.Get("Authorization"), ":"); len(parts) == 3 {
			app = cut(parts[1], 100)
		}
		p.arrived = func(exchange string) string {
			x, _ := c.desk.exchanges.get(exchange)
			refused := c.list.add(func(id string) Conversion {
				return Conversion{
					ID: id, At: x.At, Target: cut(target, 20), Name: name, URL: address, AppID: app, State: taskRefused, Message: x.Reason,
					Sent: sent, Understood: []Understood{}, Results: []Result{}, Exchange: exchange,
				}
			})
			c.tell(refused)
			c.forget()
			return refused.ID
		}
	})
}
