package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/weboffice-go/weboffice/preview"
)

// linkLife is how long a presigned URL is valid.
const linkLife = 15 * time.Minute

var errNoObject = errors.New("the bucket has no such object")

// bucket is a bucket of Amazon S3, or of a storage that speaks its protocol.
type bucket struct {
	name   string
	client *s3.Client
	links  *s3.PresignClient
}

// newBucket finds credentials as all programs of AWS do. Without an endpoint it is AWS.
func newBucket(ctx context.Context, name, endpoint, region string) (bucket, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return bucket{}, err
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.Region = cmp.Or(region, cfg.Region, "us-east-1")
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired // A link is made before there are bytes.
		if endpoint != "" {
			o.BaseEndpoint, o.UsePathStyle = &endpoint, true
		}
	})
	return bucket{name, client, s3.NewPresignClient(client, s3.WithPresignExpires(linkLife))}, nil
}

// download is a link for the service. The bytes are an attachment, so that no browser
// shows them as a page of the storage.
func (b bucket) download(ctx context.Context, object string) (preview.Download, error) {
	link, err := b.links.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &b.name, Key: &object, ResponseContentDisposition: aws.String("attachment"),
	})
	if err != nil {
		return preview.Download{}, err
	}
	return preview.Download{URL: link.URL, Header: sendable(link.SignedHeader)}, nil
}

// upload is a link that works until the object exists, and for bytes of that size and MD5
// alone: all of them are in its signature.
func (b bucket) upload(ctx context.Context, object string, size int64, md5 []byte) (preview.UploadAddress, error) {
	in := &s3.PutObjectInput{Bucket: &b.name, Key: &object, ContentLength: &size, IfNoneMatch: aws.String("*")}
	if len(md5) > 0 {
		in.ContentMD5 = aws.String(base64.StdEncoding.EncodeToString(md5))
	}
	link, err := b.links.PresignPutObject(ctx, in)
	if err != nil {
		return preview.UploadAddress{}, err
	}
	return preview.UploadAddress{URL: link.URL, Method: link.Method, Header: sendable(link.SignedHeader)}, nil
}

// sendable leaves out what every HTTP client sets by itself.
func sendable(signed http.Header) map[string]string {
	header := map[string]string{}
	for name := range signed {
		if c := http.CanonicalHeaderKey(name); c != "Host" && c != "Content-Length" {
			header[c] = signed[name][0]
		}
	}
	return header
}

// size is that of an object, or errNoObject.
func (b bucket) size(ctx context.Context, object string) (int64, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &object})
	if missing := (*types.NotFound)(nil); errors.As(err, &missing) {
		return 0, errNoObject
	}
	if err != nil {
		return 0, err
	}
	return aws.ToInt64(out.ContentLength), nil
}

// put stores bytes that nobody else uploads.
func (b bucket) put(ctx context.Context, object string, body io.Reader, size int64, md5Hex string) error {
	sum, err := hex.DecodeString(md5Hex)
	if err != nil {
		return err
	}
	_, err = b.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.name, Key: &object, Body: body, ContentLength: &size, ContentMD5: aws.String(base64.StdEncoding.EncodeToString(sum)),
	})
	return err
}

func (b bucket) remove(ctx context.Context, object string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &object})
	return err
}
