package previewtest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// The Handler checks each answer of a store before it is sent. Rules about fields take
// its verdict: the RuleErrors that it gives to Config.MapError.

// question is a callback, or several, and the documents that it is asked about.
type question struct {
	name string
	skip func(ctx context.Context, d *document) error // why d is not asked about; may be nil
	ask  func(ctx context.Context, v *Viewer, d *document)
}

// fieldRule is a rule that the Handler enforces, about some fields of an answer.
func fieldRule(name, explain string, q question, fields ...string) rule {
	return rule{name, explain, q.name == "save", func(ctx context.Context, s *subject) error {
		return s.each(func(d *document) error {
			if q.skip != nil {
				if err := q.skip(ctx, d); err != nil {
					return quiet(err)
				}
			}
			found, err := d.verdict(ctx, q)
			for _, broken := range found {
				if slices.Contains(fields, broken.Field[strings.LastIndexByte(broken.Field, '.')+1:]) {
					err = errors.Join(err, broken)
				}
			}
			return err
		})
	}}
}

// verdict asks q once.
func (d *document) verdict(ctx context.Context, q question) (found []*preview.RuleError, err error) {
	if found, asked := d.verdicts[q.name]; asked {
		return found, nil
	}
	cfg := d.s.Config
	cfg.MapError = func(err error) preview.Reply {
		found = append(found, ruleErrors(err)...)
		return d.s.Config.MapError(err)
	}
	v, err := d.s.viewer(cfg, d.r)
	if err != nil {
		return nil, err
	}
	q.ask(ctx, v, d)
	if d.verdicts == nil {
		d.verdicts = map[string][]*preview.RuleError{}
	}
	d.verdicts[q.name] = found
	return found, nil
}

// viewer calls a Handler over cfg as the user of r.
func (s *subject) viewer(cfg preview.Config, r preview.Request) (*Viewer, error) {
	h, err := preview.NewHandler(cfg)
	if err != nil {
		return nil, err
	}
	return NewViewer(ViewerConfig{Handler: h, WebOfficeToken: r.WebOfficeToken, UserQuery: r.Query()})
}

// ruleErrors are those in the tree of err, unless it refuses a request.
func ruleErrors(err error) (all []*preview.RuleError) {
	switch e := err.(type) { //nolint:errorlint // It walks the tree itself.
	case *preview.RuleError:
		return []*preview.RuleError{e}
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			all = append(all, ruleErrors(err)...)
		}
	case interface{ Unwrap() error }:
		all = ruleErrors(e.Unwrap())
	}
	if errors.Is(err, preview.ErrInvalid) {
		return nil
	}
	return all
}

var (
	askFile       = question{"file", nil, func(ctx context.Context, v *Viewer, d *document) { _, _ = v.File(ctx, d.r.FileID) }}
	askPermission = question{"permission", nil, func(ctx context.Context, v *Viewer, d *document) { _, _ = v.Permission(ctx, d.r.FileID) }}
	askDownload   = question{
		"download", func(ctx context.Context, d *document) error { _, err := d.Download(ctx); return err },
		func(ctx context.Context, v *Viewer, d *document) { _, _ = v.Download(ctx, d.r.FileID) },
	}
	askUsers = question{
		"users", func(_ context.Context, d *document) error { return d.s.has("Users", d.s.Config.Users != nil) },
		func(ctx context.Context, v *Viewer, d *document) { _, _ = v.Users(ctx, d.s.someUsers(ctx)...) },
	}
	askVersions = question{
		"versions", hasHistory,
		func(ctx context.Context, v *Viewer, d *document) {
			all, _ := v.Versions(ctx, d.r.FileID, preview.Page{})
			for _, f := range some(all) {
				_, _ = v.Version(ctx, d.r.FileID, f.Version)
				_, _ = v.DownloadVersion(ctx, d.r.FileID, f.Version)
			}
		},
	}
	askSave = question{
		"save", func(ctx context.Context, d *document) error {
			if editor, err := d.s.saver(ctx); err != nil || editor != d {
				return errors.Join(err, skipped("another document is saved"))
			}
			return nil
		},
		func(ctx context.Context, v *Viewer, d *document) {
			body := append(d.content(ctx), '\n')
			types, _ := v.PrepareUpload(ctx, d.r.FileID)
			u := announced(d.file.value.Name, body, types)
			address, err := v.UploadAddress(ctx, d.r.FileID, u)
			if err != nil {
				return
			}
			if got, err := d.s.Put(ctx, address, body); err == nil {
				_, _ = v.CompleteUpload(ctx, d.r.FileID, u, got)
			}
		},
	}
)
