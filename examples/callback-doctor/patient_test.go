package main

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// patient is an integration that was written by hand, without this module, and is
// right. Tests change it.
type patient struct {
	mux      string // path prefix of the callbacks, as the server sees them
	answers  map[string]string
	missing  func(w http.ResponseWriter)
	refuse   func(w http.ResponseWriter) // a signature
	verify   verifier
	document string
	wrap     func(next http.Handler) http.Handler
	server   *httptest.Server
}

// verifier is what is checked of a signature.
type verifier struct {
	off, skipAbsent, trustMD5, anyDate bool
	scheme                             string
	path                               func(r *http.Request) string // what is digested
	contentType                        string
}

const (
	appID  = "SX1"
	appKey = "key of the test"
)

// newPatient makes a healthy one, with the documents f1 and f2 below /office.
func newPatient(tb testing.TB) *patient {
	tb.Helper()
	p := &patient{
		mux:      "/office/v3/3rd/",
		document: "the document",
		missing: func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":40004,"message":"no such document"}`)
		},
		refuse: func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":40002,"message":"unauthorized"}`)
		},
		verify: verifier{scheme: "SVC-2", path: func(r *http.Request) string { return r.RequestURI }},
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := http.Handler(http.HandlerFunc(p.serve))
		if p.wrap != nil {
			h = p.wrap(h)
		}
		h.ServeHTTP(w, r)
	}))
	tb.Cleanup(p.server.Close)
	sum := sha1.Sum([]byte(p.document))
	p.answers = map[string]string{
		"users": `{"code":0,"data":[{users}]}`,
	}
	for _, id := range []string{"f1", "f2"} {
		p.answers["files/"+id] = `{"code":0,"message":"","data":{"id":"` + id + `","name":"Plan.docx","version":3,"size":12,"create_time":1700000000,"modify_time":1700000001,"creator_id":"ann","modifier_id":"bob"}}`
		p.answers["files/"+id+"/download"] = `{"code":0,"data":{"url":"` + p.server.URL + `/bytes?signature=CANARY","digest":"` + hex.EncodeToString(sum[:]) + `","digest_type":"sha1","headers":{"X-Key":"open"}}}`
		p.answers["files/"+id+"/permission"] = `{"code":0,"data":{"user_id":"ann","read":1,"update":1,"download":1,"rename":0,"history":1,"copy":1,"print":1}}`
		p.answers["files/"+id+"/upload/prepare"] = `{"code":0,"data":{"digest_types":["sha1"]}}`
		p.answers["files/"+id+"/upload/address"] = `{"code":0,"data":{"url":"` + p.server.URL + `/up","method":"PUT"}}`
		p.answers["files/"+id+"/upload/complete"] = strings.Replace(p.answers["files/"+id], `"version":3`, `"version":4`, 1)
		p.answers["files/"+id+"/versions/3"] = p.answers["files/"+id]
		p.answers["files/"+id+"/versions/2"] = `{"code":0,"data":{"id":"` + id + `","name":"Plan.docx","version":2,"size":11,"create_time":1700000000,"modify_time":1700000001,"creator_id":"ann","modifier_id":"bob"}}`
		p.answers["files/"+id+"/versions/3/download"] = p.answers["files/"+id+"/download"]
		p.answers["files/"+id+"/versions/2/download"] = `{"code":0,"data":{"url":"` + p.server.URL + `/bytes?signature=CANARY&version=2","headers":{"X-Key":"open"}}}`
		p.answers["files/"+id+"/versions"] = `{"code":0,"data":[{"id":"` + id + `","name":"Plan.docx","version":3,"size":12,"create_time":1700000000,"modify_time":1700000001,"creator_id":"ann","modifier_id":"bob"},{"id":"` + id + `","name":"Plan.docx","version":2,"size":11,"create_time":1700000000,"modify_time":1700000001,"creator_id":"ann","modifier_id":"bob"}]}`
	}
	return p
}

// change replaces text in the answers of some callbacks, and fails where it is not.
func (p *patient) change(tb testing.TB, path, from, to string) {
	tb.Helper()
	done := false
	for at, body := range p.answers {
		if strings.HasSuffix(at, path) && strings.Contains(body, from) {
			p.answers[at] = strings.ReplaceAll(body, from, to)
			done = true
		}
	}
	if !done {
		tb.Fatalf("no answer of %s holds %s", path, from)
	}
}

func (p *patient) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/bytes" {
		if r.Header.Get("X-Key") != "open" || r.URL.Query().Get("signature") != "CANARY" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, p.document[:len(p.document)-len(r.URL.Query()["version"])])
		return
	}
	if r.URL.Path == "/up" {
		if r.Header.Get("Content-Type") == "" {
			w.WriteHeader(http.StatusUnsupportedMediaType)
		}
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, p.mux)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if !p.verify.accepts(r) || r.Header.Get("X-WebOffice-Token") != "CANARY-token" {
		p.refuse(w)
		return
	}
	body, ok := p.answers[path]
	if !ok {
		p.missing(w)
		return
	}
	var users []string
	for _, id := range r.URL.Query()["user_ids"] {
		if id == "ann" || id == "bob" {
			users = append(users, `{"id":"`+id+`","name":"`+strings.ToUpper(id)+`"}`)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, strings.ReplaceAll(body, "{users}", strings.Join(users, ",")))
}

// accepts verifies as public reference 3.2 says, but for what is switched off.
func (v verifier) accepts(r *http.Request) bool {
	if v.off || v.skipAbsent && r.Header.Get("Authorization") == "" {
		return true
	}
	digest := r.Header.Get("Content-Md5")
	payload, contentType := v.path(r), v.contentType
	if body, _ := io.ReadAll(r.Body); len(body) > 0 {
		payload, contentType = string(body), r.Header.Get("Content-Type")
	}
	if sum := md5.Sum([]byte(payload)); !v.trustMD5 && digest != hex.EncodeToString(sum[:]) {
		return false
	}
	date, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil || !v.anyDate && time.Since(date).Abs() > 15*time.Minute {
		return false
	}
	sum := sha1.Sum([]byte(appKey + digest + contentType + r.Header.Get("Date")))
	return r.Header.Get("Authorization") == v.scheme+":"+appID+":"+hex.EncodeToString(sum[:])
}
