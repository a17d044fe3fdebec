package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
)

// routes are those of the conversions.
func (c *conversions) routes() []route {
	return []route{
		{method: "GET", path: "/conversions", handle: c.handleList},
		{method: "POST", path: "/conversions", status: http.StatusCreated, handle: c.handleDrop},
		{method: "GET", path: "/conversions/{id}", handle: func(r *http.Request) (any, error) { return c.byID(r) }},
		{method: "POST", path: "/conversions/{id}/cancel", handle: c.handleCancel},
		{method: "GET", path: "/conversions/{id}/results/{n}", raw: c.handleResult},
		{method: "GET", path: "/conversions/{id}/results/{n}/pages", handle: c.handlePages},
		{method: "GET", path: "/conversions/{id}/results/{n}/pages/{picture}", raw: c.handlePicture},
	}
}

func (c *conversions) byID(r *http.Request) (Conversion, error) {
	x, ok := c.list.get(r.PathValue("id"))
	if !ok {
		return x, notFound("conversion")
	}
	return x, nil
}

func (c *conversions) handleList(r *http.Request) (any, error) {
	q := queryOf(r, "state", "text", "before", "limit")
	state, text := q.oneOf("state", taskWaiting, taskRunning, taskSuccess, taskFailed, taskCancelled, taskRefused), strings.ToLower(q.text("text"))
	before, limit := q.page(c.list.prefix)
	if q.err != nil {
		return nil, q.err
	}
	items, next := c.list.page(before, limit, func(x Conversion) bool {
		return (state == "" || x.State == state) && (text == "" || strings.Contains(strings.ToLower(x.Name+"\n"+x.TaskID+"\n"+x.Message), text))
	})
	return list[Conversion]{items, next}, nil
}

func (c *conversions) handleCancel(r *http.Request) (any, error) {
	x, err := c.byID(r)
	if err != nil {
		return nil, err
	}
	if x.ended() || x.cancel == nil {
		return nil, refusal{http.StatusConflict, "the conversion has ended: " + x.State}
	}
	x.cancel()
	return c.byID(r)
}

// handleDrop publishes a document and submits it as an app would.
func (c *conversions) handleDrop(r *http.Request) (any, error) {
	form, err := readForm(r, "target", "name", "password", "from_page", "to_page", "ranges", "long_txt", "hold_line_feed", "show_comments")
	if err != nil {
		return nil, err
	}
	defer form.remove()
	target := form.values["target"]
	if target != "txt" && target != "pdf" {
		return nil, problem{"target", "target must be txt or pdf"}
	}
	name := form.values["name"]
	if name == "" {
		name = form.name
	}
	submit := map[string]any{"filename": name}
	for field, text := range form.values {
		if field != "target" && field != "name" {
			submit[field] = fieldValue(field, text)
		}
	}
	if submit["url"], err = c.desk.documents.publish(form.file, name); err != nil {
		return nil, err
	}
	body, err := json.Marshal(submit)
	if err != nil {
		return nil, problem{"", "the parameters cannot be sent"}
	}
	return c.submit(r.Context(), target, body)
}

// fieldValue is what a form says, as JSON has it. What is not of its type is sent as a
// string, so that the service says so.
func fieldValue(field, text string) any {
	switch field {
	case "from_page", "to_page":
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	case "long_txt", "hold_line_feed":
		if is, err := strconv.ParseBool(text); err == nil {
			return is
		}
	case "show_comments":
		if is, err := strconv.ParseBool(text); err == nil {
			return map[bool]int{false: 0, true: 1}[is]
		}
	}
	return text
}

// submit sends a submit to the service, and gives the conversion that came of it.
func (c *conversions) submit(ctx context.Context, target string, body []byte) (Conversion, error) {
	app := c.desk.firstApp()
	signer, err := signing.NewSigner(c.desk.credentials(app))
	if err != nil {
		return Conversion{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.desk.cfg.URL+converttest.PathPrefix+"office/convert/to/"+target, bytes.NewReader(body))
	if err != nil {
		return Conversion{}, err
	}
	if err := signer.SignRequest(req, c.desk.clock.dateNow()); err != nil {
		return Conversion{}, err
	}
	made := c.desk.expect(req)
	resp, err := c.desk.local.Do(req)
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxServiceBody))
		_ = resp.Body.Close()
	}
	if id := made(); id != "" {
		if x, ok := c.list.get(id); ok {
			return x, nil
		}
	}
	if err != nil {
		return Conversion{}, refusal{http.StatusBadGateway, "the submit was not answered: " + plainError(err)}
	}
	return Conversion{}, refusal{http.StatusBadGateway, "the submit was spoilt by a fault; see the requests"}
}

// handleResult sends a result. A browser does not run anything in it.
func (c *conversions) handleResult(w http.ResponseWriter, r *http.Request) error {
	x, file, err := c.result(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if x.Target == "pdf" {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Disposition", attachment(strings.TrimSuffix(x.Name, filepath.Ext(x.Name))+".pdf"))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	_, err = w.Write(file)
	return err
}

// result finds the file that the path names.
func (c *conversions) result(r *http.Request) (Conversion, []byte, error) {
	x, err := c.byID(r)
	if err != nil {
		return x, nil, err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	switch {
	case err != nil || n < 1 || n > len(x.Results):
		return x, nil, notFound("result")
	case n > len(x.Files):
		return x, nil, refusal{http.StatusGone, "the result is not kept any more: newer ones took its place"}
	}
	return x, x.Files[n-1], nil
}

func (c *conversions) handlePages(r *http.Request) (any, error) {
	x, file, err := c.result(r)
	if err != nil {
		return nil, err
	}
	if x.Target != "pdf" {
		return nil, notFound("PDF")
	}
	return c.desk.pictures.pages("result.pdf", file), nil
}

func (c *conversions) handlePicture(w http.ResponseWriter, r *http.Request) error {
	x, file, err := c.result(r)
	if err != nil {
		return err
	}
	if x.Target != "pdf" {
		return notFound("PDF")
	}
	return c.desk.pictures.serve(w, r, "result.pdf", file)
}

// form is a multipart form with a file.
type form struct {
	values map[string]string
	name   string // Of the file.
	file   []byte
	parts  *multipart.Form
}

// readForm reads a form, in which every field must be known.
func readForm(r *http.Request, known ...string) (*form, error) {
	const inMemory = 32 << 20
	r.Body = http.MaxBytesReader(nil, r.Body, maxDocument+maxAPIBody)
	if err := r.ParseMultipartForm(inMemory); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, fmt.Errorf("the document is too large: %w", err)
		}
		return nil, problem{"", "the body must be multipart/form-data: " + err.Error()}
	}
	f := &form{values: map[string]string{}, parts: r.MultipartForm}
	for name, values := range r.MultipartForm.Value {
		if !slices.Contains(known, name) || len(values) != 1 {
			f.remove()
			return nil, problem{name, "there is no field " + cut(name, 100) + ", or more than one"}
		}
		f.values[name] = values[0]
	}
	files := r.MultipartForm.File["file"]
	if len(files) != 1 || len(r.MultipartForm.File) != 1 {
		f.remove()
		return nil, problem{"file", "the form must have one file, named file"}
	}
	f.name = files[0].Filename
	in, err := files[0].Open()
	if err == nil {
		f.file, err = io.ReadAll(in)
		_ = in.Close()
	}
	if err != nil {
		f.remove()
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return f, nil
}

func (f *form) remove() { _ = f.parts.RemoveAll() }
