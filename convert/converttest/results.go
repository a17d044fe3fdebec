package converttest

import (
	"bytes"
	"crypto/rand"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// link is an address of a result that was given out.
type link struct {
	file    int
	expires time.Time
}

// link makes an address for file i, below the base, and forgets those that ran
// out. As at an object store, its query alone gives access (protocol 2.3).
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

// publicURL is where results are reachable for who sent r.
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

// download serves a result to whoever has its address.
func (s *Server) download(w http.ResponseWriter, r *http.Request, c call) {
	if r.Header.Get("Authorization") != "" {
		// The query is the one credential; a signed call that comes here has been
		// sent to a host that it was not meant for.
		refuseDownload(w, http.StatusBadRequest, "InvalidArgument", "only one kind of authorization is allowed, and the query has it")
		return
	}
	id, name := path.Split(c.id)
	id = strings.TrimSuffix(id, "/")
	s.mu.Lock()
	t := s.tasks[id]
	s.mu.Unlock()
	if t == nil {
		refuseDownload(w, http.StatusForbidden, "SignatureDoesNotMatch", "the query gives no access to this file")
		return
	}
	t.mu.Lock()
	l, known := t.links[r.URL.Query().Get("Signature")]
	files := t.files
	t.mu.Unlock()
	switch {
	case !known || name != fmt.Sprintf("%d.%s", l.file+1, t.sub.Task.Target):
		refuseDownload(w, http.StatusForbidden, "SignatureDoesNotMatch", "the query gives no access to this file")
	case !s.opts.Now().Before(l.expires):
		refuseDownload(w, http.StatusForbidden, "AccessDenied", "Request has expired")
	case l.file >= len(files):
		refuseDownload(w, http.StatusNotFound, "NoSuchKey", "the task has fewer files now")
	default:
		w.Header().Set("Content-Type", contentType(t.sub.Task.Target))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(files[l.file]))
	}
}

func contentType(t convert.Target) string {
	if t == convert.PDF {
		return "application/pdf"
	}
	return "text/plain; charset=utf-8"
}

// refuseDownload writes an error as object stores do.
func refuseDownload(w http.ResponseWriter, status int, code, message string) {
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: code, Message: message})
	if err != nil {
		body = nil
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
