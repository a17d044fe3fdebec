package convert

import (
	"context"
	"encoding/json"
	"errors"
)

// Where conversions are submitted (protocol 4.1).
const (
	textPath = "/api/developer/v1/office/convert/to/txt"
	pdfPath  = "/api/developer/v1/office/convert/to/pdf"
)

// SubmitText starts a conversion to text and returns its task. A request that
// breaks a rule of protocol 2.1 is not sent: the error then joins a [*FieldError]
// for each rule. The call is tried again only where the service refused it for
// its rate; after any other failure that is not a FieldError the service may have
// taken it.
func (c *Client) SubmitText(ctx context.Context, req TextRequest) (Task, error) {
	const op = "submit text"
	if err := req.check().join(op); err != nil {
		return Task{}, err
	}
	body := textBody{
		documentBody:   documentBody{URL: req.URL, Filename: req.Filename, Password: req.Password.Reveal()},
		MergePages:     req.MergePages,
		KeepLineBreaks: req.KeepLineBreaks,
	}
	switch pages := req.Pages.(type) {
	case Span:
		body.FromPage, body.ToPage = pages.From, pages.To
	case Ranges:
		body.Ranges = pages.String()
	}
	return c.submit(ctx, op, Text, textPath, body.documentBody, body)
}

// SubmitPDF starts a conversion to PDF. Errors and repeats are those of
// [Client.SubmitText].
func (c *Client) SubmitPDF(ctx context.Context, req PDFRequest) (Task, error) {
	const op = "submit pdf"
	if err := req.check().join(op); err != nil {
		return Task{}, err
	}
	body := pdfBody{documentBody: documentBody{
		URL: req.URL, Filename: req.Filename, Password: req.Password.Reveal(),
		FromPage: req.Pages.From, ToPage: req.Pages.To,
	}}
	if req.ShowComments {
		body.ShowComments = 1
	}
	return c.submit(ctx, op, PDF, pdfPath, body.documentBody, body)
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
	ShowComments int `json:"show_comments,omitempty"` // an integer, whatever its default is written as
}

// secrets lists what no error may repeat of a body.
func (b documentBody) secrets() []string {
	secrets := sourceSecrets(b.URL)
	if len(b.Password) >= minSecret {
		secrets = append(secrets, b.Password)
	}
	return secrets
}

var errNoTaskID = errors.New("no task id (protocol 2.2)")

func (c *Client) submit(ctx context.Context, op string, target Target, path string, doc documentBody, body any) (Task, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return Task{}, wrap(op, err)
	}
	task := Task{Target: target}
	err = c.exchange(ctx, &exchange{op: op, method: "POST", url: c.base + path, body: encoded, secrets: doc.secrets},
		func(a *answer) error {
			var data struct {
				TaskID word `json:"task_id"`
			}
			if err := a.decode(&data); err != nil {
				return err
			}
			if data.TaskID == "" {
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
