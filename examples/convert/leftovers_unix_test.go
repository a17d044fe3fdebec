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
	os.Exit(m.Run())
}

// TestLeavesNothing: however the command ends, no process, socket or temporary file
// stays, and no partial result.
func TestLeavesNothing(t *testing.T) {
	t.Parallel()
	officetest.Engine(t, office.Config{})
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
			documents := 40
			if tt.signal == 0 {
				documents = 2
			}
			args := []string{"-demo", "-to", "pdf", "-out", out, "-quiet"}
			for i := range documents {
				copied := filepath.Join(t.TempDir(), string(rune('A'+i))+".docx")
				b, err := os.ReadFile(handbook)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(copied, b, 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, copied)
			}
			cmd := exec.Command(os.Args[0], args...) //nolint:noctx // How it ends is the test.
			cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+temp)
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			sockets := map[string]bool{}
			note := func() bool {
				notes, _ := filepath.Glob(filepath.Join(temp, "*", "sockets", "*"))
				for _, note := range notes {
					sockets[filepath.Join("/tmp", filepath.Base(note))] = true
				}
				first, _ := filepath.Glob(filepath.Join(out, "*.pdf"))
				return len(notes) > 0 && len(first) > 0
			}
			until(t, "the first result", note)
			if tt.signal != 0 {
				if err := cmd.Process.Signal(tt.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("ended with %d, want %d:\n%s", code, tt.code, &said)
			}
			until(t, "no temporary file", func() bool { left, err := os.ReadDir(temp); return err == nil && len(left) == 0 })
			until(t, "no process", func() bool { return !runs(temp) })
			for socket := range sockets {
				if _, err := os.Lstat(socket); err == nil {
					t.Errorf("%s is left", socket)
				}
			}
			results, err := os.ReadDir(out)
			if err != nil || len(results) == documents && tt.signal != 0 {
				t.Errorf("%d of %d documents were converted, %v: nothing was interrupted", len(results), documents, err)
			}
			for _, file := range results {
				if b, err := os.ReadFile(filepath.Join(out, file.Name())); tt.code != -1 && (err != nil || !bytes.Contains(b, []byte("%%EOF"))) {
					t.Errorf("%s is a partial result", file.Name())
				}
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
