package main

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	bucket    = "documents"
	accessKey = "campaign"
	secretKey = "campaign-secret"
)

// documents are what the editors edit.
var documents = []string{"plan", "budget", "letter", "report", "minutes"}

func serveStorage(ctx context.Context, o options) error {
	be, err := posix.New(o.dir, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 64})
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(ctx, be, &embedgw.Config{
		RootUserAccess: accessKey, RootUserSecret: secretKey, Ports: []string{o.addr},
		MaxConnections: 4096, MaxRequests: 1024, MultipartMaxParts: 10000, Quiet: true, KeepAlive: true,
	})
}

func newStore(storage string) (*previews3.Store, *s3.Client, error) {
	endpoint := "http://" + storage
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
		}),
	})
	s, err := previews3.New(previews3.Config{Client: client, Bucket: bucket, Prefix: "office/", Allow: previews3.Edit})
	return s, client, err
}

// fill makes the bucket and its documents.
func fill(ctx context.Context, storage string) error {
	s, client, err := newStore(storage)
	if err != nil {
		return err
	}
	name := bucket
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name}); err != nil {
		return err
	}
	for _, id := range documents {
		if err := s.Create(ctx, previews3.Document{ID: id, Name: id + ".docx", Body: strings.NewReader("first " + id)}); err != nil {
			return err
		}
	}
	return nil
}

// config is a replica as it is given to preview.NewHandler.
func config(s *previews3.Store) preview.Config {
	return preview.Config{
		Store: s, Users: s, Saver: s, Renamer: s, History: s, Auth: signing.Unsigned,
		Identify: func(context.Context, preview.Request) (string, error) { return "ann", nil },
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

func serveReplica(ctx context.Context, o options) error {
	s, _, err := newStore(o.storage)
	if err != nil {
		return err
	}
	cfg := config(s)
	if o.bug != "" {
		cfg.Saver = buggy{s, o.bug}
	}
	handler, err := preview.NewHandler(cfg)
	if err != nil {
		return err
	}
	return serve(ctx, o.addr, handler)
}

// buggy saves with a known mistake.
type buggy struct {
	*previews3.Store
	bug string
}

func (b buggy) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	switch b.bug {
	case "ack": // Answers with the number that the save should get, and stores it later.
		f, err := b.File(ctx, r)
		f.Version, f.Size = f.Version+1, u.Size
		go func() {
			time.Sleep(30 * time.Millisecond)
			_, _ = b.Store.CompleteUpload(context.WithoutCancel(ctx), r, u, got)
		}()
		return f, err
	case "repeat": // Saves the bytes once more if the call is a repeated one.
		before, err := b.File(ctx, r)
		if err != nil {
			return before, err
		}
		f, err := b.Store.CompleteUpload(ctx, r, u, got)
		if err != nil || f.Version > before.Version {
			return f, err
		}
		d, err := b.DownloadVersion(ctx, r, f.Version)
		if err != nil {
			return f, err
		}
		body, err := fetch(ctx, d.URL)
		if err != nil {
			return f, err
		}
		a, err := b.UploadAddress(ctx, r, u)
		if err != nil {
			return f, err
		}
		if _, err := put(ctx, a.URL, a.Header, body); err != nil {
			return f, err
		}
		got.SendBack = a.SendBack
	}
	return b.Store.CompleteUpload(ctx, r, u, got)
}
