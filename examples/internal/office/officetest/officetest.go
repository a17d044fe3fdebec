// Package officetest gives engines to tests.
package officetest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// Require is the environment variable with what must not be missing, separated by
// commas. If "libreoffice" is in it, a test that needs LibreOffice fails without it; it
// is skipped otherwise.
const Require = "WEBOFFICE_REQUIRE"

// Engine starts an engine that makes PDFs, and closes it after the test. Without
// LibreOffice or poppler, the test is skipped or fails.
func Engine(tb testing.TB, cfg office.Config) *office.Engine {
	tb.Helper()
	engine, err := office.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := engine.CanPDF(); err != nil {
		missing(tb, err)
	}
	if err := engine.CanReadPDF(); err != nil {
		missing(tb, err)
	}
	return engine
}

// missing skips the test, or fails it.
func missing(tb testing.TB, err error) {
	tb.Helper()
	if slices.Contains(strings.Split(os.Getenv(Require), ","), "libreoffice") {
		tb.Fatalf("%s has libreoffice, and %v", Require, err)
	}
	tb.Skip(err)
}
