package convert

import (
	"context"
	"errors"
	"net/url"
)

// Task is a conversion that the service took on. It is plain data: store it, and
// carry on after a restart with [Client.Wait], [Client.Save] or [Batch]. Its JSON
// form {"id":…,"target":…} stays as it is.
type Task struct {
	ID     string `json:"id"`
	Target Target `json:"target"`
}

func (Task) request() {}

// taskPath is where a task is queried (public reference 1.1).
const taskPath = "/api/developer/v1/tasks/"

// defaultTaskQuery leaves the ":" of an id as it is, since the service signs what
// it sees: url.PathEscape does.
func defaultTaskQuery(t Task) Call {
	return Call{Path: taskPath + url.PathEscape(t.ID)}
}

// Status asks for the state of t once. A task that failed is a Status, not an
// error: see [DefaultClassify]. An answer that is no success, or that has no
// state, is an [*APIError], after Config.Attempts tries.
func (c *Client) Status(ctx context.Context, t Task) (*Status, error) {
	const op = "status"
	if t.ID == "" || t.ID == "." || t.ID == ".." {
		var found problems
		found.add("ID", "must be that of a submitted task (protocol 2.2)")
		return nil, found.join(op)
	}
	call := c.cfg.TaskQuery(t)
	if call.Op == "" {
		call.Op = op
	}
	call.Repeatable = true
	e, err := c.prepare(call, nil)
	if err != nil {
		return nil, err
	}
	var status *Status
	err = c.exchange(ctx, e, func(a *answer) error {
		var data statusData
		if err := a.decode(&data); err != nil {
			return err
		}
		if data.Status == "" && data.message() == "" {
			return a.fail(errNoState)
		}
		if !data.complete() {
			return a.fail(errBadFile)
		}
		status = data.status(c.cfg.Now())
		status.Raw = a.response.Body
		return nil
	})
	if err != nil {
		return nil, err
	}
	return status, nil
}

var (
	errNoState = errors.New("no status (protocol 2.3)")
	errBadFile = errors.New("a file of the result has no url or no possible size (protocol 2.3)")
)
