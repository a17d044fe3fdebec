package office_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// TestCrashLeavesNothing: LibreOffice is killed, and leaves no process, no socket and no
// file. The document after that is converted.
func TestCrashLeavesNothing(t *testing.T) {
	shared(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	e := closed(t, office.Config{Instances: 1})
	job := office.Job{Path: "testdata/words.docx"}
	if _, err := result(t, e, job); err != nil {
		t.Fatal(err)
	}
	notes, err := filepath.Glob(filepath.Join(temp, "*", "sockets", "*"))
	if err != nil || len(notes) != 2 {
		t.Fatalf("sockets %q, %v, want the two of an instance", notes, err)
	}
	pids := running(t, temp, "soffice")
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	if len(pids) == 0 {
		t.Error("LibreOffice does not run")
	}
	if got, err := result(t, e, job); err != nil || len(got) != 3 {
		t.Errorf("after the crash: %q, %v, want 3 pages", got, err)
	}
	for _, note := range notes {
		if _, err := os.Lstat(filepath.Join("/tmp", filepath.Base(note))); err == nil {
			t.Errorf("the socket of %s is left after the crash", note)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if pids := running(t, temp, ""); len(pids) > 0 {
		t.Errorf("processes %v are left", pids)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// running are the processes with that folder in their command line, and that program.
func running(t *testing.T, folder, program string) (pids []int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		b, _ := os.ReadFile(line)
		if name, _, _ := strings.Cut(string(b), "\x00"); strings.Contains(string(b), folder) && strings.Contains(name, program) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}
