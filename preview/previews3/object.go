package previews3

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // What S3 checks.
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"sync"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/weboffice-go/weboffice/preview"
)

// errExists is the answer to a create of a key that is taken, or that another
// request creates at this moment.
var errExists = errors.New("previews3: the object exists")

// errMissing is the answer to a get or head of a key that does not exist.
var errMissing = errors.New("previews3: no such object")

// get reads the JSON object key into v.
func (s *Store) get(ctx context.Context, key string, v any) error {
	out, err := s.cfg.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.cfg.Bucket, Key: &key}, s.options...)
	if err != nil {
		return fail("get", err)
	}
	defer out.Body.Close()
	if err := json.NewDecoder(http.MaxBytesReader(nil, out.Body, 1<<20)).Decode(v); err != nil {
		if ctx.Err() != nil {
			return fail("get", ctx.Err())
		}
		return fmt.Errorf("previews3: get: %s is not what this package wrote, or was cut", key)
	}
	return nil
}

// put writes v as JSON. With s.create as opts it is errExists if key exists.
func (s *Store) put(ctx context.Context, key string, v any, opts []func(*s3.Options)) error {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	contentType, sum := "application/json", md5.Sum(body) //nolint:gosec // What S3 checks.
	_, err = s.cfg.Client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.cfg.Bucket, Key: &key, Body: bytes.NewReader(body), ContentType: &contentType, ContentMD5: base64MD5(sum[:]),
	}, opts...)
	return fail("put", err)
}

func (s *Store) remove(ctx context.Context, key string) error {
	_, err := s.cfg.Client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.cfg.Bucket, Key: &key}, s.options...)
	return fail("delete", err)
}

// object is what HEAD says of the bytes of an upload.
type object struct {
	size     int64
	md5      string // What the storage checked; empty if nobody announced one.
	modified time.Time
	age      time.Duration // By the clock of the storage alone.
}

func (s *Store) head(ctx context.Context, key string) (object, error) {
	out, err := s.cfg.Client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.cfg.Bucket, Key: &key}, s.options...)
	if err != nil {
		return object{}, fail("head", err)
	}
	if out.ContentLength == nil || out.LastModified == nil {
		return object{}, errors.New("previews3: head: the answer has no size or no time")
	}
	return object{*out.ContentLength, out.Metadata["md5"], out.LastModified.UTC(), serverTime(out.ResultMetadata).Sub(*out.LastModified)}, nil
}

// serverTime is the clock of the storage, so that replicas with other clocks agree.
// Where an answer has no Date, the zero time makes every object young: nothing is
// refused or swept for its age.
func serverTime(m middleware.Metadata) time.Time {
	t, _ := awsmiddleware.GetServerTime(m)
	return t
}

// versions lists up to limit numbers of versions that are not below lowest, the
// newest first. The newest alone costs one request.
func (s *Store) versions(ctx context.Context, fileID string, lowest uint32, limit int) ([]uint32, error) {
	prefix, page := s.key(fileID, versionsDir), int32(min(limit, 1000)) //nolint:gosec // At most 1000.
	pages := s3.NewListObjectsV2Paginator(s.cfg.Client, &s3.ListObjectsV2Input{Bucket: &s.cfg.Bucket, Prefix: &prefix, MaxKeys: &page})
	var numbers []uint32
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx, s.options...)
		if err != nil {
			return nil, fail("list", err)
		}
		for _, o := range out.Contents {
			n := versionOf(*o.Key)
			if n == 0 {
				continue
			}
			if n < lowest || len(numbers) == limit {
				return numbers, nil
			}
			numbers = append(numbers, n)
		}
		if len(numbers) == limit {
			break
		}
	}
	return numbers, nil
}

// manifest is one version, written once and never changed.
type manifest struct {
	Version  uint32    `json:"version"`
	Name     string    `json:"name"` // As Create was given it. A rename is in name.json.
	Size     int64     `json:"size"`
	MD5      string    `json:"md5,omitempty"`
	Data     string    `json:"data"`
	Created  time.Time `json:"created"`
	Creator  string    `json:"creator"`
	Modified time.Time `json:"modified"`
	Modifier string    `json:"modifier"`
}

func (s *Store) manifest(ctx context.Context, fileID string, version uint32) (m manifest, err error) {
	err = s.get(ctx, s.key(fileID, versionKey(version)), &m)
	return m, err
}

// atOnce is how many manifests one callback reads at the same time.
const atOnce = 8

// manifests reads versions, in their order. One that [Store.Sweep] removed
// meanwhile is left out.
func (s *Store) manifests(ctx context.Context, fileID string, versions []uint32) ([]manifest, error) {
	all, errs := make([]manifest, len(versions)), make([]error, len(versions))
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, n := range versions {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			all[i], errs[i] = s.manifest(ctx, fileID, n)
		})
	}
	group.Wait()
	kept := all[:0]
	for i, err := range errs {
		if err == nil {
			kept = append(kept, all[i])
		} else if !errors.Is(err, errMissing) {
			return nil, err
		}
	}
	return kept, nil
}

func base64MD5(sum []byte) *string {
	text := base64.StdEncoding.EncodeToString(sum)
	return &text
}

var wireCode = regexp.MustCompile(`^[A-Za-z0-9./+=_-]{1,80}$`)

// fail makes an error that holds neither a URL nor text of the storage: a presigned
// URL has a signature, and storages repeat what they were sent.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("previews3: %s: %w", op, known)
		}
	}
	var answer interface{ HTTPStatusCode() int }
	if !errors.As(err, &answer) || answer.HTTPStatusCode() == 0 {
		var dial *net.OpError
		if errors.As(err, &dial) {
			return fmt.Errorf("previews3: %s: %w", op, dial)
		}
		return fmt.Errorf("previews3: %s: no complete answer from the storage", op)
	}
	a := &answerError{op: op, status: answer.HTTPStatusCode(), code: noCode, request: "unknown"}
	var api smithy.APIError
	if errors.As(err, &api) && wireCode.MatchString(api.ErrorCode()) {
		a.code = api.ErrorCode()
	}
	var request interface{ ServiceRequestID() string }
	if errors.As(err, &request) && wireCode.MatchString(request.ServiceRequestID()) {
		a.request = request.ServiceRequestID()
	}
	switch {
	case a.status == http.StatusNotFound && a.code != noBucket:
		return errMissing
	case a.status == http.StatusPreconditionFailed, a.status == http.StatusConflict:
		return errExists
	case a.status == http.StatusInsufficientStorage:
		return fmt.Errorf("%w: %w", preview.ErrStorageFull, a)
	default:
		return a
	}
}

const (
	noBucket = "NoSuchBucket" // The code of an answer about a bucket that does not exist.
	noCode   = "no code"      // Stands for a code that is missing, or is not one.
)

// answerError is an answer that is an error.
type answerError struct {
	op, code, request string
	status            int
}

func (a *answerError) Error() string {
	return fmt.Sprintf("previews3: %s: the storage answers HTTP %d, %s (request %s)", a.op, a.status, a.code, a.request)
}
