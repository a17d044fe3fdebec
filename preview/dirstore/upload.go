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
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// An upload is a folder below uploads, whose name starts with the second in which it
// expires. It gets that name when all that is in it is on the disk.
const (
	uploads      = HistoryFolderName + "/.uploads"
	bytesName    = "bytes"       // what becomes a file of the history
	documentName = "document"    // the same bytes again: what takes the place of the document
	recordName   = "upload.json" // an upload record
)

// uploadGrace is how long an upload is kept after its link has expired.
const uploadGrace = time.Hour

var (
	errUploadSize     = errors.New("dirstore: the upload is not as long as it was announced")
	errUploadedBefore = errors.New("dirstore: something else was uploaded to this link")
)

// upload says what was uploaded.
type upload struct {
	File     string    `json:"file"` // id of the document
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"` // of documentName
	MD5      string    `json:"md5"`
	SHA1     string    `json:"sha1"`
	SHA256   string    `json:"sha256"`
}

// matches reports whether u is what was announced.
func (u *upload) matches(a preview.Upload) bool {
	for _, d := range a.Digests {
		if d.Hex != map[preview.DigestType]string{preview.MD5: u.MD5, preview.SHA1: u.SHA1, preview.SHA256: u.SHA256}[d.Type] {
			return false
		}
	}
	return u.Size == a.Size
}

// newToken names an upload.
func (s *Store) newToken() string {
	return strconv.FormatInt(unixAfter(s.cfg.Now().Add(s.cfg.LinkLife)), 10) + "-" + rand.Text()
}

// tokenExpires reads the time in a name that newToken made.
func tokenExpires(token string) (at time.Time, ok bool) {
	seconds, random, _ := strings.Cut(token, "-")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0), err == nil && random != "" && fs.ValidPath(random) && !strings.ContainsAny(random, `./\`)
}

// receive stores what body has as the upload of that name, which it gets once all is on
// the disk. The first upload of a name stays: another one must have the same bytes.
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
	u := upload{File: id, Size: size}
	if err := s.writeUpload(part, &u, body); err != nil {
		return err
	}
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if err := s.root.WriteFile(path.Join(part, recordName), text, 0o600); err != nil {
		return err
	}
	if err := errors.Join(s.syncFile(path.Join(part, recordName)), s.syncDir(part)); err != nil {
		return err
	}
	return s.publish(ctx, part, token, u)
}

// publish gives an upload its name.
func (s *Store) publish(ctx context.Context, part, token string, u upload) error {
	return s.state.locked(ctx, func(*os.File) error {
		for _, v := range s.state.versions(u.File) {
			if v.upload == token { // which was completed
				return s.repeated(part, hex.EncodeToString(v.sum[:]) == u.SHA1)
			}
		}
		if before, err := s.readUpload(token); err == nil {
			return s.repeated(part, before.File == u.File && before.SHA256 == u.SHA256)
		}
		if err := s.root.Rename(part, path.Join(uploads, token)); err != nil {
			return err
		}
		return s.syncDir(uploads)
	})
}

// repeated ends an upload of which there is one already.
func (s *Store) repeated(part string, same bool) error {
	if !same {
		return errUploadedBefore
	}
	return s.root.RemoveAll(part)
}

// writeUpload writes the two files of an upload, and notes what they hold.
func (s *Store) writeUpload(part string, u *upload, body io.Reader) error {
	f, err := s.root.OpenFile(path.Join(part, bytesName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	sums := [...]interface {
		io.Writer
		Sum([]byte) []byte
	}{md5.New(), sha1.New(), sha256.New()} //nolint:gosec // See the import.
	n, err := io.Copy(io.MultiWriter(f, sums[0], sums[1], sums[2]), io.LimitReader(body, u.Size+1))
	switch {
	case err != nil:
		return err
	case n != u.Size:
		return errUploadSize
	}
	u.MD5, u.SHA1, u.SHA256 = hex.EncodeToString(sums[0].Sum(nil)), hex.EncodeToString(sums[1].Sum(nil)), hex.EncodeToString(sums[2].Sum(nil))
	if err := f.Sync(); err != nil {
		return err
	}
	s.synced(path.Join(part, bytesName))
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	name := path.Join(part, documentName)
	if err := s.copyFile(name, f); err != nil {
		return err
	}
	// A change of the document in its place must change its time, in whatever steps
	// the file system counts.
	at := s.clock().Add(-2 * settling)
	if err := s.root.Chtimes(name, at, at); err != nil {
		return err
	}
	info, err := s.root.Lstat(name)
	if err != nil {
		return err
	}
	u.Modified = info.ModTime().UTC()
	return s.syncFile(name)
}

// readUpload gives the record of an upload that is complete.
func (s *Store) readUpload(token string) (u upload, err error) {
	text, err := s.root.ReadFile(path.Join(uploads, token, recordName))
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(text, &u)
}

// copyIn makes an upload of what another program wrote, and digests the copy.
func (s *Store) copyIn(v *version, f *os.File) (token string, err error) {
	token = s.newToken()
	folder := path.Join(uploads, token)
	if err := s.root.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.root.RemoveAll(folder))
		}
	}()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	name := path.Join(folder, bytesName)
	if err := s.copyFile(name, f); err != nil {
		return "", err
	}
	c, err := s.root.Open(name)
	if err != nil {
		return "", err
	}
	_, err = s.digest(v, c)
	if err := errors.Join(err, c.Close(), s.syncFile(name), s.syncDir(folder), s.syncDir(uploads)); err != nil {
		return "", err
	}
	return token, nil
}

func (s *Store) discard(token string) error { return s.root.RemoveAll(path.Join(uploads, token)) }

// copyFile copies f to a new file. File systems that can share blocks share them.
func (s *Store) copyFile(name string, f *os.File) error {
	c, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(c, f)
	return errors.Join(err, c.Close())
}

// syncFile makes the bytes of a file outlast a power failure.
func (s *Store) syncFile(name string) error {
	f, err := s.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	s.synced(name)
	return nil
}

// syncDir does so for the names in a folder.
func (s *Store) syncDir(name string) error {
	dir, err := s.root.Open(name)
	if err != nil {
		return err
	}
	if err := errors.Join(syncOpenDir(dir), dir.Close()); err != nil {
		return err
	}
	s.synced(name)
	return nil
}

// sweep removes abandoned uploads, and finishes what a crash interrupted.
func (s *Store) sweep(ctx context.Context) error {
	dir, err := s.root.Open(uploads)
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	var unfinished []string
	err = s.state.locked(ctx, func(*os.File) error {
		documents := s.state.uploads()
		for _, name := range names {
			token, _, _ := strings.Cut(name, ".")
			if id, ok := documents[name]; ok {
				unfinished = append(unfinished, id)
			} else if at, ok := tokenExpires(token); !ok || s.cfg.Now().After(at.Add(uploadGrace)) {
				err = errors.Join(err, s.discard(name))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range append(unfinished, s.state.unfinishedMoves()...) {
		d, _, err := s.lookUp(ctx, id)
		if err == nil {
			_, _, err = s.finishSave(ctx, d)
		}
		// On a full disk it is finished when there is room.
		if err != nil && !errors.Is(err, preview.ErrNotFound) && !full(err) {
			return fmt.Errorf("finish what was begun: %w", err)
		}
	}
	return nil
}

// sweepHourly sweeps, unless it was done within the hour.
func (s *Store) sweepHourly(ctx context.Context) error {
	last, now := s.swept.Load(), s.clock().Unix()
	if now-last < 3600 && last <= now || !s.swept.CompareAndSwap(last, now) {
		return nil
	}
	return s.sweep(ctx)
}
