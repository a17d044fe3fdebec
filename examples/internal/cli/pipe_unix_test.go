//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// TestBrokenPipe is "| head -1": the command ends its context and still cleans up.
func TestBrokenPipe(t *testing.T) {
	const child = "CLI_TEST_BROKEN_PIPE"
	if os.Getenv(child) != "" {
		cli.Main(func(ctx context.Context) int {
			for ctx.Err() == nil {
				fmt.Println("a line")
			}
			fmt.Println("another line")
			fmt.Fprint(os.Stderr, "cleaned up")
			return 3
		})
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBrokenPipe$")
	cmd.Env = append(os.Environ(), child+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "a line\n" {
		t.Errorf("it prints %q, %v", line, err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // Its code is looked at.
	if code := cmd.ProcessState.ExitCode(); code != 3 || stderr.String() != "cleaned up" {
		t.Errorf("it ends with %d and prints %q, want 3 and that it cleaned up", code, &stderr)
	}
}
