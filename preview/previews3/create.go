package previews3

import (
	"context"
	"crypto/md5" //nolint:gosec // What S3 checks.
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
)

// ErrExists is in the error of [Store.Create] if the document exists.
var ErrExists = errors.New("previews3: the document exists")

// Document is a document that the bucket does not have yet.
type Document struct {
	ID      string // Required. The file id.
	Name    string // Required. With its extension; preview.CheckName must accept it.
	Creator string // Id of a user. If empty, Config.Owner.

	// Number of the first version. A document that had numbers elsewhere goes on from
	// there, because the viewer caches by them. If zero, 1.
	Version uint32

	Body io.ReadSeeker // Required. It is read twice or more, in small parts.
}

// Create stores a new document. It is [ErrExists] if the bucket has the id already.
func (s *Store) Create(ctx context.Context, d Document) error {
	if d.ID == "" || d.Body == nil {
		return errors.New("previews3: create: ID and Body are required")
	}
	if err := preview.CheckName(d.Name); err != nil {
		return fmt.Errorf("previews3: create: %w", err)
	}
	if err := s.checkOnce(ctx); err != nil {
		return err
	}
	if numbers, err := s.versions(ctx, d.ID, 0, 1); err != nil || len(numbers) > 0 {
		return errors.Join(err, ErrExists)
	}
	hash := md5.New() //nolint:gosec // What S3 checks.
	size, err := io.Copy(hash, d.Body)
	if err == nil {
		_, err = d.Body.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("previews3: create: %w", err)
	}
	if size > s.cfg.MaxSize {
		return preview.ErrStorageFull
	}
	sum := hash.Sum(nil)
	upload := fmt.Sprintf("%010d-%s", 0, rand.Text())
	key := s.key(d.ID, dataDir+upload)
	if _, err := s.cfg.Client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.cfg.Bucket, Key: &key, Body: d.Body, ContentLength: &size, ContentMD5: base64MD5(sum),
	}, s.options...); err != nil {
		return fail("put", err)
	}
	o, err := s.head(ctx, key) // For the time: the clock of the storage.
	if err != nil {
		return err
	}
	m := manifest{
		Version: max(d.Version, 1), Name: d.Name, Size: size, MD5: hex.EncodeToString(sum), Data: upload,
		Created: o.modified, Creator: s.user(d.Creator), Modified: o.modified, Modifier: s.user(d.Creator),
	}
	key = s.key(d.ID, versionKey(m.Version))
	if err = s.put(ctx, key, m, s.create); !errors.Is(err, errExists) {
		return err
	}
	if other, err := s.manifest(ctx, d.ID, m.Version); err != nil || other.Data != upload {
		return errors.Join(err, ErrExists)
	}
	return nil // The answer to the first attempt was lost.
}

// Import creates a document for each regular file of fsys. describe gives its
// metadata; a Document without ID is left out, and Body is filled in. Documents that
// exist are left as they are, so that an Import can be repeated until it is complete.
func (s *Store) Import(ctx context.Context, fsys fs.FS, describe func(path string) (Document, error)) error {
	return fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		d, err := describe(path)
		if err != nil || d.ID == "" {
			return err
		}
		file, err := fsys.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		body, ok := file.(io.ReadSeeker)
		if !ok {
			return fmt.Errorf("previews3: import: %s cannot seek", path)
		}
		d.Body = body
		if err := s.Create(ctx, d); err != nil && !errors.Is(err, ErrExists) {
			return fmt.Errorf("previews3: import: %s: %w", path, err)
		}
		return nil
	})
}
