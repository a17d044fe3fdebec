package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// doctor examines one integration.
type doctor struct {
	*report
	opts      *options
	signer    *signer
	viewer    *previewtest.Viewer
	answering string // a document that is answered
	editable  string // one that the user may edit
}

// examine reports which rules the integration keeps. The error says why it could
// not be examined at all.
func examine(ctx context.Context, opts *options, client *http.Client) (*report, error) {
	r := &report{
		base: opts.base, files: opts.files, signed: !opts.credentials.IsZero(),
		reached: map[step]bool{}, skipped: map[string]bool{}, found: map[string][]string{},
	}
	base := strings.TrimRight(opts.base, "/")
	if without, ok := strings.CutSuffix(base+"/", preview.PathPrefix); ok {
		r.note(ruleGateway, "the address ends in "+strings.TrimRight(preview.PathPrefix, "/"))
		base = without
	}
	r.skipped[ruleAccepted] = !r.signed
	s := &signer{next: client.Transport, credentials: opts.credentials}
	if u, err := url.Parse(base); err == nil {
		s.prefix = strings.TrimSuffix(u.EscapedPath(), "/")
	}
	changed := *client
	changed.Transport = s
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: base, Credentials: opts.credentials, WebOfficeToken: opts.token, UserQuery: opts.userQuery, HTTPClient: &changed,
	})
	if err != nil {
		return nil, err
	}
	d := &doctor{report: r, opts: opts, signer: s, viewer: viewer}
	goOn, err := d.contact(ctx)
	if err != nil {
		return nil, err
	}
	if !goOn {
		return r, nil
	}
	if r.signed && d.answering != "" {
		d.signatures(ctx, d.answering)
	}
	for _, id := range opts.files {
		d.document(ctx, base, id)
	}
	d.missing(ctx)
	if opts.save {
		d.save(ctx)
	}
	if ctx.Err() != nil {
		return nil, errors.New("time ran out before everything was checked; see -timeout")
	}
	return r, nil
}

// see notes what is in an error of the viewer, and reports whether the callback
// has answered.
func (d *doctor) see(s step, err error) bool {
	answered := err == nil
	for _, e := range leaves(err) {
		var broken *previewtest.AnswerError
		switch {
		case !errors.As(e, &broken):
			d.note(ruleAnswered, e.Error())
		case broken.Rule == "":
			d.note(ruleAnswered, broken.Call+": "+refusal(broken))
		case broken.StatusCode >= 300 && broken.Rule != previewtest.RuleUpload: // whatever its form, it is not an answer
			d.note(ruleOf(broken.StatusCode), fmt.Sprintf("%s: HTTP %d, %s", broken.Call, broken.StatusCode, describeDetail(broken)))
		default:
			answered = true
			d.note(broken.Rule, describe(broken))
		}
	}
	if answered {
		d.reached[s], d.reached[stepAnswer] = true, true
	}
	return answered
}

// leaves gives the errors that err joins.
func leaves(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		return joined.Unwrap()
	default:
		return []error{err}
	}
}

// describeDetail does not repeat the status.
func describeDetail(e *previewtest.AnswerError) string {
	_, rest, found := strings.Cut(e.Detail, ", ")
	if !found || !strings.HasPrefix(e.Detail, "HTTP ") {
		rest = e.Detail
	}
	return strings.TrimSpace(e.Field + " " + rest)
}

func describe(e *previewtest.AnswerError) string {
	return e.Call + ": " + strings.TrimSpace(e.Field+" "+e.Detail)
}

// ruleOf gives the rule that an answer that is not JSON breaks: its status says
// more than its form.
func ruleOf(status int) string {
	switch {
	case status < 400:
		return previewtest.RuleStatus // a redirect
	case isRouteMissing(status):
		return ruleRoute
	default:
		return ruleAnswered
	}
}

func isRouteMissing(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}
