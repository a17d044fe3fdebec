package previews3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/weboffice-go/weboffice/preview"
)

const (
	// DefaultLinkLife is how long a presigned URL works.
	DefaultLinkLife = 30 * time.Minute
	// MaxLinkLife is the longest life that S3 allows for a presigned URL.
	MaxLinkLife = 7 * 24 * time.Hour
	// DefaultMaxSize is the largest document: what S3 takes in one PUT.
	DefaultMaxSize = 5 << 30
	// DefaultOwner is the user who stands for an unknown creator or modifier.
	DefaultOwner = "owner"
	// UploadLife is how long after an upload its save can be completed.
	// [Store.Sweep] removes an upload that nobody completed after twice that time.
	UploadLife = 24 * time.Hour
)

// ErrUnsupported is in the error of [Store.Check] if the storage cannot keep
// versions safe. The error says what is missing, in one sentence.
var ErrUnsupported = errors.New("previews3: the storage is not usable")

// Names keeps the names of documents outside of the bucket, for example in the
// integrator's database. Both methods follow the contract of [preview.Store].
type Names interface {
	// Name returns the name of r.FileID. Empty: the name that [Store.Create] gave it.
	Name(ctx context.Context, r preview.Request) (string, error)

	// Rename follows the contract of [preview.Renamer].
	Rename(ctx context.Context, r preview.Request, name string) error
}

// Header is one header of a request.
type Header struct{ Name, Value string }

// Config says which bucket a [Store] uses, and who may do what.
type Config struct {
	// Required. Its credentials need the operations that the package comment lists.
	// Its retries and time-outs are used as they are.
	Client *s3.Client

	// Required. The bucket must exist.
	Bucket string

	// Comes before each key, for example "office/". No other program may write
	// objects with this prefix. If empty, the Store owns the whole bucket.
	Prefix string

	// Makes the presigned URLs, if the service reaches the storage under another
	// endpoint than Client does. It is used for nothing else. If nil, Client.
	LinkClient *s3.Client

	// How long a presigned URL works, up to MaxLinkLife. A URL also stops working when
	// the credentials that signed it expire. If zero, DefaultLinkLife.
	LinkLife time.Duration

	// The header with which the storage refuses to replace an object, for storages
	// that have their own, such as {"x-kss-forbid-overwrite", "true"}. If zero,
	// {"If-None-Match", "*"}, which AWS and most others know.
	CreateOnly Header

	// What a user may do with an existing document. If nil, ReadOnly.
	Allow func(ctx context.Context, r preview.Request) (preview.Permission, error)

	// Who the users are. If nil, every id is a user whose name is the id, which the rule
	// users-none of previewtest does not accept.
	Users preview.UserStore

	// Where names are kept. If nil, in the bucket, where two documents may have the
	// same name.
	Names Names

	// The user who stands for an unknown creator or modifier. If empty, DefaultOwner.
	Owner string

	// Size of the largest document, in bytes, up to DefaultMaxSize. If zero,
	// DefaultMaxSize.
	MaxSize int64
}

// Store keeps documents in a bucket. It implements [preview.Store],
// [preview.UserStore], [preview.Saver], [preview.Renamer] and
// [preview.HistoryStore].
type Store struct {
	cfg     Config
	links   *s3.PresignClient
	options []func(*s3.Options) // of each call
	create  []func(*s3.Options) // of each call that must not replace an object

	mu      sync.Mutex
	checked bool
}

var (
	_ preview.Store        = (*Store)(nil)
	_ preview.UserStore    = (*Store)(nil)
	_ preview.Saver        = (*Store)(nil)
	_ preview.Renamer      = (*Store)(nil)
	_ preview.HistoryStore = (*Store)(nil)
)

// ReadOnly lets every user read, copy and see earlier versions.
func ReadOnly(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{Read: true, Copy: true, History: true}, nil
}

// Edit lets every user do everything. It fits where Config.Identify of the handler
// already refuses everyone who may not edit.
func Edit(_ context.Context, r preview.Request) (preview.Permission, error) {
	p := preview.Permission{UserID: r.UserID, Read: true, Copy: true, History: true}
	if r.UserID != "" { // Update and Print need a user (protocol 2.6 rules 1 and 2).
		p.Update, p.Rename, p.Download, p.Print, p.SaveAs, p.Comment = true, true, true, true, true, true
	}
	return p, nil
}

// New copies cfg, fills in its defaults and reports every problem at once. It does
// not call the storage: [Store.Check] does.
func New(cfg Config) (*Store, error) {
	var errs []error
	problem := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("previews3: config: "+text))
		}
	}
	problem(cfg.Client == nil, "Client is required")
	problem(cfg.Bucket == "", "Bucket is required")
	problem(strings.HasPrefix(cfg.Prefix, "/"), "Prefix must not start with a slash")
	problem(cfg.LinkLife < 0 || cfg.LinkLife > MaxLinkLife, "LinkLife must be from 0 to 7 days")
	problem(cfg.LinkLife > 0 && cfg.LinkLife < time.Second, "LinkLife must be at least a second")
	problem(cfg.MaxSize < 0 || cfg.MaxSize > DefaultMaxSize, "MaxSize must be from 0 to 5 GiB")
	problem((cfg.CreateOnly.Name == "") != (cfg.CreateOnly.Value == ""), "CreateOnly needs a name and a value")
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	setDefault(&cfg.LinkClient, cfg.Client)
	setDefault(&cfg.LinkLife, DefaultLinkLife)
	setDefault(&cfg.CreateOnly, Header{"If-None-Match", "*"})
	setDefault(&cfg.Owner, DefaultOwner)
	setDefault(&cfg.MaxSize, DefaultMaxSize)
	if cfg.Allow == nil {
		cfg.Allow = ReadOnly
	}
	// The SDK's own checksums are trailers that many storages do not know, and a
	// presigned URL would hold the checksum of an empty body.
	plain := func(o *s3.Options) {
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	}
	createOnly := s3.WithAPIOptions(smithyhttp.SetHeaderValue(cfg.CreateOnly.Name, cfg.CreateOnly.Value))
	return &Store{
		cfg:     cfg,
		links:   s3.NewPresignClient(cfg.LinkClient, s3.WithPresignClientFromClientOptions(plain), s3.WithPresignExpires(cfg.LinkLife)),
		options: []func(*s3.Options){plain},
		create:  []func(*s3.Options){plain, createOnly},
	}, nil
}

func setDefault[T comparable](field *T, value T) {
	if *field == *new(T) {
		*field = value
	}
}

// Format prints the name of the type and the bucket, and nothing else of its Config.
func (s *Store) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "previews3.Store{%s}", s.cfg.Bucket)
}
