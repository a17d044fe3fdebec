package convert

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// SubmitText starts a conversion to text and returns its task. A request that breaks a
// rule of protocol 2.1 is not sent: the error joins a [*FieldError] for each rule. The
// call is repeated only if the service rejected it by the rate limit. An error that is
// [ErrNotAccepted] says that there is no task; after any other, the service may have
// made one.
func (c *Client) SubmitText(ctx context.Context, req TextRequest) (Task, error) {
	return c.submit(ctx, req, 0)
}

// SubmitPDF starts a conversion to PDF. Errors and repeats are those of
// [Client.SubmitText].
func (c *Client) SubmitPDF(ctx context.Context, req PDFRequest) (Task, error) {
	return c.submit(ctx, req, 0)
}

// documentBody is what the bodies of protocol 2.1 have in common.
type documentBody struct {
	URL      string `json:"url"`
	Filename string `json:"filename"`
	Password string `json:"password,omitempty"`
	FromPage int    `json:"from_page,omitempty"`
	ToPage   int    `json:"to_page,omitempty"`
}

type textBody struct {
	documentBody
	Ranges         string `json:"ranges,omitempty"`
	MergePages     bool   `json:"long_txt,omitempty"`
	KeepLineBreaks bool   `json:"hold_line_feed,omitempty"`
}

type pdfBody struct {
	documentBody
	ShowComments int `json:"show_comments,omitempty"` // declared as an integer
}

func (r TextRequest) body() (documentBody, any) {
	b := textBody{
		documentBody:   documentBody{URL: r.URL, Filename: r.Filename, Password: r.Password.Reveal()},
		MergePages:     r.MergePages,
		KeepLineBreaks: r.KeepLineBreaks,
	}
	switch pages := r.Pages.(type) {
	case Span:
		b.FromPage, b.ToPage = pages.From, pages.To
	case Ranges:
		b.Ranges = pages.String()
	}
	return b.documentBody, b
}

func (r PDFRequest) body() (documentBody, any) {
	b := pdfBody{documentBody: documentBody{
		URL: r.URL, Filename: r.Filename, Password: r.Password.Reveal(),
		FromPage: r.Pages.From, ToPage: r.Pages.To,
	}}
	if r.ShowComments {
		b.ShowComments = 1
	}
	return b.documentBody, b
}

// secrets returns what no error may repeat of a body.
func (b documentBody) secrets() []string {
	secrets := sourceSecrets(b.URL)
	if len(b.Password) >= minSecret {
		secrets = append(secrets, b.Password)
	}
	return secrets
}

var errNoTaskID = errors.New("no task id (protocol 2.2)")

// submit sends req. If ctx ends while it is on the wire, it waits for the answer as long
// as linger, since the service may have made a task.
func (c *Client) submit(ctx context.Context, req submission, linger time.Duration) (Task, error) {
	row := req.target().row()
	if err := req.check().join(row.op); err != nil {
		return Task{}, err
	}
	document, body := req.body()
	encoded, err := json.Marshal(body)
	if err != nil {
		return Task{}, wrap(row.op, err)
	}
	task := Task{Target: row.name}
	e := &exchange{
		op: row.op, name: row.operation, method: "POST", url: c.base + row.path,
		body: encoded, secrets: document.secrets, linger: linger,
	}
	err = c.exchange(ctx, e, func(a *answer) error {
		var data struct {
			TaskID taskID `json:"task_id"`
		}
		if err := a.decode(&data); err != nil {
			return err
		}
		if !validID(string(data.TaskID)) {
			return a.fail(errNoTaskID)
		}
		task.ID = string(data.TaskID)
		return nil
	})
	if err != nil {
		return Task{}, err
	}
	return task, nil
}

// taskID is a string or an integer. Everything else is as if it were not there.
type taskID word

// UnmarshalJSON reads what can be an id.
func (id *taskID) UnmarshalJSON(b []byte) error {
	isText := b[0] == '"'
	if !isText {
		_, err := strconv.ParseInt(string(b), 10, 64)
		isText = err == nil
	}
	if !isText {
		return nil
	}
	return (*word)(id).UnmarshalJSON(b)
}

// validID reports whether an answer can mean id: it becomes a segment of a path.
func validID(id string) bool {
	return id != "" && id != "." && id != ".." && !strings.ContainsFunc(id, unicode.IsControl)
}
