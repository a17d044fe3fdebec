package previews3

import (
	"context"
	"errors"
	"math"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
)

// Permissions that a method needs.
func mayRead(p preview.Permission) bool   { return p.Read }
func mayUpdate(p preview.Permission) bool { return p.Update }
func mayRename(p preview.Permission) bool { return p.Rename }

// newest returns the number of the newest version.
func (s *Store) newest(ctx context.Context, fileID string) (uint32, error) {
	numbers, err := s.versions(ctx, fileID, 0, 1)
	if err == nil && len(numbers) == 0 {
		err = preview.ErrNotFound
	}
	return append(numbers, 0)[0], err
}

// allow returns the number of the newest version, if the user may do what the
// method does.
func (s *Store) allow(ctx context.Context, r preview.Request, may func(preview.Permission) bool) (uint32, error) {
	newest, err := s.newest(ctx, r.FileID)
	if err != nil {
		return 0, err
	}
	return newest, s.permit(ctx, r, may)
}

func (s *Store) permit(ctx context.Context, r preview.Request, may func(preview.Permission) bool) error {
	p, err := s.cfg.Allow(ctx, r)
	if err == nil && !may(p) {
		err = preview.ErrForbidden
	}
	return err
}

// Permission implements [preview.Store].
func (s *Store) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	if _, err := s.newest(ctx, r.FileID); err != nil {
		return preview.Permission{}, err
	}
	return s.cfg.Allow(ctx, r)
}

// File implements [preview.Store].
func (s *Store) File(ctx context.Context, r preview.Request) (preview.File, error) {
	m, err := s.version(ctx, r, 0)
	if err != nil {
		return preview.File{}, err
	}
	return s.file(ctx, r, m)
}

// Download implements [preview.Store]. The URL gives the bytes of the version that
// is the newest now, also after a later save.
func (s *Store) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	return s.DownloadVersion(ctx, r, 0)
}

// Version implements [preview.HistoryStore].
func (s *Store) Version(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	m, err := s.version(ctx, r, version)
	if err != nil {
		return preview.File{}, err
	}
	return s.file(ctx, r, m)
}

// DownloadVersion implements [preview.HistoryStore].
func (s *Store) DownloadVersion(ctx context.Context, r preview.Request, version uint32) (preview.Download, error) {
	m, err := s.version(ctx, r, version)
	if err != nil {
		return preview.Download{}, err
	}
	// As an attachment, so that no browser runs a document as a page of the storage.
	key, disposition := s.key(r.FileID, dataDir+m.Data), "attachment"
	link, err := s.links.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &s.cfg.Bucket, Key: &key, ResponseContentDisposition: &disposition})
	if err != nil {
		return preview.Download{}, fail("sign a download", err)
	}
	d := preview.Download{URL: link.URL, Header: sendable(link.SignedHeader)}
	if m.MD5 != "" {
		d.Digest = preview.Digest{Type: preview.MD5, Hex: m.MD5}
	}
	return d, nil
}

// Versions implements [preview.HistoryStore]. It costs one listing for each 1000
// versions up to the end of the page, and one read for each version of the page.
func (s *Store) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	if _, err := s.allow(ctx, r, mayRead); err != nil {
		return nil, err
	}
	limit := math.MaxInt
	if p.Limit > 0 && p.Limit < math.MaxInt-p.Offset {
		limit = p.Offset + p.Limit
	}
	numbers, err := s.versions(ctx, r.FileID, 0, limit)
	if err != nil {
		return nil, err
	}
	page, err := s.manifests(ctx, r.FileID, numbers[min(p.Offset, len(numbers)):])
	if err != nil || len(page) == 0 {
		return nil, err
	}
	first, err := s.file(ctx, r, page[0])
	files := make([]preview.File, len(page))
	for i, m := range page {
		files[i] = m.file(first.Name)
	}
	return files, err
}

// version reads one version, or the newest if version is zero.
func (s *Store) version(ctx context.Context, r preview.Request, version uint32) (manifest, error) {
	newest, err := s.allow(ctx, r, mayRead)
	if err != nil {
		return manifest{}, err
	}
	if version == 0 {
		version = newest
	}
	m, err := s.manifest(ctx, r.FileID, version)
	if errors.Is(err, errMissing) {
		err = preview.ErrVersionNotFound
	}
	return m, err
}

// storedName is what name.json holds.
type storedName struct {
	Name string `json:"name"`
}

// file describes m, with the name that the document has now.
func (s *Store) file(ctx context.Context, r preview.Request, m manifest) (preview.File, error) {
	var now storedName
	var err error
	if s.cfg.Names != nil {
		now.Name, err = s.cfg.Names.Name(ctx, r)
	} else if err = s.get(ctx, s.key(r.FileID, nameKey), &now); errors.Is(err, errMissing) {
		err = nil
	}
	if now.Name == "" {
		now.Name = m.Name
	}
	return m.file(now.Name), err
}

func (m manifest) file(name string) preview.File {
	return preview.File{
		Name: name, Version: m.Version, Size: m.Size,
		CreatedAt: m.Created, ModifiedAt: m.Modified, CreatorID: m.Creator, ModifierID: m.Modifier,
	}
}

// Rename implements [preview.Renamer]. The name is an object of its own: a rename
// takes no version number, and neither a rename nor a save can undo the other. Of
// two renames at once the later one stays.
func (s *Store) Rename(ctx context.Context, r preview.Request, name string) error {
	if _, err := s.allow(ctx, r, mayRename); err != nil {
		return err
	}
	if s.cfg.Names != nil {
		return s.cfg.Names.Rename(ctx, r, name)
	}
	return s.put(ctx, s.key(r.FileID, nameKey), storedName{name}, s.options)
}

// Users implements [preview.UserStore].
func (s *Store) Users(ctx context.Context, r preview.Request, userIDs []string) ([]preview.User, error) {
	if s.cfg.Users != nil {
		return s.cfg.Users.Users(ctx, r, userIDs)
	}
	users := make([]preview.User, len(userIDs))
	for i, id := range userIDs {
		users[i] = preview.User{ID: id, Name: id}
	}
	return users, ctx.Err()
}
