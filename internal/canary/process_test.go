package canary_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/internal/canary"
)

// TestProcessPrintsNoSecret runs all other tests of this package in a process of
// their own: what a library prints to stdout or stderr by itself, such as the
// logger that resty has by default, shows only there.
func TestProcessPrintsNoSecret(t *testing.T) {
	t.Parallel()
	const inside = "CANARY_PROCESS"
	if os.Getenv(inside) != "" {
		t.Skip("this is that process")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.count=1", "-test.timeout=3m")
	cmd.Env = append(os.Environ(), inside+"=1", "GOTRACEBACK=all")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the process failed: %v\n%s", err, out)
	}
	text := string(out)
	if strings.Count(text, "--- PASS") < 2 {
		t.Fatalf("the process ran no tests:\n%s", text)
	}
	if i := strings.Index(text, canary.Word+"-"); i >= 0 {
		t.Errorf("the process printed a secret: …%s…", text[max(0, i-200):min(len(text), i+100)])
	}
}
