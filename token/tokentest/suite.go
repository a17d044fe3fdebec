package tokentest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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

// sourceRule is one sentence of the contract of token.Source.
type sourceRule struct {
	name     string
	sentence string
	check    func(ctx context.Context, s token.Source, known, unknown string) error
}

// RunSource checks a Source that has a token for the app known and none for the app
// unknown, in one subtest for each sentence of the contract of token.Source. newSource is
// called for each.
func RunSource(t *testing.T, newSource func(t *testing.T) token.Source, known, unknown string) {
	t.Helper()
	for _, r := range sourceRules {
		t.Run(r.name, func(t *testing.T) {
			report(t, r.sentence, r.check(t.Context(), newSource(t), known, unknown))
		})
	}
}

// sourceRules are the sentences that RunSource checks.
var sourceRules = []sourceRule{
	{"token", "an app that is known has a token", checkToken},
	{"end", "a token says when it expires, and has at least a second left", checkEnd},
	{"again", "a token can be asked for repeatedly", checkAgain},
	{"unknown app", "for an unknown app the error is token.ErrUnknownApp, alone or wrapped", checkUnknownApp},
	{"concurrent", "a Source is called concurrently", checkSourceConcurrent},
	{"context", "a Source obeys its context", checkContext},
	{"after a cancelled call", "a call whose context has ended does not spoil the next one", checkAfterCancel},
}

func checkToken(ctx context.Context, s token.Source, known, _ string) error {
	t, err := s.Token(ctx, known)
	if err != nil {
		return fmt.Errorf("Token(%q): %w", known, err)
	}
	if t.AccessToken.IsZero() {
		return fmt.Errorf("Token(%q) is empty", known)
	}
	return nil
}

func checkEnd(ctx context.Context, s token.Source, known, _ string) error {
	t, err := s.Token(ctx, known)
	if err != nil {
		return nil //nolint:nilerr // Another rule reports it.
	}
	if time.Until(t.ExpiresAt) < time.Second {
		return fmt.Errorf("ExpiresAt is %v", t.ExpiresAt)
	}
	return nil
}

func checkAgain(ctx context.Context, s token.Source, known, _ string) error {
	if _, err := s.Token(ctx, known); err != nil {
		return nil //nolint:nilerr // Another rule reports it.
	}
	for range 3 {
		if _, err := s.Token(ctx, known); err != nil {
			return fmt.Errorf("asked again: %w", err)
		}
	}
	return nil
}

func checkUnknownApp(ctx context.Context, s token.Source, _, unknown string) error {
	if _, err := s.Token(ctx, unknown); !errors.Is(err, token.ErrUnknownApp) {
		return fmt.Errorf("Token(%q) gave the error %w", unknown, err)
	}
	return nil
}

func checkSourceConcurrent(ctx context.Context, s token.Source, known, _ string) error {
	return concurrently(func() error {
		_, err := s.Token(ctx, known)
		return err
	})
}

// returnLimit is how long a call may take after its context has ended.
const returnLimit = 5 * time.Second

func checkContext(ctx context.Context, s token.Source, known, _ string) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.Token(ctx, known)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(returnLimit):
		return fmt.Errorf("Token(%q) did not return within %v of the end of its context", known, returnLimit)
	}
}

func checkAfterCancel(ctx context.Context, s token.Source, known, _ string) error {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = s.Token(ended, known)
	if _, err := s.Token(ctx, known); err != nil {
		return fmt.Errorf("the next call failed: %w", err)
	}
	return nil
}
