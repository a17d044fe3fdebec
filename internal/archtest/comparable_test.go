package archtest_test

import (
	"reflect"
	"testing"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// A struct that was never comparable can get a field of any type without breaking
// anyone; the values below are compared and used as map keys by intention.
func TestComparable(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		weboffice.Operation{},
		weboffice.Outcome{},
		signing.VerifierConfig{},
		signing.Secret{},
		convert.Config{},
		convert.TextRequest{},
		convert.PDFRequest{},
		convert.Status{},
		convert.Result{},
		convert.SaveOptions{},
		convert.BatchOptions[string]{},
		preview.Config{},
		preview.Request{},
		preview.Upload{},
		preview.UploadAddress{},
		preview.UploadResult{},
		preview.Download{},
		token.Config{},
		token.Request{},
		token.CacheOptions{},
		token.ClientCredentialsConfig{},
		webhook.Config{},
		webhook.ReceiverConfig{},
		webhook.SplitOptions{},
		webhook.Event{},
		webhook.Text{},
		webhook.Markdown{},
		webhook.Link{},
		webhook.Card{},
	} {
		if typ := reflect.TypeOf(v); typ.Comparable() {
			t.Errorf("%v can be compared: add _ [0]func()", typ)
		}
	}
	for _, v := range []any{
		convert.Task{},
		convert.Span{},
		convert.File{},
		preview.File{},
		preview.Permission{},
		preview.Digest{},
		preview.User{},
		preview.Page{},
		preview.Reply{},
		token.Reply{},
		webhook.CardHeader{},
		webhook.CardText{},
		webhook.Quoted{},
	} {
		if typ := reflect.TypeOf(v); !typ.Comparable() {
			t.Errorf("%v cannot be compared", typ)
		}
	}
}
