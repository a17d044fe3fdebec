package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// results keeps the files that conversions made. A key is "17/001.txt". To put a key
// again replaces it: a job that is repeated writes the same.
type results interface {
	Put(ctx context.Context, key string, file *os.File) error
	Get(ctx context.Context, key string) (body io.ReadCloser, size int64, err error) // fs.ErrNotExist
	Sweep(ctx context.Context, before time.Time) error
}

// folderResults is a folder.
type folderResults string

// Put implements results. The file appears when it is complete.
func (f folderResults) Put(_ context.Context, key string, file *os.File) (err error) {
	name := filepath.Join(string(f), filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(name), ".part-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name())
		}
	}()
	_, err = io.Copy(part, file)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}

// Get implements results.
func (f folderResults) Get(_ context.Context, key string) (io.ReadCloser, int64, error) {
	file, err := os.OpenInRoot(string(f), filepath.FromSlash(key))
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// Sweep implements results.
func (f folderResults) Sweep(ctx context.Context, before time.Time) error {
	entries, err := os.ReadDir(string(f))
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if infoErr != nil || !info.ModTime().Before(before) || ctx.Err() != nil {
			continue
		}
		err = errors.Join(err, os.RemoveAll(filepath.Join(string(f), entry.Name())))
	}
	return errors.Join(err, ctx.Err())
}

// bucketResults is a part of a bucket.
type bucketResults struct {
	client         *s3.Client
	bucket, prefix string
}

// Put implements results.
func (b *bucketResults) Put(ctx context.Context, key string, file *os.File) error {
	key = b.prefix + key
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.bucket, Key: &key, Body: file})
	return err
}

// Get implements results.
func (b *bucketResults) Get(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	key = b.prefix + key
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &key})
	var missing *types.NoSuchKey
	switch {
	case errors.As(err, &missing):
		return nil, 0, fs.ErrNotExist
	case err != nil:
		return nil, 0, err
	}
	return out.Body, *out.ContentLength, nil
}

// Sweep implements results.
func (b *bucketResults) Sweep(ctx context.Context, before time.Time) error {
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.bucket, Prefix: &b.prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, object := range page.Contents {
			if object.LastModified == nil || !object.LastModified.Before(before) {
				continue
			}
			if _, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.bucket, Key: object.Key}); err != nil {
				return err
			}
		}
	}
	return nil
}
