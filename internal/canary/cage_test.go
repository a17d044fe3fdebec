// Package canary finds secrets where none may be. Its tests drive every failing
// path of every package with secrets that contain [Word], in a process of their
// own, and search all that comes out: errors in every form of printing, logs,
// panics, answers, and what that process wrote to stdout and stderr.
//
// Each package has one file of tests here, <package>_test.go.
package canary //nolint:testpackage // The tests import it.

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// Word is part of every secret that a test makes up.
const Word = "CANARY"

// Secret makes up a secret of its own for what, such as "robot key".
func Secret(what string) string {
	return Word + "-" + strings.ReplaceAll(what, " ", "-") + "-0123456789"
}

// Cage collects what a failing path lets out.
type Cage struct {
	tb     testing.TB
	mu     sync.Mutex
	log    bytes.Buffer
	Logger *slog.Logger // Give it to the package under test; it keeps every level.
}

// New returns a cage that fails tb, at its end, where its Logger logged a secret.
func New(tb testing.TB) *Cage {
	tb.Helper()
	c := &Cage{tb: tb}
	c.Logger = slog.New(slog.NewJSONHandler(c, &slog.HandlerOptions{Level: slog.Level(-100), AddSource: true}))
	tb.Cleanup(func() { c.Text("log", c.Logged()) })
	return c
}

// Write takes what the Logger writes.
func (c *Cage) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Write(p)
}

// Logged returns what was logged so far.
func (c *Cage) Logged() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.String()
}

// Text fails the test where s holds a secret, as it is or in hexadecimal.
func (c *Cage) Text(what, s string) {
	c.tb.Helper()
	for _, form := range []string{Word, hex.EncodeToString([]byte(Word)), strings.ToUpper(hex.EncodeToString([]byte(Word)))} {
		if i := strings.Index(s, form); i >= 0 {
			c.tb.Errorf("%s holds a secret: …%s…", what, s[max(0, i-80):min(len(s), i+60)])
		}
	}
}

// Error fails the test where err is nil, since then the failing path was not
// driven, and where err or anything that it wraps shows a secret.
func (c *Cage) Error(what string, err error) {
	c.tb.Helper()
	if err == nil {
		c.tb.Errorf("%s: got no error, want one", what)
		return
	}
	c.Value(what, err)
	switch wrapped := err.(type) { //nolint:errorlint // It walks the chain itself.
	case interface{ Unwrap() []error }:
		for _, e := range wrapped.Unwrap() {
			c.Error(what, e)
		}
	default:
		if e := errors.Unwrap(err); e != nil {
			c.Error(what, e)
		}
	}
}

// Value fails the test where v shows a secret in any form of printing.
func (c *Cage) Value(what string, v any) {
	c.tb.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		c.Text(what+" by "+verb, fmt.Sprintf(verb, v))
	}
	if b, err := json.Marshal(v); err == nil {
		c.Text(what+" as JSON", string(b))
	}
	c.Logger.Error(what, "value", v)
}
