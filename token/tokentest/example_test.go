package tokentest_test

import (
	"context"
	"fmt"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// An Endpoint issues another token each time, and fails to order.
func ExampleEndpoint() {
	endpoint := tokentest.NewEndpoint(nil)
	cfg := endpoint.Config()
	cfg.Attempts = 1
	source, err := token.NewClientCredentials(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	endpoint.FailNext(1, 503, 503000001, "try later")
	for range 3 {
		t, err := source.Token(context.Background(), "test-app")
		fmt.Println(t.AccessToken.Reveal(), err)
	}
	fmt.Println(endpoint.Issued("test-app"))
	// Output:
	//  token: fetch for app "test-app": the token endpoint answered HTTP 503, code 503000001: try later
	// test-app-token-1 <nil>
	// test-app-token-2 <nil>
	// 2
}

// A Plugin asks as the service does, and takes no answer that breaks a rule.
func ExamplePlugin() {
	handler, err := token.NewHandler(token.Config{
		Auth:      signing.Unsigned,
		Authorize: func(context.Context, token.Request) error { return token.ErrNotFound },
		Source:    &tokentest.Source{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{Handler: handler})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = plugin.Token(context.Background(), token.Request{
		AppID: "test-app", FileID: "gone", WebOfficeToken: signing.NewSecret("alice"),
	})
	fmt.Println(err)
	// Output:
	// tokentest: refused: HTTP 404, code 40004: not found
}
