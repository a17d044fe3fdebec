// Package s3test runs a real S3 implementation in the process of a test, which
// verifies signatures and expiry. It is a module of its own, because the
// implementation brings more than a hundred modules, and users of previews3 must
// not inherit them.
package s3test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
)

// The credentials of the gateway.
const (
	AccessKey = "campaign"
	SecretKey = "campaign-secret"
)

// gateway is started once: there can be one in a process. The environment variable
// S3TEST_GATEWAY, as "host:port,folder", names one that runs elsewhere with the same
// credentials, so that -race slows down the stores and not the gateway.
var gateway = sync.OnceValues(func() (g struct{ addr, dir string }, err error) {
	if addr, dir, ok := strings.Cut(os.Getenv("S3TEST_GATEWAY"), ","); ok {
		g.addr, g.dir = addr, dir
		return g, nil
	}
	if g.dir, err = os.MkdirTemp("", "s3test-*"); err != nil {
		return g, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return g, err
	}
	g.addr = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return g, err
	}
	be, err := posix.New(g.dir, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 64})
	if err != nil {
		return g, err
	}
	failed := make(chan error, 1)
	go func() {
		failed <- embedgw.RunVersityGW(context.Background(), be, &embedgw.Config{
			RootUserAccess: AccessKey, RootUserSecret: SecretKey, Ports: []string{g.addr},
			MaxConnections: 1024, MaxRequests: 1024, MultipartMaxParts: 10000, Quiet: true, KeepAlive: true, DisableStrictBucketNames: true,
		})
	}()
	for {
		conn, err := net.Dial("tcp", g.addr)
		if err == nil {
			return g, conn.Close()
		}
		select {
		case err := <-failed:
			return g, errors.Join(errors.New("the gateway ended"), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
})

// Main runs the tests, and removes what the gateway stored.
func Main(m *testing.M) {
	code := m.Run()
	if g, err := gateway(); err == nil && os.Getenv("S3TEST_GATEWAY") == "" {
		_ = os.RemoveAll(g.dir)
	}
	os.Exit(code) //nolint:forbidigo // As a TestMain does.
}

// Bucket is an empty bucket.
type Bucket struct {
	Name   string
	Folder string // Where the gateway keeps the objects.
	Addr   string // Host and port of the gateway.
}

// NewBucket makes a bucket for one test.
func NewBucket(tb testing.TB) *Bucket {
	tb.Helper()
	g, err := gateway()
	if err != nil {
		tb.Fatal(err)
	}
	b := &Bucket{Name: "b-" + strings.ToLower(rand.Text()), Addr: g.addr}
	b.Folder = filepath.Join(g.dir, b.Name)
	if _, err := b.Client().CreateBucket(tb.Context(), &s3.CreateBucketInput{Bucket: &b.Name}); err != nil {
		tb.Fatal(err)
	}
	return b
}

// Client is a client of the gateway itself.
func (b *Bucket) Client() *s3.Client { return NewClient("http://"+b.Addr, nil) }

// NewClient is a client of the gateway behind an endpoint, through transport.
func NewClient(endpoint string, transport http.RoundTripper) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true,
		HTTPClient:  &http.Client{Transport: transport},
		Credentials: Credentials(AccessKey, SecretKey),
		// The usual pause of up to 20 seconds between attempts would only make tests slow.
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff, o.RateLimiter = time.Millisecond, ratelimit.None
		}),
	})
}

// Credentials are fixed.
func Credentials(access, secret string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: access, SecretAccessKey: secret}, nil
	})
}

// NewStore makes a Store of b, through a client of its own as each replica has one.
func (b *Bucket) NewStore(tb testing.TB, change func(*previews3.Config)) *previews3.Store {
	tb.Helper()
	cfg := previews3.Config{Client: b.Client(), Bucket: b.Name, Prefix: "office/", Allow: previews3.Edit}
	if change != nil {
		change(&cfg)
	}
	s, err := previews3.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Fill creates the document "plan".
func Fill(tb testing.TB, s *previews3.Store) {
	tb.Helper()
	if err := s.Create(tb.Context(), previews3.Document{ID: "plan", Name: "Plan.docx", Creator: "ann", Body: strings.NewReader("the first plan")}); err != nil {
		tb.Fatal(err)
	}
}

// Put does what the service does with an upload address.
func Put(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
	req, err := http.NewRequestWithContext(ctx, a.Method, a.URL, bytes.NewReader(body))
	if err != nil {
		return preview.UploadResult{}, err
	}
	for name, value := range a.Header {
		req.Header.Set(name, value)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		return preview.UploadResult{}, err
	}
	return preview.UploadResult{StatusCode: resp.StatusCode, Header: resp.Header, SendBack: a.SendBack}, resp.Body.Close()
}

// Age makes every object of b older, as if time had passed.
func (b *Bucket) Age(tb testing.TB, by time.Duration) {
	tb.Helper()
	if err := filepath.WalkDir(b.Folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(path, time.Time{}, info.ModTime().Add(-by)) //nolint:gosec // A folder of the test.
	}); err != nil {
		tb.Fatal(err)
	}
}

// Objects lists the keys of b.
func (b *Bucket) Objects(tb testing.TB) (keys []string) {
	tb.Helper()
	pages := s3.NewListObjectsV2Paginator(b.Client(), &s3.ListObjectsV2Input{Bucket: &b.Name})
	for pages.HasMorePages() {
		out, err := pages.NextPage(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		for _, o := range out.Contents {
			keys = append(keys, *o.Key)
		}
	}
	return keys
}

// Query returns one parameter of a URL.
func Query(tb testing.TB, address, name string) string {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(fmt.Errorf("the URL cannot be read: %w", err))
	}
	return u.Query().Get(name)
}
