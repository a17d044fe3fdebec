// Package officetest finds LibreOffice for tests.
package officetest

import (
	"os"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// Require is the environment variable that makes a missing LibreOffice a failure:
// "1" where it must be there, as in CI.
const Require = "WEBOFFICE_REQUIRE_LIBREOFFICE"

// Suite gives LibreOffice, or skips the test where there is none.
func Suite(tb testing.TB) *office.Suite {
	tb.Helper()
	suite, err := office.Find()
	switch {
	case err == nil:
	case os.Getenv(Require) == "1":
		tb.Fatalf("%s=1, and %v", Require, err)
	default:
		tb.Skip(err)
	}
	return suite
}
