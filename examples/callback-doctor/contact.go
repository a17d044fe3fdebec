package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// reply is as much of an answer as is needed to tell whether it is one.
type reply struct {
	status      int
	contentType string
	isJSON      bool
	hasCode     bool
	code        int
}

// accepted reports whether the request got what it asked for.
func (r reply) accepted() bool { return r.isJSON && r.code == 0 && r.status < 300 }

// lost reports whether the answer is a framework's, for a path that it does not have.
func (r reply) lost() bool { return !(r.isJSON && r.hasCode) && isRouteMissing(r.status) }

// refused reports whether the caller was not let in.
func (r reply) refused() bool {
	return r.status == http.StatusUnauthorized || r.code == codeUnauthorized || r.status == http.StatusForbidden && !r.isJSON
}

const (
	codeUnauthorized = 40002 // public reference 3.3
	codeForbidden    = 40003
	codeNotFound     = 40004
)

func (r reply) String() string {
	if r.isJSON {
		return fmt.Sprintf("HTTP %d, code %d", r.status, r.code)
	}
	return fmt.Sprintf("HTTP %d, %s", r.status, r.contentType)
}

func refusal(e *previewtest.AnswerError) string {
	return fmt.Sprintf("HTTP %d, code %d, %q", e.StatusCode, e.Code, e.Message)
}

// ask asks for a path.
func (d *doctor) ask(ctx context.Context, path string) (reply, error) {
	res, err := d.viewer.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, previewtest.MaxAnswer))
	if err != nil {
		return reply{}, fmt.Errorf("GET %s: the answer breaks off", path)
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	r := reply{status: res.StatusCode, contentType: cmp.Or(kind, "no Content-Type")}
	var envelope map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) == nil && envelope != nil {
		r.isJSON = true
		_, r.hasCode = envelope["code"]
		_ = json.Unmarshal(envelope["code"], &r.code) // of the wrong type: another rule
	}
	return r, nil
}

func filePath(id string) string { return preview.PathPrefix + "files/" + url.PathEscape(id) }

// contact finds out whether the callbacks are there, how they have to be signed
// for, and which document is answered. It reports whether it makes sense to go on.
// The error is that nothing answers.
func (d *doctor) contact(ctx context.Context) (goOn bool, err error) {
	for _, id := range d.opts.files {
		r, err := d.ask(ctx, filePath(id))
		if err == nil && !r.accepted() && !r.lost() && d.signed {
			r, err = d.otherwise(ctx, filePath(id), r)
		}
		switch {
		case err != nil:
			return false, err
		case r.refused() && d.signed:
			return false, nil
		case r.lost():
			d.lost(ctx, id, r)
			return false, nil
		case r.accepted():
			d.reached[stepContact] = true
			d.answering = id
			return true, nil
		}
	}
	d.reached[stepContact] = true
	return true, nil
}

// lost looks for the callbacks where they are put by mistake.
func (d *doctor) lost(ctx context.Context, id string, r reply) {
	d.note(ruleRoute, "GET "+filePath(id)+": "+r.String())
	without, err := d.ask(ctx, "/files/"+url.PathEscape(id))
	if err == nil && without.hasCode {
		d.note(ruleRoute, "GET /files/"+url.PathEscape(id)+" answers: your routes lack /v3/3rd")
	}
}

// otherwise signs as integrations expect it by mistake: there are many ways to refuse a
// signature, and to refuse a document. If one of these is accepted, it is how the rest
// is asked for, so that one mistake is one finding.
func (d *doctor) otherwise(ctx context.Context, path string, right reply) (reply, error) {
	scheme := "WPS-2"
	if d.opts.scheme == scheme {
		scheme = signing.SchemeSVC2
	}
	for _, way := range []struct {
		rule, finding string
		as            variant
	}{
		{rulePrefix, "a signature over the path without " + d.signer.prefix + " is accepted, and one over the whole path is not", variant{withoutPrefix: true}},
		{ruleEmptyMD5, "a signature with the MD5 of nothing is accepted, and the right one is not", variant{emptyMD5: true}},
		{ruleEmptyType, "a signature over application/json is accepted, and one over the empty text is not", variant{contentType: signing.ContentType}},
		{ruleScheme, "the scheme " + scheme + " is accepted, and " + d.opts.scheme + " is not", variant{scheme: scheme}},
	} {
		if way.as.withoutPrefix && d.signer.prefix == "" {
			continue
		}
		d.signer.variant = way.as
		r, err := d.ask(ctx, path)
		if err != nil {
			return r, err
		}
		if r.accepted() || right.refused() && !r.refused() {
			d.note(way.rule, "GET "+path+": "+way.finding)
			return r, nil
		}
	}
	d.signer.variant = variant{}
	if right.refused() {
		d.note(ruleAccepted, "GET "+path+": a callback with the right signature is refused with "+right.String())
	}
	return right, nil
}
