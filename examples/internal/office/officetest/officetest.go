// Package officetest gives engines to tests.
package officetest

import (
	"errors"
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
	Need(tb, engine)
	return engine
}

// Need skips the test, or fails it, if the engine lacks LibreOffice or poppler.
func Need(tb testing.TB, engine *office.Engine) {
	tb.Helper()
	err := errors.Join(engine.CanPDF(), engine.CanReadPDF())
	if err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv(Require), ","), "libreoffice") {
		tb.Fatalf("%s has libreoffice, and %v", Require, err)
	}
	tb.Skip(err)
}
