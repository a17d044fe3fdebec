package tokentest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// Fixture is what [Run] checks. Rules that need a field which is zero are skipped.
type Fixture struct {
	_           [0]func()
	Handler     http.Handler        // Required. Called at token.Path.
	Credentials signing.Credentials // Who signs the requests. Zero: they are not signed.
	Allowed     token.Request       // Required. Must get a token.
	Denied      token.Request       // A user who may not open the file.
	UnknownUser token.Request       // A token of no user.
	OtherApp    token.Request       // An app that Credentials must not ask for.
}

// errSkip is returned by a rule that needs a fixture field which is not set.
var errSkip = errors.New("the fixture has nothing for this rule")

// rule is one sentence of the contract. Its check says how f breaks it.
type rule struct {
	name     string
	sentence string // with its source
	check    func(ctx context.Context, s *session) error
}

// Run checks a whole handler, including its Authorize, in one subtest for each sentence of
// the contract. newFixture is called for each. If the access token is a JWT with an exp, one
// rule takes a second, in which expires_in must fall.
func Run(t *testing.T, newFixture func(t *testing.T) Fixture) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			report(t, r.sentence, r.run(t.Context(), newFixture(t)))
		})
	}
}

func report(t *testing.T, sentence string, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errSkip):
		t.Skipf("not checked, since %v: %s", err, sentence)
	case err != nil:
		t.Errorf("%s\nbut %v", sentence, err)
	}
}

// session is a fixture with a Plugin that calls it.
type session struct {
	Fixture
	plugin *Plugin
}

func (r rule) run(ctx context.Context, f Fixture) error {
	if !complete(f.Allowed) {
		return errors.New("tokentest: Fixture.Allowed is required: AppID, FileID and WebOfficeToken")
	}
	plugin, err := NewPlugin(PluginConfig{Handler: f.Handler, Credentials: f.Credentials})
	if err != nil {
		return err
	}
	return r.check(ctx, &session{f, plugin})
}

func complete(r token.Request) bool {
	return r.AppID != "" && r.FileID != "" && !r.WebOfficeToken.IsZero()
}

// granted sends c, which must be answered with code 0; the rule "success" checks the rest
// of the answer.
func (s *session) granted(ctx context.Context, c call) error {
	a, err := s.plugin.send(ctx, c)
	if err != nil {
		return err
	}
	if m, e := a.envelope(); m == nil || e.Code != 0 {
		return fmt.Errorf("a request that is allowed failed: %w", e)
	}
	return nil
}

// refused sends c, which must be answered by a failure in good form, whose message contains
// name.
func (s *session) refused(ctx context.Context, what string, c call, name string) error {
	a, err := s.plugin.send(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	m, e := a.envelope()
	switch {
	case m == nil:
		return fmt.Errorf("%s: %w", what, e)
	case e.Code == 0:
		return fmt.Errorf("%s was answered with code 0", what)
	case len(m["data"]) > 0 && string(m["data"]) != "null":
		return fmt.Errorf("%s was refused, but the answer has data", what)
	case !strings.Contains(e.Message, name):
		return fmt.Errorf("%s was answered with the message %q, which does not name it", what, e.Message)
	}
	return nil
}

func (s *session) fields() map[string]any {
	return map[string]any{
		"app_id": s.Allowed.AppID, "file_id": s.Allowed.FileID, "weboffice_token": s.Allowed.WebOfficeToken.Reveal(),
	}
}

// spoiled is the allowed request with another body.
func (s *session) spoiled(body string) call {
	c := newCall(s.Allowed)
	c.body = body
	return c
}
