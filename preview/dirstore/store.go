package dirstore

import (
	"context"
	"path"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// File implements preview.Store. It does not ask Config.Allow.
func (s *Store) File(ctx context.Context, r preview.Request) (preview.File, error) {
	d, err := s.find(ctx, r.FileID)
	if err != nil {
		return preview.File{}, err
	}
	created := d.created
	if d.modified.Before(created) {
		created = d.modified
	}
	return preview.File{
		ID:         r.FileID,
		Name:       preview.CleanName(path.Base(d.path)),
		Version:    d.number,
		Size:       d.size,
		CreatedAt:  sayable(created),
		ModifiedAt: sayable(d.modified),
		CreatorID:  s.cfg.Owner,
		ModifierID: s.cfg.Owner,
	}, nil
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

// Download implements preview.Store. It asks Config.Allow, and makes a new link
// to the present version for each call.
func (s *Store) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	switch p, err := s.Permission(ctx, r); {
	case err != nil:
		return preview.Download{}, err
	case !p.Read:
		return preview.Download{}, preview.ErrForbidden
	}
	d, err := s.find(ctx, r.FileID)
	if err != nil {
		return preview.Download{}, err
	}
	return preview.Download{URL: s.link(d), Digest: preview.SHA1Sum(d.sum)}, nil
}

// Permission implements preview.Store: for an existing document it is what
// Config.Allow says.
func (s *Store) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	name, err := s.index.find(ctx, r.FileID)
	if err != nil {
		return preview.Permission{}, err
	}
	if _, err := s.stat(ctx, r.FileID, name); err != nil {
		return preview.Permission{}, err
	}
	return s.cfg.Allow(ctx, r)
}
