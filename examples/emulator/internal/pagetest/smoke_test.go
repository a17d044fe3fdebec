package pagetest_test

import (
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

func TestSmoke(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{})
	p := newTab(t, s.url)
	for _, v := range []string{"overview", "conversions", "chat", "viewer", "plugin", "requests", "faults"} {
		p.open(v)
	}
}
