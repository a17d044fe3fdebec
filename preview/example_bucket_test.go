package preview_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// bucket is what the client of a cloud store offers.
type bucket interface {
	Head(ctx context.Context, key string) (object, error)
	Presign(ctx context.Context, key string, life time.Duration) (address string, headers map[string]string, err error)
}

type object struct {
	Size     int64
	MD5      [16]byte
	Modified time.Time
	Metadata map[string]string
}

var errNoSuchKey = errors.New("NoSuchKey")

// bucketStore is a Store whose documents are the objects of a bucket. Keys are
// paths, and no file ids, so there is an index of them.
type bucketStore struct {
	bucket bucket
	keys   map[string]string // by file id; a table of a database in real life
}

func (s *bucketStore) head(ctx context.Context, r preview.Request) (key string, o object, err error) {
	key, ok := s.keys[r.FileID]
	if !ok {
		return "", object{}, preview.ErrNotFound
	}
	o, err = s.bucket.Head(ctx, key)
	if errors.Is(err, errNoSuchKey) {
		return "", object{}, preview.ErrNotFound
	}
	return key, o, err // anything else is an internal error, whose text stays in the log
}

func (s *bucketStore) File(ctx context.Context, r preview.Request) (preview.File, error) {
	key, o, err := s.head(ctx, r)
	if err != nil {
		return preview.File{}, err
	}
	var version uint32
	if _, err := fmt.Sscan(o.Metadata["version"], &version); err != nil {
		return preview.File{}, fmt.Errorf("version of %s: %w", key, err)
	}
	return preview.File{
		Name: preview.CleanName(o.Metadata["name"]), Version: version, Size: o.Size,
		CreatedAt: o.Modified, ModifiedAt: o.Modified, CreatorID: o.Metadata["owner"], ModifierID: o.Metadata["owner"],
	}, nil
}

func (s *bucketStore) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	key, o, err := s.head(ctx, r)
	if err != nil {
		return preview.Download{}, err
	}
	address, headers, err := s.bucket.Presign(ctx, key, 15*time.Minute) // anew for each call
	if err != nil {
		return preview.Download{}, err
	}
	return preview.Download{URL: address, Header: headers, Digest: preview.MD5Sum(o.MD5)}, nil
}

func (s *bucketStore) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	_, _, err := s.head(ctx, r)
	return preview.Permission{Read: err == nil, Copy: true}, err
}

// A handler over the objects of a cloud store, with signed links.
func ExampleNewHandler_bucket() {
	store := &bucketStore{
		bucket: memoryBucket{"2026/plan.docx": {
			Size: 9, MD5: [16]byte{0xab, 0xcd}, Modified: time.Unix(1767225600, 0),
			Metadata: map[string]string{"name": "Plan.docx", "version": "3", "owner": "ann"},
		}},
		keys: map[string]string{"plan": "2026/plan.docx", "lost": "2025/lost.docx"},
	}
	handler, err := preview.NewHandler(preview.Config{Store: store, Auth: signing.Unsigned})
	if err != nil {
		panic(err)
	}
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: handler})
	if err != nil {
		panic(err)
	}
	d, err := viewer.Download(context.Background(), "plan")
	fmt.Println(d, err) // printed without what signs the link
	_, err = viewer.Download(context.Background(), "lost")
	fmt.Println(errors.Is(err, preview.ErrNotFound))
	// Output:
	// Download{https://bucket.example.com/2026/plan.docx?[secret], md5:abcd0000000000000000000000000000, headers [X-Session]} <nil>
	// true
}

// memoryBucket is a bucket for the example.
type memoryBucket map[string]object

func (b memoryBucket) Head(_ context.Context, key string) (object, error) {
	o, ok := b[key]
	if !ok {
		return object{}, fmt.Errorf("head %s: %w", key, errNoSuchKey)
	}
	return o, nil
}

func (b memoryBucket) Presign(_ context.Context, key string, _ time.Duration) (string, map[string]string, error) {
	return "https://bucket.example.com/" + key + "?Signature=0123", map[string]string{"X-Session": "0123"}, nil
}
