package dirstore

import (
	"context"
	"crypto/md5"  //nolint:gosec // One of the digests of a save (public reference 5).
	"crypto/rand" // For the names of uploads.
	"crypto/sha1" //nolint:gosec // As md5.
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

var (
	errUploadSize     = errors.New("dirstore: the upload is not as long as it was announced")
	errUploadedBefore = errors.New("dirstore: something else was uploaded to this link")
)

// receive stores body as the upload of that name. The first upload of a name stays:
// another one must have the same bytes.
func (s *Store) receive(ctx context.Context, token, id string, size int64, body io.Reader) (err error) {
	part := path.Join(uploads, token+"."+rand.Text()[:8])
	if err := s.root.Mkdir(part, 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.root.RemoveAll(part))
		}
	}()
	bytes, document, record := path.Join(part, bytesName), path.Join(part, documentName), path.Join(part, recordName)
	u := upload{File: id, version: version{Size: size}}
	if err := s.writeBytes(bytes, document, &u, body); err != nil {
		return err
	}
	// A change of the document in its place must change its time, in whatever steps the
	// file system counts.
	at := s.clock().Add(-2 * settling)
	if err := s.root.Chtimes(document, at, at); err != nil {
		return err
	}
	info, err := s.root.Lstat(document)
	if err != nil {
		return err
	}
	u.Modified = info.ModTime().UTC()
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if err := s.root.WriteFile(record, text, 0o600); err != nil {
		return err
	}
	// An upload that has its name is complete: commit does not look again.
	if err := errors.Join(s.root.syncFile(bytes), s.root.syncFile(document), s.root.syncFile(record), s.root.syncDir(part)); err != nil {
		return err
	}
	return s.claim(ctx, part, token, u)
}

// claim gives the upload in part its name, unless the name has one.
func (s *Store) claim(ctx context.Context, part, token string, u upload) error {
	return s.state.locked(ctx, func(*os.File) error {
		before, err := s.readUpload(token)
		same, there := before.File == u.File && before.SHA256 == u.SHA256, err == nil
		for _, v := range s.state.versions(u.File) {
			if v.Upload == token {
				same, there = v.SHA1 == u.SHA1, true
			}
		}
		switch {
		case there && !same:
			return errUploadedBefore
		case there:
			return s.root.RemoveAll(part)
		}
		if err := s.root.Rename(part, path.Join(uploads, token)); err != nil {
			return err
		}
		// The service is told that its bytes are here, and does not send them again.
		return s.root.syncDir(uploads)
	})
}

// writeBytes writes the two files of an upload, and notes what they hold.
func (s *Store) writeBytes(bytes, document string, u *upload, body io.Reader) error {
	f, err := s.root.OpenFile(bytes, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	m, one, two := md5.New(), sha1.New(), sha256.New() //nolint:gosec // See the import.
	n, err := io.Copy(io.MultiWriter(f, m, one, two), io.LimitReader(body, u.Size+1))
	switch {
	case err != nil:
		return err
	case n != u.Size:
		return errUploadSize
	}
	u.MD5, u.SHA1, u.SHA256 = hex.EncodeToString(m.Sum(nil)), hex.EncodeToString(one.Sum(nil)), hex.EncodeToString(two.Sum(nil))
	return s.root.copyFile(document, f)
}

// readUpload gives the record of an upload that is complete.
func (s *Store) readUpload(token string) (u upload, err error) {
	text, err := s.root.ReadFile(path.Join(uploads, token, recordName))
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(text, &u)
}

// matches reports whether u is what was announced.
func (u *upload) matches(a preview.Upload) bool {
	sums := map[preview.DigestType]string{preview.MD5: u.MD5, preview.SHA1: u.SHA1, preview.SHA256: u.SHA256}
	return u.Size == a.Size && !slices.ContainsFunc(a.Digests, func(d preview.Digest) bool { return d.Hex != sums[d.Type] })
}
