package dirstore

import (
	"cmp"
	"context"
	"path"
	"slices"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// File implements preview.Store. It does not ask Config.Allow.
func (s *Store) File(ctx context.Context, r preview.Request) (preview.File, error) {
	d, err := s.find(ctx, r.FileID)
	if err != nil {
		return preview.File{}, err
	}
	return s.describe(d), nil
}

func (s *Store) describe(d document) preview.File {
	modified, created := d.since(), d.Created
	if modified.Before(created) {
		created = modified
	}
	return preview.File{
		ID:         d.id,
		Name:       preview.CleanName(path.Base(d.path)),
		Version:    d.Number,
		Size:       d.Size,
		CreatedAt:  sayable(created),
		ModifiedAt: sayable(modified),
		CreatorID:  s.cfg.Owner,
		ModifierID: cmp.Or(d.User, s.cfg.Owner),
	}
}

// sayable moves times that cannot be said in epoch seconds (protocol 2.4), as
// archives and build tools set them, to the nearest that can. From the year 5138 on
// they are taken for milliseconds.
func sayable(t time.Time) time.Time {
	first, last := time.Unix(1, 0).UTC(), time.Unix(100_000_000_000-1, 0).UTC()
	switch {
	case t.Before(first):
		return first
	case t.After(last):
		return last
	}
	return t
}

// Download implements preview.Store, with a new link for each call.
func (s *Store) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	if _, err := s.may(ctx, r, func(p preview.Permission) bool { return p.Read }); err != nil {
		return preview.Download{}, err
	}
	d, err := s.find(ctx, r.FileID)
	if err != nil {
		return preview.Download{}, err
	}
	return s.link(d), nil
}

// Permission implements preview.Store: it is what Config.Allow says.
func (s *Store) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	_, p, err := s.permission(ctx, r)
	return p, err
}

func (s *Store) permission(ctx context.Context, r preview.Request) (document, preview.Permission, error) {
	d, _, err := s.lookUp(ctx, r.FileID)
	if err != nil {
		return d, preview.Permission{}, err
	}
	p, err := s.cfg.Allow(ctx, r)
	if d.linked() {
		p.Update, p.Rename = false, false
	}
	return d, p, err
}

// may finds a document for a user who may do something with it.
func (s *Store) may(ctx context.Context, r preview.Request, allowed func(preview.Permission) bool) (document, error) {
	d, p, err := s.permission(ctx, r)
	if err == nil && !allowed(p) {
		err = preview.ErrForbidden
	}
	return d, err
}

// Users implements preview.UserStore, with Config.Users.
func (s *Store) Users(_ context.Context, _ preview.Request, userIDs []string) ([]preview.User, error) {
	var users []preview.User
	for _, id := range userIDs {
		if i := slices.IndexFunc(s.cfg.Users, func(u preview.User) bool { return u.ID == id }); i >= 0 {
			users = append(users, s.cfg.Users[i])
		}
	}
	return users, nil
}
