package converttest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// task is an accepted submission and what became of it.
type task struct {
	sub       Submission
	submitted time.Time
	cancel    context.CancelFunc
	job       Job // nil while Converter.Start runs

	// Calls of Step must not overlap. It is not a mutex, so that a query may give up, and
	// a synctest bubble is idle while others wait.
	turn chan struct{}

	mu       sync.Mutex
	finished time.Time // when a query first found a success
	results  []payload // of the last success
	links    map[string]link
}

// find returns the task of that id, if app submitted it.
func (s *Server) find(id, app string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[id]
	if t == nil || t.job == nil || t.sub.AppID != app {
		return nil
	}
	return t
}

// query answers a task query with the next step of the task.
func (s *Server) query(w http.ResponseWriter, r *http.Request, c call) {
	t := s.find(c.id, c.app)
	if t == nil {
		refuse(w, http.StatusNotFound, convert.CodeFileNotExists, "no such task")
		return
	}
	step, ok := t.next(r.Context())
	if !ok {
		return // the client has gone
	}
	data := queryData{Status: step.State, Progress: finite(step.Progress), Message: step.Message}
	if payloads := step.payloads(); step.State == convert.StateSuccess && payloads != nil {
		var err error
		if data.Result, err = t.result(payloads, s.opts.Now(), s.opts.URLLifetime, s.publicURL(r)); err != nil {
			s.log(r, err.Error())
			refuse(w, http.StatusNotFound, convert.CodeFileNotExists, "a result of the task has been removed")
			return
		}
	}
	switch {
	case step.Body != nil:
		write(w, http.StatusOK, "application/json", step.Body)
	case step.Code != 0:
		answer(w, http.StatusOK, envelope{Code: step.Code, Message: cmp.Or(step.Message, nameOf(step.Code))})
	default:
		answer(w, http.StatusOK, envelope{Data: data})
	}
}

// next calls Step when no other query does, unless ctx ends first.
func (t *task) next(ctx context.Context) (step Step, ok bool) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
		return try(func() (Step, error) { return t.job.Step(), nil }), true
	case <-ctx.Done():
		return Step{}, false
	}
}

// result keeps payloads and makes a URL for each that works for lifetime.
func (t *task) result(payloads []payload, now time.Time, lifetime time.Duration, base string) (*result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results = payloads
	if t.finished.IsZero() {
		t.finished = now
	}
	res := &result{}
	res.Task.Elapsed = t.finished.Sub(t.submitted).Milliseconds()
	res.Task.ResourceSize = t.sub.read.Load()
	list := make([]resultFile, len(payloads))
	for i, p := range payloads {
		size, err := p.size()
		if err != nil {
			return nil, err
		}
		list[i] = resultFile{URL: base + t.link(i, now, lifetime), Size: size}
	}
	targetOf(t.sub.Task.Target).list(res, list)
	return res, nil
}

// link is the URL of a result.
type link struct {
	file    int
	expires time.Time
}

// link makes a URL for file i, below the base, and forgets those that have expired. As
// with an object store, its query alone gives access (protocol 2.3).
func (t *task) link(i int, now time.Time, lifetime time.Duration) string {
	for token, l := range t.links {
		if !now.Before(l.expires) {
			delete(t.links, token)
		}
	}
	if t.links == nil {
		t.links = map[string]link{}
	}
	token, expires := rand.Text(), now.Add(lifetime)
	t.links[token] = link{file: i, expires: expires}
	query := url.Values{"Expires": {strconv.FormatInt(expires.Unix(), 10)}, "Signature": {token}}
	return fmt.Sprintf("results/%s/%d.%s?%s", url.PathEscape(t.sub.Task.ID), i+1, t.sub.Task.Target, query.Encode())
}

// publicURL is where the sender of r can reach results.
func (s *Server) publicURL(r *http.Request) string {
	if s.opts.PublicURL != "" {
		return s.opts.PublicURL + PathPrefix
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	prefix, _, _ := strings.Cut(r.RequestURI, PathPrefix) // still has what StripPrefix took
	if !strings.HasPrefix(prefix, "/") {
		prefix = ""
	}
	return scheme + "://" + r.Host + prefix + PathPrefix
}

// download serves a result to everyone who has its URL.
func (s *Server) download(w http.ResponseWriter, r *http.Request, c call) {
	if r.Header.Get("Authorization") != "" {
		// The query is the only credential; a signed call was sent to the wrong host.
		refuseDownload(w, http.StatusBadRequest, "InvalidArgument", "only one kind of authorization is allowed, and the query has it")
		return
	}
	id, name := path.Split(c.id)
	s.mu.Lock()
	t := cmp.Or(s.tasks[strings.TrimSuffix(id, "/")], &task{}) // which has no links
	s.mu.Unlock()
	t.mu.Lock()
	l, known := t.links[r.URL.Query().Get("Signature")]
	results := t.results
	t.mu.Unlock()
	switch {
	case !known || name != fmt.Sprintf("%d.%s", l.file+1, t.sub.Task.Target):
		refuseDownload(w, http.StatusForbidden, "SignatureDoesNotMatch", "the query gives no access to this file")
	case !s.opts.Now().Before(l.expires):
		refuseDownload(w, http.StatusForbidden, "AccessDenied", "Request has expired")
	case l.file >= len(results):
		refuseDownload(w, http.StatusNotFound, "NoSuchKey", "the task has fewer files now")
	default:
		file, err := results[l.file]()
		if err != nil {
			s.log(r, err.Error())
			refuseDownload(w, http.StatusNotFound, "NoSuchKey", "the file has been removed")
			return
		}
		defer func() { _ = file.Close() }()
		w.Header().Set("Content-Type", targetOf(t.sub.Task.Target).contentType)
		http.ServeContent(w, r, "", time.Time{}, file)
	}
}

// refuseDownload writes an error as object stores do.
func refuseDownload(w http.ResponseWriter, status int, code, message string) {
	body, _ := xml.Marshal(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: code, Message: message})
	write(w, status, "application/xml", body)
}

// payload opens one result of a task, which is in memory or on disk.
type payload func() (io.ReadSeekCloser, error)

// payloads are the result of a success; nil is none.
func (s Step) payloads() (all []payload) {
	if s.Files == nil {
		for _, path := range s.Paths {
			all = append(all, func() (io.ReadSeekCloser, error) { return os.Open(path) }) //nolint:gosec // The Converter chose it.
		}
		return all
	}
	all = make([]payload, len(s.Files))
	for i, b := range s.Files {
		all[i] = func() (io.ReadSeekCloser, error) { return inMemory{bytes.NewReader(b)}, nil }
	}
	return all
}

func (open payload) size() (int64, error) {
	file, err := open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	return file.Seek(0, io.SeekEnd)
}

// inMemory needs no Close.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
