package token_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// What other goroutines work with is not read by printing it.
func TestWhatIsAtWorkPrintsItsName(t *testing.T) {
	t.Parallel()
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL:     "https://auth.example/oauth2/token?x=hidden",
		Clients: map[string]token.Client{"b": {Secret: signing.NewSecret("hidden")}, "a": {Secret: signing.NewSecret("hidden")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cache := token.NewCache(source, nil)
	handler, err := token.NewHandler(token.Config{
		Auth:      signing.Unsigned,
		Authorize: func(context.Context, token.Request) error { return nil },
		Source:    cache,
	})
	if err != nil {
		t.Fatal(err)
	}
	for want, v := range map[string]any{"token.ClientCredentials[a b]": source, "token.Cache": cache, "token.Handler": handler} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
			if got := fmt.Sprintf(verb, v); got != want {
				t.Errorf("%s prints %q, want %q", verb, got, want)
			}
		}
	}
}
