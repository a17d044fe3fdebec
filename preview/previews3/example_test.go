package previews3_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/signing"
)

// awsConfig is what config.LoadDefaultConfig(ctx) of aws-sdk-go-v2/config returns: it
// finds region and credentials in the environment, in files or on the machine.
var awsConfig = aws.Config{Region: "eu-central-1"}

// documents plays a bucket that has no documents, so that the examples run.
var documents = roundTrip(func(*http.Request) (*http.Response, error) {
	return respond(http.StatusOK, "<ListBucketResult></ListBucketResult>"), nil
})

// A handler over a bucket of AWS, where signed-in users edit.
func Example() {
	store, err := previews3.New(previews3.Config{
		Client: s3.NewFromConfig(awsConfig),
		Bucket: "company-documents",
		Prefix: "office/",
		Allow:  previews3.Edit,
	})
	if err != nil {
		panic(err)
	}
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{signing.App("SX2024", signing.NewSecret("app key"))},
	})
	if err != nil {
		panic(err)
	}
	// In a server: if err := store.Check(ctx); err != nil { ... }
	handler, err := preview.NewHandler(preview.Config{
		Store: store, Users: store, Saver: store, Renamer: store, History: store,
		Auth: verifier.VerifyRequest,
		Identify: func(_ context.Context, r preview.Request) (string, error) {
			if r.WebOfficeToken.IsZero() { // Verify the token of your front end here.
				return "", preview.ErrUnauthorized
			}
			return "ann", nil
		},
	})
	fmt.Println(store, handler, err)
	// Output: previews3.Store{company-documents} preview.Handler <nil>
}

// A storage of another vendor has an endpoint of its own.
func ExampleNew_endpoint() {
	client := s3.NewFromConfig(awsConfig, func(o *s3.Options) {
		o.BaseEndpoint = aws.String("https://storage.example.com")
		o.UsePathStyle = true // If the vendor has no host for each bucket.
		o.HTTPClient = &http.Client{Transport: documents}
		o.Credentials = aws.AnonymousCredentials{}
	})
	store, err := previews3.New(previews3.Config{
		Client:     client,
		Bucket:     "documents",
		CreateOnly: previews3.Header{Name: "x-kss-forbid-overwrite", Value: "true"}, // Only if it does not know If-None-Match.
	})
	if err != nil {
		panic(err)
	}
	_, err = store.File(context.Background(), preview.Request{FileID: "plan"})
	fmt.Println(errors.Is(err, preview.ErrNotFound))
	// Output: true
}
