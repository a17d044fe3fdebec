package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"

	"github.com/weboffice-go/weboffice/preview/previews3"
)

const (
	bucket    = "documents"
	prefix    = "office/"
	region    = "us-east-1"
	accessKey = "campaign"
	secretKey = "campaign-secret"
)

// storage is a real S3 implementation over a folder, in this process.
type storage struct {
	url   string
	store *previews3.Store
}

func startStorage(ctx context.Context, dir string) (*storage, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	be, err := posix.New(dir, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 64})
	if err != nil {
		return nil, err
	}
	addr, _, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	go func() {
		_ = embedgw.RunVersityGW(ctx, be, &embedgw.Config{
			RootUserAccess: accessKey, RootUserSecret: secretKey, Ports: []string{addr},
			MaxConnections: 4096, MaxRequests: 1024, MultipartMaxParts: 10000, Quiet: true, KeepAlive: true,
		})
	}()
	if err := answers(ctx, addr); err != nil {
		return nil, err
	}
	s := &storage{url: "http://" + addr}
	client := s3.New(s3.Options{
		Region: region, BaseEndpoint: &s.url, UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
		}),
	})
	name := bucket
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name}); err != nil {
		return nil, err
	}
	s.store, err = previews3.New(previews3.Config{Client: client, Bucket: bucket, Prefix: prefix + "documents/", Allow: previews3.Edit})
	return s, err
}

// edited are the documents that users edit.
var edited = []string{"plan", "budget", "letter", "report", "minutes"}

// converted is the id of a document that is converted once.
func converted(i int) string { return fmt.Sprintf("doc%05d", i) }

// fill stores the documents.
func (s *storage) fill(ctx context.Context, conversions int) error {
	ids := slices.Clone(edited)
	for i := range conversions {
		ids = append(ids, converted(i))
	}
	for _, id := range ids {
		if err := s.store.Create(ctx, previews3.Document{ID: id, Name: id + ".docx", Body: strings.NewReader("first " + id)}); err != nil {
			return err
		}
	}
	return nil
}
