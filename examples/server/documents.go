package main

import (
	"context"
	_ "embed" // the sample
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previews3"
)

// contentPath is where a folder's documents are downloaded and uploaded.
const contentPath = "/content"

// documents is a store with everything that it can do.
type documents interface {
	preview.Store
	preview.HistoryStore
	editing
}

type editing interface {
	preview.Saver
	preview.Renamer
}

// storage is where documents and results are: folders in -data, or a bucket.
type storage struct {
	documents documents
	results   results
	links     http.Handler                    // of documents in a folder; a bucket has its own
	ready     func(ctx context.Context) error // Is it there?
	sweep     func(ctx context.Context) error // Removes uploads that nobody completed.
	close     func() error
}

func openStorage(ctx context.Context, s *settings, v viewers) (*storage, error) {
	if s.bucket == "" {
		return openFolder(s, v) //nolint:contextcheck // New takes no context: it reads the state file once.
	}
	return openBucket(ctx, s, v)
}

func openFolder(s *settings, v viewers) (*storage, error) {
	root := filepath.Join(s.data, documentsFolder)
	store, err := dirstore.New(dirstore.Config{
		Root: root, PublicURL: s.public + contentPath, LinkKey: s.linkKey,
		Allow: v.allow, Editing: true,
	})
	if err != nil {
		return nil, err
	}
	return &storage{
		documents: store, results: folderResults(filepath.Join(s.data, resultsFolder)), links: store, close: store.Close,
		ready: func(context.Context) error { _, err := os.Stat(root); return err },
		sweep: func(context.Context) error { return nil }, // dirstore does it itself.
	}, nil
}

func openBucket(ctx context.Context, s *settings, v viewers) (*storage, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	client := func(endpoint string) *s3.Client {
		return s3.NewFromConfig(cfg, func(o *s3.Options) {
			o.UsePathStyle = s.s3PathStyle
			if endpoint != "" {
				o.BaseEndpoint = &endpoint
			}
		})
	}
	own, public := client(s.s3Endpoint), (*s3.Client)(nil)
	if s.s3PublicEndpoint != "" {
		public = client(s.s3PublicEndpoint)
	}
	store, err := previews3.New(previews3.Config{
		Client: own, LinkClient: public, Bucket: s.bucket, Prefix: s.bucketPrefix + "documents/",
		Allow: v.allow, Users: v,
	})
	if err != nil {
		return nil, err
	}
	if err := store.Check(ctx); err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	return &storage{
		documents: store, close: func() error { return nil },
		results: &bucketResults{own, s.bucket, s.bucketPrefix + "results/"},
		ready: func(ctx context.Context) error {
			_, err := own.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.bucket})
			return err
		},
		sweep: func(ctx context.Context) error { _, err := store.Sweep(ctx, previews3.SweepOptions{}); return err },
	}, nil
}

// sample is a document to try. It was made by LibreOffice.
//
//go:embed sample.docx
var sample []byte

const sampleName = "handbook.docx"

// putSample stores the sample in an empty folder, and returns its id.
func putSample(s *settings, store *storage) (id string, err error) {
	folder, ok := store.documents.(*dirstore.Store)
	if !ok {
		return "", nil
	}
	name := filepath.Join(s.data, documentsFolder, sampleName)
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(name, sample, 0o600); err != nil {
			return "", err
		}
	}
	return folder.ID(sampleName), nil
}

// download returns where the service fetches a document for a conversion, and its name.
func (a *app) download(ctx context.Context, fileID string) (address, name string, err error) {
	r, err := a.viewers.request(fileID)
	if err != nil {
		return "", "", err
	}
	file, err := a.storage.documents.File(ctx, r)
	if err != nil {
		return "", "", err
	}
	d, err := a.storage.documents.Download(ctx, r)
	return d.URL, file.Name, err
}

// sweepEvery is the pause between two rounds of cleaning.
const sweepEvery = 24 * time.Hour
