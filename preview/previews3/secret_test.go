package previews3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// client is a client of a storage that answer plays.
func client(answer roundTrip) *s3.Client {
	endpoint := "http://storage.example"
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true,
		HTTPClient: &http.Client{Transport: answer},
		Retryer:    aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "CANARY-access", SecretAccessKey: "CANARY-secret", SessionToken: "CANARY-session"}, nil
		}),
	})
}

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"X-Amz-Request-Id": {"request-1"}}, Body: io.NopCloser(strings.NewReader(body))}
}

// methods are all that can fail.
func methods(s *previews3.Store) map[string]func(context.Context) error {
	r := preview.Request{FileID: "plan", UserID: "ann"}
	sendBack := preview.UploadResult{SendBack: map[string]string{"upload": "0000000001-" + strings.Repeat("A", 26)}}
	return map[string]func(context.Context) error{
		"Check":      s.Check,
		"File":       func(ctx context.Context) error { _, err := s.File(ctx, r); return err },
		"Download":   func(ctx context.Context) error { _, err := s.Download(ctx, r); return err },
		"Permission": func(ctx context.Context) error { _, err := s.Permission(ctx, r); return err },
		"Versions":   func(ctx context.Context) error { _, err := s.Versions(ctx, r, preview.Page{}); return err },
		"Rename":     func(ctx context.Context) error { return s.Rename(ctx, r, "New.docx") },
		"UploadAddress": func(ctx context.Context) error {
			_, err := s.UploadAddress(ctx, r, preview.Upload{Name: "Plan.docx"})
			return err
		},
		"CompleteUpload": func(ctx context.Context) error {
			_, err := s.CompleteUpload(ctx, r, preview.Upload{}, sendBack)
			return err
		},
		"Sweep": func(ctx context.Context) error { _, err := s.Sweep(ctx, previews3.SweepOptions{}); return err },
		"IDs": func(ctx context.Context) error {
			for _, err := range s.IDs(ctx) {
				return err
			}
			return nil
		},
		"Delete": func(ctx context.Context) error { return s.Delete(ctx, "plan") },
		"Create": func(ctx context.Context) error {
			return s.Create(ctx, previews3.Document{ID: "new", Name: "New.docx", Body: strings.NewReader("x")})
		},
	}
}

const list = `<ListBucketResult><Contents><Key>plan/versions/4294967294-v1.json</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents></ListBucketResult>`

// Storages repeat what they were sent, and errors of net/http hold URLs.
func TestNoSecretInErrors(t *testing.T) {
	t.Parallel()
	everything := func(req *http.Request) string { return fmt.Sprintf("CANARY %v %v", req.URL, req.Header) }
	for name, answer := range map[string]roundTrip{
		"transport": func(req *http.Request) (*http.Response, error) { return nil, errors.New(everything(req)) },
		"refused": func(req *http.Request) (*http.Response, error) {
			return respond(http.StatusForbidden, "<Error><Code>SignatureDoesNotMatch</Code><Message>"+everything(req)+"</Message><StringToSign>CANARY</StringToSign></Error>"), nil
		},
		"strange code": func(req *http.Request) (*http.Response, error) {
			return respond(http.StatusBadRequest, "<Error><Code>CANARY "+everything(req)+"</Code></Error>"), nil
		},
		"not JSON": func(req *http.Request) (*http.Response, error) {
			if req.URL.Query().Has("list-type") {
				return respond(http.StatusOK, list), nil
			}
			return respond(http.StatusOK, everything(req)), nil
		},
		"presigned only": func(req *http.Request) (*http.Response, error) {
			switch {
			case req.URL.Query().Has("X-Amz-Signature"):
				return nil, errors.New(everything(req))
			case req.URL.Query().Has("list-type"):
				return respond(http.StatusOK, list), nil
			case req.Method == http.MethodGet:
				return respond(http.StatusNotFound, "<Error><Code>NoSuchKey</Code></Error>"), nil
			case strings.HasSuffix(req.URL.Path, "1.json") && req.Header.Get("If-None-Match") != "":
				if req.ContentLength > int64(len(`"first"`)) {
					return respond(http.StatusPreconditionFailed, ""), nil
				}
			}
			return respond(http.StatusOK, ""), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := previews3.New(previews3.Config{Client: client(answer), Bucket: "documents", Allow: previews3.Edit})
			if err != nil {
				t.Fatal(err)
			}
			for method, call := range methods(s) {
				err := call(t.Context())
				text := fmt.Sprintf("%v %+v %#v", err, err, err)
				for _, secret := range []string{"CANARY", "Signature=", "Credential"} {
					if strings.Contains(text, secret) {
						t.Errorf("%s = %s", method, text)
					}
				}
				if err == nil && name != "presigned only" && method != "Sweep" && method != "Permission" && method != "UploadAddress" && method != "Rename" && method != "IDs" && method != "Delete" {
					t.Errorf("%s answers", method)
				}
			}
		})
	}
}

func TestErrorsAreKnown(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for name, c := range map[string]struct {
		answer roundTrip
		want   error
		text   string
	}{
		"canceled": {func(*http.Request) (*http.Response, error) { return nil, context.Canceled }, context.Canceled, "previews3: list: context canceled"},
		"deadline": {func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }, context.DeadlineExceeded, "previews3: list: context deadline exceeded"},
		"dial":     {func(*http.Request) (*http.Response, error) { return nil, refused }, refused, "previews3: list: dial tcp: connection refused"},
		"denied": {func(*http.Request) (*http.Response, error) {
			return respond(http.StatusForbidden, "<Error><Code>AccessDenied</Code></Error>"), nil
		}, nil, "previews3: list: the storage answers HTTP 403, AccessDenied (request request-1)"},
		"no bucket": {func(*http.Request) (*http.Response, error) {
			return respond(http.StatusNotFound, "<Error><Code>NoSuchBucket</Code></Error>"), nil
		}, nil, "previews3: list: the storage answers HTTP 404, NoSuchBucket (request request-1)"},
		"full": {func(*http.Request) (*http.Response, error) {
			return respond(http.StatusInsufficientStorage, "<Error><Code>StorageFull</Code></Error>"), nil
		}, preview.ErrStorageFull, preview.ErrStorageFull.Error() + ": previews3: list: the storage answers HTTP 507, StorageFull (request request-1)"},
		"no document": {func(*http.Request) (*http.Response, error) {
			return respond(http.StatusOK, "<ListBucketResult></ListBucketResult>"), nil
		}, preview.ErrNotFound, preview.ErrNotFound.Error()},
	} {
		s, err := previews3.New(previews3.Config{Client: client(c.answer), Bucket: "documents"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.File(t.Context(), preview.Request{FileID: "plan"})
		if err == nil || err.Error() != c.text || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: File = %v, want %s", name, err, c.text)
		}
	}
}

// What the configuration lacks is not said to be the fault of the storage.
func TestCheckSays(t *testing.T) {
	t.Parallel()
	answers := func(status int, code string) roundTrip {
		return func(*http.Request) (*http.Response, error) {
			return respond(status, "<Error><Code>"+code+"</Code></Error>"), nil
		}
	}
	none := client(answers(http.StatusNotFound, "NoSuchKey")).Options()
	none.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("http://169.254.170.2/CANARY")
	})
	anonymous := none
	anonymous.Credentials = aws.AnonymousCredentials{}
	for name, c := range map[string]struct {
		client      *s3.Client
		want        string
		unsupported bool
	}{
		"no bucket":      {client(answers(http.StatusNotFound, "NoSuchBucket")), "there is no bucket documents", false},
		"wrong key":      {client(answers(http.StatusForbidden, "InvalidAccessKeyId")), "HTTP 403, InvalidAccessKeyId", false},
		"denied":         {client(answers(http.StatusForbidden, "AccessDenied")), "the credentials need s3:GetObject and s3:ListBucket", true},
		"down":           {client(func(*http.Request) (*http.Response, error) { return nil, errors.New("CANARY") }), "no complete answer", false},
		"no credentials": {s3.New(none), "the client finds no credentials", false},
		"anonymous":      {s3.New(anonymous), "the client has no credentials", false},
		"answers always": {client(func(*http.Request) (*http.Response, error) { return respond(http.StatusOK, "{}"), nil }), "it finds an object that does not exist", true},
	} {
		s, err := previews3.New(previews3.Config{Client: c.client, Bucket: "documents"})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, previews3.ErrUnsupported) != c.unsupported || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: Check = %v, want %q", name, err, c.want)
		}
	}
}
