package token_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// A secret may be in the Extra of a Client, and in the query of the address.
func TestConfigurationsPrintNoSecret(t *testing.T) {
	t.Parallel()
	client := token.Client{ID: "AK-1", Secret: signing.NewSecret("hidden"), Extra: url.Values{"b": {"hidden"}, "a": {"hidden"}}}
	cfg := token.ClientCredentialsConfig{
		URL:     "https://u:hidden@auth.example/oauth2/token?x=hidden",
		Clients: map[string]token.Client{"b": client, "a": client},
	}
	for want, v := range map[string]any{"{AK-1 [secret] a,b}": client, "{https://auth.example/oauth2/token?[secret] [a b]}": cfg} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
			if got := fmt.Sprintf(verb, v); got != want {
				t.Errorf("%s prints %q, want %q", verb, got, want)
			}
		}
		var log bytes.Buffer
		textLogger(&log).Info("", "v", v)
		if !strings.HasSuffix(log.String(), " v="+strconv.Quote(want)+"\n") {
			t.Errorf("logged as %s, want %q", &log, want)
		}
	}
	if got, err := json.Marshal(client); err != nil || string(got) != `"{AK-1 [secret] a,b}"` {
		t.Errorf("JSON %s, %v", got, err)
	}
}

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
