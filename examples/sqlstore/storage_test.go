package main

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	accessKey, secretKey = "AKIDEXAMPLE", "canary-of-the-storage-91c2"
	testRegion           = "us-east-1"
)

// storage plays what the store needs of S3: links that are signed and end, Content-MD5,
// and If-None-Match.
type storage struct {
	t       *testing.T
	mu      sync.Mutex
	objects map[string][]byte // by path
}

// newStorage starts one, and returns a bucket of it.
func newStorage(t *testing.T) (*storage, bucket) {
	t.Helper()
	s := &storage{t: t, objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
	})
	client := s3.New(s3.Options{
		Region: testRegion, BaseEndpoint: &server.URL, UsePathStyle: true, Credentials: credentials,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
	})
	return s, bucket{"docs", client, s3.NewPresignClient(client, s3.WithPresignExpires(linkLife))}
}

func (s *storage) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.objects)
}

// ServeHTTP answers as S3 does.
func (s *storage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.signed(r) {
		http.Error(w, "SignatureDoesNotMatch", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, exists := s.objects[r.URL.Path]
	switch {
	case r.Method == http.MethodPut:
		sum := md5.Sum(body)
		if announced := r.Header.Get("Content-Md5"); announced != "" && announced != base64.StdEncoding.EncodeToString(sum[:]) {
			http.Error(w, "BadDigest", http.StatusBadRequest)
		} else if r.Header.Get("If-None-Match") == "*" && exists {
			http.Error(w, "PreconditionFailed", http.StatusPreconditionFailed)
		} else {
			s.objects[r.URL.Path] = body
		}
	case r.Method == http.MethodDelete:
		delete(s.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case !exists:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(stored)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(stored)
		}
	}
}

// signed reports whether a request has the header of the SDK, or the signature that its
// link needs: over the method, the URL, the time, and the headers that it names.
func (s *storage) signed(r *http.Request) bool {
	q := r.URL.Query()
	if q.Get("X-Amz-Signature") == "" {
		return strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+accessKey)
	}
	at, err := time.Parse("20060102T150405Z", q.Get("X-Amz-Date"))
	if seconds, numErr := strconv.Atoi(q.Get("X-Amz-Expires")); err != nil || numErr != nil || time.Since(at) > time.Duration(seconds)*time.Second {
		return false
	}
	again := &http.Request{Method: r.Method, Host: r.Host, Header: http.Header{}, URL: &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path}}
	for name := range strings.SplitSeq(q.Get("X-Amz-SignedHeaders"), ";") {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header.Set(name, r.Header.Get(name))
		}
	}
	rest := url.Values{}
	for name, values := range q {
		switch name {
		case "X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders":
		default:
			rest[name] = values
		}
	}
	again.URL.RawQuery = rest.Encode()
	signed, _, err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).PresignHTTP(r.Context(),
		aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, again, "UNSIGNED-PAYLOAD", "s3", testRegion, at)
	if err != nil {
		s.t.Error(err)
		return false
	}
	want, err := url.Parse(signed)
	return err == nil && want.Query().Get("X-Amz-Signature") == q.Get("X-Amz-Signature")
}
