//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// asCommand makes the test binary the command, for what only a process shows.
const asCommand = "CONVERT_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGUSR1)
		go func() {
			<-told
			new(sync.Mutex).Unlock() // A fatal error: nothing recovers from it.
		}()
		main()
	}
	// Below nohup, the command would ignore a hang-up. What is caught here is not ignored there.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	os.Exit(m.Run())
}

// TestLeavesNothing: however the command ends, no process, socket or temporary file
// stays, and no partial result. It ends while LibreOffice works on a document that has
// no end.
func TestLeavesNothing(t *testing.T) {
	t.Parallel()
	officetest.Engine(t, office.Config{})
	endless := officetest.Endless(t)
	for name, tt := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"end":         {0, 0},
		"interrupt":   {syscall.SIGINT, exitInterrupted},
		"hang-up":     {syscall.SIGHUP, exitInterrupted},
		"terminate":   {syscall.SIGTERM, exitInterrupted},
		"kill":        {syscall.SIGKILL, -1},
		"fatal error": {syscall.SIGUSR1, -1}, // Not 2, which is a wrong call.
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp, out := t.TempDir(), t.TempDir()
			said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = said.Close() }()
			args, work := []string{"-demo", "-to", "pdf", "-out", out, "-concurrency", "1", handbook}, handbook+": done"
			if tt.signal != 0 {
				args, work = append(args, endless), endless+": 70 %" // Its pages are laid out.
			}
			cmd := exec.Command(os.Args[0], args...) //nolint:noctx // How it ends is the test.
			cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+temp)
			cmd.Stderr = said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var notes []string // Of sockets.
			until(t, work, func() bool {
				b, err := os.ReadFile(said.Name())
				if found, _ := filepath.Glob(filepath.Join(temp, "*", "sockets", "*")); len(found) > 0 {
					notes = found
				}
				return err == nil && bytes.Contains(b, []byte(work))
			})
			if tt.signal != 0 {
				if len(notes) != 2 {
					t.Errorf("sockets %q, want the two of an instance", notes)
				}
				if err := cmd.Process.Signal(tt.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				b, err := os.ReadFile(said.Name())
				t.Errorf("ended with %d, want %d:\n%s%v", code, tt.code, b, err)
			}
			until(t, "no temporary file", func() bool { left, err := os.ReadDir(temp); return err == nil && len(left) == 0 })
			until(t, "no process", func() bool { return !runs(temp) })
			for _, note := range notes {
				if _, err := os.Lstat(filepath.Join("/tmp", filepath.Base(note))); err == nil {
					t.Errorf("the socket of %s is left", note)
				}
			}
			results := files(t, out)
			if pdf := results["handbook.pdf"]; len(results) != 1 || !strings.Contains(pdf, "%%EOF") {
				t.Errorf("%d results, the first of %d bytes, want one that is whole", len(results), len(pdf))
			}
		})
	}
}

// until polls, for a minute at most.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// runs reports whether a process has that folder in its command line.
func runs(folder string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if b, err := os.ReadFile(line); err == nil && strings.Contains(string(b), folder) {
			return true
		}
	}
	return false
}
