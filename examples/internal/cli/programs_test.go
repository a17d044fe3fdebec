package cli_test

import (
	"errors"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// TestPrograms keeps one rule for all programs: -h prints the usage and every environment
// variable on stdout and succeeds; a mistake is named on stderr, and ends with 2.
func TestPrograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links every program")
	}
	robot := []string{"WEBOFFICE_ROBOT_URL", "WEBOFFICE_ROBOT_SECRET", "WEBOFFICE_ROBOT_ALLOW_HTTP"}
	programs := map[string][]string{ // environment variables
		"alertmanager":    robot,
		"callback-doctor": {"WEBOFFICE_APP_ID", "WEBOFFICE_APP_KEY", "WEBOFFICE_SCHEME", "WEBOFFICE_TOKEN"},
		"chat-hooks":      append([]string{"WEBOFFICE_GITHUB_SECRET"}, robot...),
		"convert":         {"WEBOFFICE_APP_ID", "WEBOFFICE_APP_KEY", "WEBOFFICE_APP_KEY_FILE", "WEBOFFICE_BASE_URL", "WEBOFFICE_PASSWORD", "WEBOFFICE_SCHEME", "WEBOFFICE_SERVE"},
		"emulator":        {"WEBOFFICE_EMULATOR_ADDR", "WEBOFFICE_EMULATOR_SEED"},
		"preview":         {"WEBOFFICE_APP_ID", "WEBOFFICE_APP_KEY", "WEBOFFICE_SCHEME", "WEBOFFICE_DIR", "AWS_ACCESS_KEY_ID"},
		"quickstart":      nil,
		"robot":           robot,
		"robot-echo":      robot,
		"server":          {"WEBOFFICE_APP_ID", "WEBOFFICE_APP_KEY", "WEBOFFICE_POSTGRES_URL"},
		"sqlstore":        {"WEBOFFICE_APP_ID", "WEBOFFICE_APP_KEY", "AWS_ACCESS_KEY_ID"},
		"token":           {"environment variables that key_env"},
	}
	dir, args := t.TempDir(), []string{"build", "-race=false", "-o"} // GOFLAGS may have it
	args = append(args, dir)
	for name := range programs {
		args = append(args, path.Join("github.com/weboffice-go/weboffice/examples", name))
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, variables := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(dir, name)
			if runtime.GOOS == "windows" {
				program += ".exe"
			}
			for _, flag := range []string{"-h", "--help"} {
				code, stdout, stderr := call(t, program, flag)
				if code != cli.ExitOK || stderr != "" || !strings.HasPrefix(stdout, "Usage: "+name+" ") {
					t.Errorf("%s ends with %d, and prints %q on stderr and on stdout:\n%s", flag, code, stderr, stdout)
				}
				for _, want := range variables {
					if !strings.Contains(stdout, want) {
						t.Errorf("%s does not name %s", flag, want)
					}
				}
			}
			code, stdout, stderr := call(t, program, "-nonsense")
			if code != cli.ExitUsage || stdout != "" || stderr != name+": flag provided but not defined: -nonsense\nTry -h.\n" {
				t.Errorf("-nonsense ends with %d, and prints %q and on stderr %q", code, stdout, stderr)
			}
		})
	}
}

// call runs a program without an environment.
func call(t *testing.T, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut strings.Builder
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{"HOME=/nowhere"}, &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errOut.String()
}
