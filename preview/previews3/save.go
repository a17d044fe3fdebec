package previews3

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
)

// sendBackUpload is the name of the one value that the service sends back.
const sendBackUpload = "upload"

// PrepareUpload implements [preview.Saver]. The storage checks MD5 while it
// receives the bytes.
func (s *Store) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	_, err := s.allow(ctx, r, mayUpdate)
	return []preview.DigestType{preview.MD5}, err
}

// UploadAddress implements [preview.Saver]. The first call of a Store also does what
// [Store.Check] does.
func (s *Store) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	newest, err := s.allow(ctx, r, mayUpdate)
	if err != nil {
		return preview.UploadAddress{}, err
	}
	if u.Size > s.cfg.MaxSize {
		return preview.UploadAddress{}, preview.ErrStorageFull
	}
	if err := s.checkOnce(ctx); err != nil {
		return preview.UploadAddress{}, err
	}
	var sum string
	for _, d := range u.Digests {
		if d.Type == preview.MD5 {
			sum = d.Hex
		}
	}
	upload := fmt.Sprintf("%010d-%s", newest, rand.Text())
	link, err := s.uploadLink(ctx, s.key(r.FileID, dataDir+upload), u.Size, sum)
	if err != nil {
		return preview.UploadAddress{}, err
	}
	return preview.UploadAddress{
		URL: link.URL, Method: link.Method, Header: sendable(link.SignedHeader),
		SendBack: map[string]string{sendBackUpload: upload},
	}, nil
}

// uploadLink signs a PUT that works until the key exists. The signature covers the
// size and the MD5, so that the storage refuses other bytes.
func (s *Store) uploadLink(ctx context.Context, key string, size int64, md5Hex string) (*v4.PresignedHTTPRequest, error) {
	in := &s3.PutObjectInput{Bucket: &s.cfg.Bucket, Key: &key, ContentLength: &size}
	if sum, err := hex.DecodeString(md5Hex); err == nil && len(sum) > 0 {
		in.ContentMD5 = base64MD5(sum)
		in.Metadata = map[string]string{"md5": md5Hex} // So that HEAD gives what was checked.
	}
	link, err := s.links.PresignPutObject(ctx, in, s3.WithPresignClientFromClientOptions(s.create...))
	return link, fail("sign an upload", err)
}

// sendable leaves out what every HTTP client sets by itself.
func sendable(signed http.Header) map[string]string {
	header := map[string]string{}
	for name := range signed {
		if c := http.CanonicalHeaderKey(name); c != "Host" && c != "Content-Length" {
			header[c] = signed[name][0]
		}
	}
	return header
}

// CompleteUpload implements [preview.Saver]. The bytes stay where they were
// uploaded. One create-only PUT of the manifest makes them a version: whoever
// creates the manifest of a number owns the number.
func (s *Store) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	upload := got.SendBack[sendBackUpload]
	base, ok := baseOf(upload)
	limit := math.MaxInt
	if !ok {
		limit = 1
	}
	// A repeated call finds its own version between the one that was the newest when
	// the upload was announced and the newest of now. The rule that one upload becomes
	// one version needs each of them to be looked at, here or at a refused PUT below.
	numbers, err := s.versions(ctx, r.FileID, base, limit)
	if err == nil && len(numbers) == 0 {
		err = preview.ErrNotFound
	}
	if err == nil {
		err = s.permit(ctx, r, mayUpdate)
	}
	if err == nil && !ok {
		err = preview.ErrNotUploaded
	}
	if err != nil {
		return preview.File{}, err
	}
	slices.Reverse(numbers)
	var last manifest
	for part := range slices.Chunk(numbers, atOnce) {
		known, err := s.manifests(ctx, r.FileID, part)
		if err != nil {
			return preview.File{}, err
		}
		for _, m := range known {
			if m.Data == upload {
				return s.file(ctx, r, m)
			}
			last = m
		}
	}
	if last.Version == 0 {
		return preview.File{}, preview.ErrNotFound // Removed meanwhile.
	}
	o, err := s.head(ctx, s.key(r.FileID, dataDir+upload))
	switch {
	case errors.Is(err, errMissing):
		return preview.File{}, preview.ErrNotUploaded
	case err != nil:
		return preview.File{}, err
	case o.size != u.Size, o.age > UploadLife, !o.matches(u.Digests):
		return preview.File{}, preview.ErrNotUploaded
	}
	m := last
	m.Version, m.Size, m.MD5, m.Data = numbers[len(numbers)-1], o.size, o.md5, upload
	m.Modified, m.Modifier = later(o.modified, last.Modified), s.user(r.UserID)
	if m, err = s.claim(ctx, r.FileID, m); err != nil {
		return preview.File{}, err
	}
	return s.file(ctx, r, m)
}

// matches reports whether the storage checked the MD5 that is announced now.
func (o object) matches(announced []preview.Digest) bool {
	return !slices.ContainsFunc(announced, func(d preview.Digest) bool { return d.Type == preview.MD5 && d.Hex != o.md5 })
}

// claimPause is between two attempts to create an object that the storage calls
// taken and does not show.
const claimPause = 20 * time.Millisecond

// claim makes m the first free version after m.Version. If the answer to a PUT was
// lost, or the same upload is completed twice at once, the version is found to be
// there already.
func (s *Store) claim(ctx context.Context, fileID string, m manifest) (manifest, error) {
	for m.Version++; m.Version != 0; {
		err := s.put(ctx, s.key(fileID, versionKey(m.Version)), m, s.create)
		if !errors.Is(err, errExists) {
			return m, err
		}
		switch other, err := s.manifest(ctx, fileID, m.Version); {
		case err == nil && other.Data == m.Data:
			return other, nil
		case err == nil:
			m.Version++
			m.Modified = later(m.Modified, other.Modified)
		case !errors.Is(err, errMissing):
			return m, err
		default: // Another PUT is not finished, or failed.
			select {
			case <-ctx.Done():
				return m, fail("put", ctx.Err())
			case <-time.After(claimPause):
			}
		}
	}
	return m, errors.New("previews3: the document has no free version numbers")
}

// later keeps the times of versions in order if the clock of the storage is set back.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (s *Store) user(id string) string {
	if id == "" {
		return s.cfg.Owner
	}
	return id
}
