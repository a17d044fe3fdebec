package archtest_test

import (
	"os"
	"testing"

	"github.com/weboffice-go/weboffice/internal/archtest"
)

// TestTree applies every rule to the module and its examples.
func TestTree(t *testing.T) {
	t.Parallel()
	tree, err := archtest.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 10 {
		t.Fatalf("Load found %d packages: the root is elsewhere", len(tree.Packages))
	}
	for _, rule := range archtest.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			for _, finding := range rule.Check(tree) {
				t.Error(finding)
			}
			if t.Failed() {
				t.Logf("why this is a rule: %s", rule.Why)
			}
		})
	}
}
