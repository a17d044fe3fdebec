package tokentest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
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

// Run checks a handler, including its Authorize, in one subtest for each sentence of the
// contract. newFixture is called for each. If the access token is a JWT with an exp, one
// takes a second, in which expires_in must fall.
func Run(t *testing.T, newFixture func(t *testing.T) Fixture) {
	t.Helper()
	run(t, rules, func(t *testing.T) (*session, error) {
		t.Helper()
		return newSession(newFixture(t))
	})
}

// RunSource does so for a Source that has a token for the app known and none for the app
// unknown.
func RunSource(t *testing.T, newSource func(t *testing.T) token.Source, known, unknown string) {
	t.Helper()
	run(t, sourceRules, func(t *testing.T) (store, error) {
		t.Helper()
		return store{newSource(t), known, unknown}, nil
	})
}

// rule is one sentence of a contract. Its check says how a subject breaks it.
type rule[S any] struct {
	name     string
	sentence string // with its source
	check    func(ctx context.Context, subject S) error
}

// errSkip is the error of a rule that needs a fixture field which is not set.
var errSkip = errors.New("the fixture has nothing for this rule")

func run[S any](t *testing.T, rules []rule[S], newSubject func(t *testing.T) (S, error)) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			subject, err := newSubject(t)
			if err == nil {
				err = r.check(t.Context(), subject)
			}
			switch {
			case errors.Is(err, errSkip):
				t.Skipf("not checked, since %v: %s", err, r.sentence)
			case err != nil:
				t.Errorf("%s\nbut %v", r.sentence, err)
			}
		})
	}
}

// concurrently calls f from eight goroutines.
func concurrently(f func() error) error {
	var errs [8]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// session is a fixture with a Plugin that calls it.
type session struct {
	Fixture
	plugin *Plugin
}

func newSession(f Fixture) (*session, error) {
	if !complete(f.Allowed) {
		return nil, errors.New("tokentest: Fixture.Allowed is required: AppID, FileID and WebOfficeToken")
	}
	plugin, err := NewPlugin(PluginConfig{Handler: f.Handler, Credentials: f.Credentials})
	return &session{f, plugin}, err
}

func complete(r token.Request) bool {
	return r.AppID != "" && r.FileID != "" && !r.WebOfficeToken.IsZero()
}

// allowed is the allowed request, changed for each of values.
func (s *session) allowed(change func(c *call, value string), values ...string) (calls []call) {
	for _, value := range values {
		c := newCall(fmt.Sprintf("a request with %.20q", value), s.Allowed)
		change(&c, value)
		calls = append(calls, c)
	}
	return calls
}

// granted sends c, which must be answered with code 0; the rule "success" checks the rest
// of the answer.
func (s *session) granted(ctx context.Context, c call) error {
	a, err := s.plugin.send(ctx, c)
	if err != nil {
		return err
	}
	if a.Rule != "" || a.Code != 0 {
		return fmt.Errorf("%s, which is allowed, failed: %w", c.what, &a.AnswerError)
	}
	return nil
}

// refused sends c, which must be answered by a failure in good form.
func (s *session) refused(ctx context.Context, c call) (*answer, error) {
	a, err := s.plugin.send(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.what, err)
	}
	switch {
	case a.Rule != "":
		return nil, fmt.Errorf("%s: %w", c.what, &a.AnswerError)
	case a.Code == 0:
		return nil, fmt.Errorf("%s was answered with code 0", c.what)
	case len(a.data) > 0 && string(a.data) != "null":
		return nil, fmt.Errorf("%s was refused, but the answer has data", c.what)
	case !strings.Contains(a.Message, c.names):
		return nil, fmt.Errorf("%s was answered with the message %q, which does not name %s", c.what, a.Message, c.names)
	}
	return a, nil
}

// fields are the allowed request with each field changed, which a refusal must name.
func (s *session) fields(how string, change func(c *call)) []call {
	return s.allowed(func(c *call, name string) {
		c.what, c.names = "a request "+how+" "+name, name
		change(c)
	}, "app_id", "file_id", "weboffice_token")
}

// signed is allowed if requests are signed, and nothing otherwise.
func (s *session) signed(change func(c *call, what string), what string) []call {
	if s.Credentials.IsZero() {
		return nil
	}
	return s.allowed(change, what)
}
