package previewtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/weboffice-go/weboffice/preview"
)

// refusalRules are about who and what a Store refuses, and how.
var refusalRules = []rule{
	refusal("missing-file", "File of a document that does not exist is ErrNotFound", missing, asks((*document).File), preview.ErrNotFound),
	refusal("missing-download", "Download of a document that does not exist is ErrNotFound", missing, askDownload, preview.ErrNotFound),
	requestRule("missing-permission", "Permission of a document that does not exist is no internal error", missing, func(ctx context.Context, d *document) error {
		if _, err := d.Permission(ctx); err != nil && d.s.is(err, errUnknown) {
			return fmt.Errorf("it is code %d: %w", d.s.code(err), err)
		}
		return nil
	}),
	requestRule("denied-permission", "a user who may not read has a Permission that allows nothing, or ErrForbidden", denied, func(ctx context.Context, d *document) error {
		p, err := d.Permission(ctx)
		if err != nil {
			return d.s.denied("Permission", err)
		}
		if p != (preview.Permission{UserID: p.UserID}) {
			return fmt.Errorf("it allows something: %v", p)
		}
		return nil
	}),
	refusal("denied-download", "Download refuses a user who may not read, by itself, with ErrForbidden", denied, askDownload,
		preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound),
	refusal("nobody-permission", "Permission for a token that is nobody's is ErrUnauthorized", nobody, asks((*document).Permission), preview.ErrUnauthorized),
	refusal("nobody-download", "Download refuses a token that is nobody's", nobody, askDownload,
		preview.ErrUnauthorized, preview.ErrForbidden, preview.ErrNotFound),
}

// errUnknown is answered as an internal error.
var errUnknown = errors.New("unknown")

func missing(f Fixture) preview.Request { return f.Missing }
func denied(f Fixture) preview.Request  { return f.Denied }
func nobody(f Fixture) preview.Request  { return f.NoUser }

// requestRule is a rule about a document that does not exist, or is not for the user.
func requestRule(name, explain string, request func(Fixture) preview.Request, check asking) rule {
	return rule{name, explain, func(ctx context.Context, s *subject) error {
		r := request(s.Fixture)
		if r.FileID == "" {
			return skipped("the fixture has no such request")
		}
		return check(ctx, s.document(r))
	}}
}

// refusal is a rule that a call fails in one of some ways.
func refusal(name, explain string, request func(Fixture) preview.Request, ask asking, wanted ...error) rule {
	return requestRule(name, explain, request, func(ctx context.Context, d *document) error {
		return d.s.refused(strconv.Quote(d.id), ask(ctx, d), wanted...)
	})
}

// everyDenied calls check for each user of the fixture who may not do something with a
// part of the Config.
func (s *subject) everyDenied(ctx context.Context, part string, there bool, may func(preview.Permission) bool, check func(d *document) error) error {
	if err := s.has(part, there); err != nil {
		return err
	}
	var who []*document
	if s.Denied.FileID != "" {
		who = append(who, s.document(s.Denied))
	}
	for _, d := range s.docs {
		if p, err := d.Permission(ctx); err == nil && !may(p) {
			who = append(who, d)
		}
	}
	if len(who) == 0 {
		return skipped("the fixture has no Denied, and the users of Existing may")
	}
	return (&subject{docs: who}).each(check)
}
