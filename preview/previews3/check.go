package previews3

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // What S3 checks.
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// checkDir is not an id of a document: escape changes a leading dot.
const checkDir = ".check"

// Check finds out whether the storage keeps its side: it writes and removes three
// small objects. Call it when the program starts. [Store.UploadAddress] and
// [Store.Create] do the same once, before the first bytes are stored, so that a
// storage that replaces versions never gets a save.
func (s *Store) Check(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return fmt.Errorf("previews3: check: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked = true
	return nil
}

func (s *Store) checkOnce(ctx context.Context) error {
	s.mu.Lock()
	done := s.checked
	s.mu.Unlock()
	if done {
		return nil
	}
	return s.Check(ctx)
}

func (s *Store) check(ctx context.Context) error {
	base := s.cfg.Prefix + checkDir + "/" + rand.Text()
	manifest, data, wrong := base+"/1.json", base+"/data", base+"/wrong"
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		for _, key := range []string{manifest, data, wrong} {
			_ = s.remove(ctx, key) // What stays is a few bytes that no listing of documents sees.
		}
	}()
	overwrite := "it replaces an existing object although " + s.cfg.CreateOnly.Name + " forbids it; if it has a header of its own for that, name it in Config.CreateOnly"

	if err := s.reach(ctx, manifest); err != nil {
		return err
	}
	switch err := s.put(ctx, manifest, "first", s.create); {
	case errors.Is(err, errExists): // The client repeats a request whose answer was lost.
		var kept string
		if err := s.get(ctx, manifest, &kept); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if err := s.put(ctx, manifest, "second", s.create); err == nil {
		return refuse(overwrite)
	} else if !errors.Is(err, errExists) {
		return err
	}
	body := []byte("check")
	sum := md5.Sum(body) //nolint:gosec // What S3 checks.
	if status, err := s.upload(ctx, data, body, sum); err != nil || status/100 != 2 {
		return errors.Join(refuse(fmt.Sprintf("it answers a presigned upload with HTTP %d", status)), err)
	}
	if o, err := s.head(ctx, data); err != nil || o.size != int64(len(body)) || o.md5 != hex.EncodeToString(sum[:]) {
		return errors.Join(refuse("it does not keep the size and the metadata of an upload"), err)
	}
	if status, err := s.upload(ctx, data, body, sum); err != nil {
		return err
	} else if status/100 == 2 {
		return refuse("for a presigned upload " + overwrite)
	}
	if status, err := s.upload(ctx, wrong, []byte("wrong"), sum); err != nil {
		return err
	} else if status/100 == 2 {
		return refuse("it does not compare an upload with its Content-MD5")
	}
	return nil
}

func refuse(sentence string) error { return fmt.Errorf("%w: %s", ErrUnsupported, sentence) }

// reach tells what the configuration lacks from what the storage lacks, by a key that
// does not exist.
func (s *Store) reach(ctx context.Context, key string) error {
	provider := s.cfg.Client.Options().Credentials
	if provider == nil {
		return errors.New("the client has no credentials")
	}
	if _, err := provider.Retrieve(ctx); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil { // Its text may hold a URL with an id.
		return errors.New(`the client finds no credentials; "aws sts get-caller-identity" says what is wrong with those of the environment`)
	}
	var nothing any
	err := s.get(ctx, key, &nothing)
	var answer *answerError
	switch {
	case errors.Is(err, errMissing):
		return nil
	case errors.As(err, &answer) && answer.code == noBucket:
		return fmt.Errorf("there is no bucket %s", s.cfg.Bucket)
	case errors.As(err, &answer) && answer.status == http.StatusForbidden && (answer.code == "AccessDenied" || answer.code == noCode):
		return errors.Join(refuse("a missing object is not answered with 404; the credentials need s3:GetObject and s3:ListBucket"), err)
	case err == nil:
		return refuse("it finds an object that does not exist")
	default:
		return err
	}
}

// upload does what the service does with an upload address.
func (s *Store) upload(ctx context.Context, key string, body []byte, sum [md5.Size]byte) (status int, err error) {
	link, err := s.uploadLink(ctx, key, int64(len(body)), hex.EncodeToString(sum[:]))
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, link.Method, link.URL, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("previews3: the storage has no usable endpoint")
	}
	for name, value := range sendable(link.SignedHeader) {
		req.Header.Set(name, value)
	}
	resp, err := s.cfg.LinkClient.Options().HTTPClient.Do(req)
	if err != nil {
		return 0, fail("presigned upload", err)
	}
	return resp.StatusCode, resp.Body.Close()
}
