package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

const (
	// maxSize is how long a document may be.
	maxSize = 1 << 30
	// uploadLife is how long after its address a save can be completed, sweepAge when
	// what is left of it is removed.
	uploadLife, sweepAge = time.Hour, 24 * time.Hour
	// sendBack is the name of the value that the service sends back.
	sendBack = "object"
)

// PrepareUpload implements [preview.Saver].
func (s *store) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	return []preview.DigestType{preview.MD5}, s.allow(ctx, r, true) // which the storage checks
}

// UploadAddress implements [preview.Saver]. Each save has an object of its own.
func (s *store) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	if err := s.allow(ctx, r, true); err != nil {
		return preview.UploadAddress{}, err
	}
	if u.Size > maxSize {
		return preview.UploadAddress{}, preview.ErrStorageFull
	}
	object, sum := r.FileID+"/"+rand.Text(), u.Digest(preview.MD5)
	address, err := s.bucket.upload(ctx, object, u.Size, sum.Bytes())
	if err != nil {
		return preview.UploadAddress{}, err
	}
	address.SendBack = map[string]string{sendBack: object}
	_, err = s.db.ExecContext(ctx, `INSERT INTO uploads (object, document, size, md5, created) VALUES (?, ?, ?, ?, ?)`,
		object, r.FileID, u.Size, sum.Hex, time.Now().Unix())
	return address, err
}

// CompleteUpload implements [preview.Saver].
func (s *store) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	if err := s.allow(ctx, r, true); err != nil {
		return preview.File{}, err
	}
	object := got.SendBack[sendBack]
	if saved, err := s.saved(ctx, r, object); err != nil || saved.Version > 0 {
		return saved, err // a repeated call
	}
	if err := s.arrived(ctx, r, u, object); err != nil {
		return preview.File{}, err
	}
	// One statement, so that the number cannot be given twice; where a database runs
	// writers side by side, the loser of the primary key has to try again. A clock that
	// was set back does not make a version older than the one before.
	_, err := s.db.ExecContext(ctx, `INSERT INTO versions (document, version, object, size, md5, modifier, modified)
		SELECT u.document, MAX(v.version) + 1, u.object, u.size, u.md5, ?, MAX(MAX(v.modified), ?)
		FROM uploads u JOIN versions v ON v.document = u.document WHERE u.object = ? GROUP BY u.object
		ON CONFLICT (object) DO NOTHING`, r.UserID, time.Now().Unix(), object)
	if err != nil {
		return preview.File{}, err
	}
	saved, err := s.saved(ctx, r, object)
	if err == nil && saved.Version == 0 {
		err = preview.ErrNotUploaded // removed meanwhile
	}
	return saved, err
}

// saved is the version that an upload has become, or the zero File.
func (s *store) saved(ctx context.Context, r preview.Request, object string) (preview.File, error) {
	f, err := first(s.files(ctx, selectFiles+`WHERE document = ? AND object = ?`, r.FileID, object))
	if errors.Is(err, preview.ErrVersionNotFound) {
		err = nil
	}
	return f, err
}

// arrived is ErrNotUploaded unless the bucket has the bytes that were announced. Their MD5
// is in the signature of the upload, so that the storage has compared it.
func (s *store) arrived(ctx context.Context, r preview.Request, u preview.Upload, object string) error {
	var size, created int64
	var sum string
	err := s.db.QueryRowContext(ctx, `SELECT size, md5, created FROM uploads WHERE object = ? AND document = ?`, object, r.FileID).Scan(&size, &sum, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return preview.ErrNotUploaded
	}
	if err != nil {
		return err
	}
	if announced := u.Digest(preview.MD5).Hex; size != u.Size || announced != "" && announced != sum || time.Since(time.Unix(created, 0)) > uploadLife {
		return preview.ErrNotUploaded
	}
	stored, err := s.bucket.size(ctx, object)
	if errors.Is(err, errNoObject) || err == nil && stored != size {
		return preview.ErrNotUploaded
	}
	return err
}

// sweep removes saves that were not completed.
func (s *store) sweep(ctx context.Context) error {
	before := time.Now().Add(-sweepAge).Unix()
	rows, err := s.db.QueryContext(ctx, `SELECT object FROM uploads WHERE created < ? AND object NOT IN (SELECT object FROM versions)`, before)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var objects []string
	for rows.Next() {
		var object string
		if err := rows.Scan(&object); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, object := range objects {
		if err := s.bucket.remove(ctx, object); err != nil {
			return err
		}
	}
	_, err = s.db.ExecContext(ctx, `DELETE FROM uploads WHERE created < ?`, before)
	return err
}
