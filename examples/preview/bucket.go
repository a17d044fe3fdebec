package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/signing"
)

// bucket is a store in an S3 bucket. The service fetches and uploads the bytes at the
// storage itself.
type bucket struct{ *previews3.Store }

// newBucket makes sure that the storage can be used, and imports the documents of -dir.
func newBucket(ctx context.Context, o options, out io.Writer) (bucket, error) {
	client, err := o.s3.client(ctx)
	if err != nil {
		return bucket{}, err
	}
	store, err := previews3.New(previews3.Config{
		Client: client, Bucket: o.s3.bucket, Prefix: o.s3.prefix, CreateOnly: o.s3.createOnly, Allow: o.allow,
	})
	if err != nil {
		return bucket{}, err
	}
	if err := store.Check(ctx); errors.Is(err, previews3.ErrUnsupported) {
		return bucket{}, fmt.Errorf("%w\nConfig.CreateOnly is -s3-create-only", err)
	} else if err != nil {
		return bucket{}, err
	}
	b := bucket{store}
	if o.dir == "" {
		return b, nil
	}
	return b, b.takeIn(ctx, o, out)
}

// client finds credentials as all programs of AWS do: in the environment, in ~/.aws or
// on the machine.
func (o bucketOptions) client(ctx context.Context) (*s3.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("the settings for S3: %w", err)
	}
	if cfg.Region = cmp.Or(o.region, cfg.Region); cfg.Region == "" {
		if o.endpoint == "" {
			return nil, cli.Usagef("-s3 needs the region of the bucket: -s3-region or AWS_REGION")
		}
		cfg.Region = "us-east-1" // Other storages take any.
	}
	return s3.NewFromConfig(cfg, func(c *s3.Options) {
		if o.endpoint != "" {
			c.BaseEndpoint, c.UsePathStyle = &o.endpoint, true
		}
	}), nil
}

// takeIn copies the documents of a folder that the bucket does not have yet. They keep
// the ids and the version numbers that this program gives them in the folder.
func (b bucket) takeIn(ctx context.Context, o options, out io.Writer) error {
	state := filepath.Join(o.state, dirstore.StateFileName)
	if own := filepath.Join(o.dir, dirstore.StateFileName); !exists(state) && exists(own) {
		state = own
	}
	from, err := dirstore.New(dirstore.Config{ //nolint:contextcheck // New takes no context: it reads the state file once.
		Root: o.dir, StateFile: state, Allow: o.allow,
		PublicURL: o.public, LinkKey: signing.NewSecret(rand.Text()), // Nobody gets a link.
		Editing: exists(filepath.Join(o.dir, dirstore.HistoryFolderName)), // It finishes what a crash interrupted.
	})
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	return b.Import(ctx, os.DirFS(o.dir), func(path string) (previews3.Document, error) {
		if !opens(path) {
			return previews3.Document{}, nil
		}
		r := preview.Request{FileID: from.ID(path)}
		f, err := from.File(ctx, r)
		if errors.Is(err, preview.ErrNotFound) { // Not a document.
			return previews3.Document{}, nil
		}
		if err == nil {
			if _, err := b.File(ctx, r); !errors.Is(err, preview.ErrNotFound) {
				return previews3.Document{}, err // It is there.
			}
			fmt.Fprintf(out, "Copies %s to s3://%s/%s\n", printable(path), o.s3.bucket, o.s3.prefix)
		}
		return previews3.Document{ID: r.FileID, Name: f.Name, Version: f.Version, Creator: f.CreatorID}, err
	})
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (b bucket) documents(ctx context.Context) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		for id, err := range b.IDs(ctx) {
			var f preview.File
			if err == nil {
				f, err = b.File(ctx, preview.Request{FileID: id})
			}
			if errors.Is(err, preview.ErrNotFound) { // Something else has that prefix.
				continue
			}
			if !yield(document{id, f.Name}, err) || err != nil {
				return
			}
		}
	}
}

// draft makes a document of its own, and discard removes it.
func (b bucket) draft(ctx context.Context, first document, content []byte) (id string, discard func() error, err error) {
	id = "draft_" + rand.Text()
	discard = func() error { return b.Delete(context.WithoutCancel(ctx), id) }
	return id, discard, b.Create(ctx, previews3.Document{ID: id, Name: first.name, Body: bytes.NewReader(content)})
}

// Close implements store.
func (bucket) Close() error { return nil }
