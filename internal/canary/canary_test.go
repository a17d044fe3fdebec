package canary_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/weboffice-go/weboffice/internal/canary"
	"github.com/weboffice-go/weboffice/signing"
)

// recorder takes what a Cage reports instead of failing.
type recorder struct {
	testing.TB
	failures int
	cleanups []func()
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failures++ }
func (r *recorder) Cleanup(f func())      { r.cleanups = append(r.cleanups, f) }

// The search itself has to bite.
func TestCageFindsSecrets(t *testing.T) {
	t.Parallel()
	secret := canary.Secret("app key")
	for name, let := range map[string]func(*canary.Cage){
		"an error":             func(c *canary.Cage) { c.Error("x", errors.New("key "+secret)) },
		"a wrapped error":      func(c *canary.Cage) { c.Error("x", quiet{errors.New("key " + secret)}) },
		"a joined error":       func(c *canary.Cage) { c.Error("x", errors.Join(errors.New("a"), errors.New(secret))) },
		"no error":             func(c *canary.Cage) { c.Error("x", nil) },
		"a value":              func(c *canary.Cage) { c.Value("x", struct{ s string }{secret}) },
		"a value in hex":       func(c *canary.Cage) { c.Value("x", fmt.Sprintf("%x", secret)) },
		"the log":              func(c *canary.Cage) { c.Logger.Debug("m", "k", secret) },
		"a text":               func(c *canary.Cage) { c.Text("x", "at "+secret) },
		"a secret as its text": func(c *canary.Cage) { c.Text("x", signing.NewSecret(secret).Reveal()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			let(canary.New(r))
			for _, f := range r.cleanups {
				f()
			}
			if r.failures == 0 {
				t.Error("the cage lets it out")
			}
		})
	}
	r := &recorder{TB: t}
	c := canary.New(r)
	c.Value("x", signing.NewSecret(secret))
	c.Error("x", errors.New("harmless"))
	for _, f := range r.cleanups {
		f()
	}
	if r.failures != 0 {
		t.Error("the cage finds a secret where there is none")
	}
}

// quiet hides the text of what it wraps.
type quiet struct{ err error }

func (q quiet) Error() string { return "quiet" }
func (q quiet) Unwrap() error { return q.err }
