package office

import (
	"bytes"
	"testing"
)

// FormatNumber is what a cell with that format code shows.
func FormatNumber(code string, n float64) string { return parseFormat(code).format(n, false) }

// Unlock takes locks off LibreOffice until the test ends, which must not be parallel: what
// the worker says of macros, the profile, and the walls of the process.
func Unlock(t *testing.T, macros, withoutProfile, walls bool) {
	t.Helper()
	oldWorker, oldProfile, oldIsolated := worker, profile, isolated
	t.Cleanup(func() { worker, profile, isolated = oldWorker, oldProfile, oldIsolated })
	if macros {
		const never, always = "MacroExecutionMode=0", "MacroExecutionMode=4"
		if worker = bytes.Replace(worker, []byte(never), []byte(always), 1); bytes.Equal(worker, oldWorker) {
			t.Fatalf("worker.py does not say %s", never)
		}
	}
	if withoutProfile {
		profile = []byte(`<oor:items xmlns:oor="http://openoffice.org/2001/registry"/>`)
	}
	if walls {
		isolated = func() bool { return false }
	}
}

// Resident is the memory of a process and of all that it started, in bytes.
func Resident(pid int) int64 { return (&memory{}).resident(pid) }
