package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/webhook"
)

// maxBody is the largest request of the API, in bytes.
const maxBody = 64 << 10

// api is for the product's own back end. docs/server.md describes it.
func (a *app) api() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			if err := h(w, r); err != nil {
				a.refuse(w, r, err)
			}
		})
	}
	handle("POST /api/v1/viewers", a.postViewer)
	handle("POST /api/v1/conversions", a.postConversion)
	handle("GET /api/v1/conversions/{id}", a.getConversion)
	handle("GET /api/v1/conversions/{id}/files/{name}", a.getResult)
	handle("POST /api/v1/messages", a.postMessage)
	handle("GET /api/v1/messages/{id}", a.getMessage)
	mux.HandleFunc("/", notFound)
	return mux
}

// refusal is an error whose text is for the caller.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

var errNotFound = &refusal{http.StatusNotFound, "not found"}

func notFound(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, map[string]string{"error": "not found"})
}

// refuse tells the caller what is wrong with the call, and of everything else only the
// log.
func (a *app) refuse(w http.ResponseWriter, r *http.Request, err error) {
	answer := &refusal{http.StatusInternalServerError, "internal error"}
	if !errors.As(err, &answer) {
		a.logger.ErrorContext(r.Context(), "the API failed", "error", err)
	}
	writeJSON(w, answer.status, map[string]string{"error": answer.text, "request_id": requestID(r.Context())})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// read decodes a request: one object, in which every field is known.
func read(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(v)
	}
	if err == nil && !json.Valid(body) {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return &refusal{http.StatusBadRequest, "the body must be JSON of the documented fields: " + err.Error()}
	}
	return nil
}

// postViewer makes a token for a user who opens a document.
func (a *app) postViewer(w http.ResponseWriter, r *http.Request) error {
	var who viewer
	if err := read(r, &who); err != nil {
		return err
	}
	if who.User == "" || preview.DefaultCheckID(who.FileID) != nil || who.Expires != 0 {
		return &refusal{http.StatusBadRequest, "user and file_id are required, and expires is not for you to choose"}
	}
	who.Expires = time.Now().Add(viewerLife).Unix()
	text, err := a.viewers.token(who)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, map[string]any{"weboffice_token": text.Reveal(), "expires": who.Expires})
	return nil
}

// idempotencyKey is the key by which a repeated call finds the job of the first.
func idempotencyKey(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	const longest = 200
	if len(key) > longest {
		return "", &refusal{http.StatusBadRequest, "the Idempotency-Key must have at most 200 bytes"}
	}
	if key == "" {
		key = rand.Text()
	}
	return "api:" + key, nil
}

// insert stores a job, or finds the one that the same key made; same reports whether
// that has the same arguments.
func (a *app) insert(ctx context.Context, w http.ResponseWriter, args river.JobArgs, same func(encoded []byte) bool) error {
	found, err := a.queue.Insert(ctx, args, nil)
	if err != nil {
		return err
	}
	if found.UniqueSkippedAsDuplicate && !same(found.Job.EncodedArgs) {
		return &refusal{http.StatusUnprocessableEntity, "the Idempotency-Key was used for another call"}
	}
	id := strconv.FormatInt(found.Job.ID, 10)
	w.Header().Set("Location", "/api/v1/"+args.Kind()+"s/"+id)
	writeJSON(w, http.StatusAccepted, map[string]string{"id": id})
	return nil
}

func (a *app) postConversion(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		FileID string         `json:"file_id"`
		Target convert.Target `json:"target"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if preview.DefaultCheckID(in.FileID) != nil || in.Target != convert.Text && in.Target != convert.PDF {
		return &refusal{http.StatusBadRequest, "file_id must be the id of a document, and target txt or pdf"}
	}
	_, name, err := a.download(r.Context(), in.FileID)
	switch {
	case errors.Is(err, preview.ErrNotFound):
		return &refusal{http.StatusNotFound, "there is no such document"}
	case err != nil:
		return err
	case !convert.Supports(in.Target, name):
		return &refusal{http.StatusUnprocessableEntity, "a document of this name cannot be converted to " + string(in.Target)}
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	args := conversion{Key: key, FileID: in.FileID, Target: in.Target, RequestID: requestID(r.Context())}
	return a.insert(r.Context(), w, args, func(encoded []byte) bool {
		var earlier conversion
		return json.Unmarshal(encoded, &earlier) == nil && earlier.FileID == in.FileID && earlier.Target == in.Target
	})
}

func (a *app) postMessage(w http.ResponseWriter, r *http.Request) error {
	if a.robot == nil {
		return &refusal{http.StatusNotFound, "no robot is configured"}
	}
	var in struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	var m webhook.Message = webhook.Text{Content: markdown.Plain(in.Text)}
	if in.Markdown != "" {
		m = webhook.Markdown{Text: in.Markdown}
	}
	if (in.Text == "") == (in.Markdown == "") {
		return &refusal{http.StatusBadRequest, "either text or markdown is required"}
	}
	if err := a.robot.Check(m); err != nil {
		return &refusal{http.StatusUnprocessableEntity, err.Error()}
	}
	body, err := webhook.Encode(m)
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	return a.insert(r.Context(), w, message{Key: key, Body: string(body), RequestID: requestID(r.Context())}, func(encoded []byte) bool {
		var earlier message
		return json.Unmarshal(encoded, &earlier) == nil && earlier.Body == string(body)
	})
}

// job finds the job of a path, if it is of that kind.
func (a *app) job(r *http.Request, kind string) (*rivertype.JobRow, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, errNotFound
	}
	row, err := a.queue.JobGet(r.Context(), id)
	if errors.Is(err, rivertype.ErrNotFound) || err == nil && row.Kind != kind {
		return nil, errNotFound
	}
	return row, err
}

func (a *app) getConversion(w http.ResponseWriter, r *http.Request) error {
	row, err := a.job(r, conversionKind)
	if err != nil {
		return err
	}
	view, err := a.conversionView(row)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, view)
	return nil
}

func (a *app) getMessage(w http.ResponseWriter, r *http.Request) error {
	row, err := a.job(r, messageKind)
	if err != nil {
		return err
	}
	view, err := a.messageView(row)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, view)
	return nil
}

// contentTypes are those of results, by extension.
var contentTypes = map[string]string{".pdf": "application/pdf", ".txt": "text/plain; charset=utf-8"}

// getResult streams a file that a conversion made.
func (a *app) getResult(w http.ResponseWriter, r *http.Request) error {
	row, err := a.job(r, conversionKind)
	if err != nil {
		return err
	}
	view, err := a.conversionView(row)
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	if !slices.ContainsFunc(view.Files, func(f resultFile) bool { return f.Name == name }) {
		return errNotFound
	}
	body, size, err := a.storage.results.Get(r.Context(), resultKey(row.ID, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNotFound
	case err != nil:
		return err
	}
	defer func() { _ = body.Close() }()
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if _, err := io.Copy(w, body); err != nil {
		panic(http.ErrAbortHandler) // Half a file must not look like a whole one.
	}
	return nil
}
