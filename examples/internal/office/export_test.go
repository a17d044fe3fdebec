package office

import (
	"bytes"
	"testing"
)

// FormatNumber is what a cell with that format code shows.
func FormatNumber(code string, n float64) string { return parseFormat(code).format(n, false) }

// Locks are those of LibreOffice: what the worker says of macros, the profile, that it has
// neither a network nor other processes, and that it has no other files.
type Locks struct{ Macros, Profile, Namespaces, Files bool }

// CanConfine reports whether the system can keep files and TCP from LibreOffice.
func CanConfine() bool { return landlock() >= 4 }

// Lock sets the locks until the test ends, which must not be parallel.
func Lock(t *testing.T, locks Locks) {
	t.Helper()
	oldWorker, oldProfile, oldIsolated, oldLandlock := worker, profile, isolated, landlock
	t.Cleanup(func() { worker, profile, isolated, landlock = oldWorker, oldProfile, oldIsolated, oldLandlock })
	if !locks.Macros {
		const never, always = "MacroExecutionMode=0", "MacroExecutionMode=4"
		if worker = bytes.Replace(worker, []byte(never), []byte(always), 1); bytes.Equal(worker, oldWorker) {
			t.Fatalf("worker.py does not say %s", never)
		}
	}
	if !locks.Profile {
		profile = []byte(`<oor:items xmlns:oor="http://openoffice.org/2001/registry"/>`)
	}
	if !locks.Namespaces {
		isolated = func() bool { return false }
	}
	if !locks.Files {
		landlock = func() int { return 0 }
	}
}

// Resident is the memory of a process and of all that it started, in bytes.
func Resident(pid int) int64 { return (&memory{}).resident(pid) }
