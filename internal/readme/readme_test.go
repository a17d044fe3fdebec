// Package readme compiles the samples of README.md, each of which stands here word
// for word.
package readme_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// The samples are compiled; what they do is tested in their packages.
var _ = []any{convertSample, batchSample, previewSample, robotSample, receiverSample, tokenSample, testSample}

func convertSample(ctx context.Context) error {
	appKey := signing.NewSecret(os.Getenv("APP_KEY")) // a Secret prints as "[secret]"
	client, err := convert.New(convert.Config{
		BaseURL:     "https://office.example",
		Credentials: signing.App("SX2024", appKey),
	})
	if err != nil {
		return err
	}
	task, err := client.SubmitPDF(ctx, convert.PDFRequest{
		URL:      "https://files.example/report.docx",
		Filename: "report.docx",
	})
	if err != nil {
		return err
	}
	paths, err := client.Save(ctx, task, "out", nil) // waits, and downloads into the folder out, which must exist
	fmt.Println(paths)
	return err
}

func batchSample(ctx context.Context, client *convert.Client, requests map[string]convert.Request) {
	for name, outcome := range convert.Batch(ctx, client, maps.All(requests), &convert.BatchOptions[string]{Dir: "out"}) {
		fmt.Println(name, outcome.Paths, outcome.Err)
	}
}

func previewSample(mux *http.ServeMux, store preview.Store, appKey signing.Secret) error {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{signing.App("SX2024", appKey)},
	})
	if err != nil {
		return err
	}
	handler, err := preview.NewHandler(preview.Config{
		Store: store, // yours: File, Download, Permission
		Auth:  verifier.VerifyRequest,
	})
	if err != nil {
		return err
	}
	mux.Handle(preview.PathPrefix, handler)
	return nil
}

func robotSample(ctx context.Context, address signing.Secret, service, user, diffURL string) error {
	robot, err := webhook.NewRobot(webhook.Config{URL: address}) // a Secret: the whole URL, with ?key=…
	if err != nil {
		return err
	}
	var b markdown.Builder
	b.Heading(3, "Deployed ", service)
	b.Paragraph("by ", user, ", ", markdown.Link("changes", diffURL)) // strings are escaped: a name cannot mention anyone
	if err := robot.Send(ctx, webhook.Markdown{Text: b.String()}); err != nil {
		return err
	}
	return nil
}

func receiverSample(robot *webhook.Robot, robotKey signing.Secret) (*webhook.Receiver, error) {
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{robotKey},
		Handle: func(ctx context.Context, e webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
		},
	})
	return receiver, err
}

func tokenSample(mux *http.ServeMux, verifier *signing.Verifier, clientSecret signing.Secret, mayOpen func(context.Context, token.Request) error) error {
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL:     "https://openapi.example/oauth2/token",
		Clients: map[string]token.Client{"SX2024": {ID: "AK2024", Secret: clientSecret}},
	})
	if err != nil {
		return err
	}
	handler, err := token.NewHandler(token.Config{
		Auth:      verifier.VerifyRequest,
		Authorize: mayOpen, // yours: is this user allowed this file?
		Source:    token.NewCache(source, nil),
	})
	if err != nil {
		return err
	}
	mux.Handle(token.Path, handler)
	return nil
}

func testSample() (*convert.Client, error) {
	service := converttest.NewServer(&converttest.Options{
		Converter: converttest.Script{converttest.Pending(40), converttest.Success([]byte("the text"))},
	})
	defer service.Close()
	client, err := convert.New(service.Config())
	return client, err
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

func TestReadmeHoldsTheSamplesOfThisFile(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 5 {
		t.Fatalf("README.md has %d samples, want one for each area", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(unindent(string(source)), unindent(block[1])) {
			t.Errorf("this sample is not compiled here:\n%s", block[1])
		}
	}
}

// unindent drops the tabs before each line.
func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "\n")
}
