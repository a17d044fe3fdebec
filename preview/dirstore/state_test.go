package dirstore_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview/dirstore"
)

// TestVersionGrows with the bytes, and not with the times (protocol 2.4).
func TestVersionGrows(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one", "b.docx": "one"})
	for _, step := range []struct {
		name string
		do   func()
		want uint32
	}{
		{"at first", func() {}, 1},
		{"asked again", func() {}, 1},
		{"same size, at once", func() { f.write(t, "a.docx", "two") }, 2},
		{"touched", func() { f.age(t, "a.docx", time.Hour) }, 2},
		{"written as it was", func() { f.write(t, "a.docx", "two") }, 2},
		{"longer", func() { f.write(t, "a.docx", "three"); f.age(t, "a.docx", time.Minute) }, 3},
		{"an older one comes back", func() { f.write(t, "a.docx", "one"); f.age(t, "a.docx", 24*time.Hour) }, 4},
		{"gone and back", func() {
			if err := os.Remove(f.path("a.docx")); err != nil {
				t.Fatal(err)
			}
			f.write(t, "a.docx", "five")
		}, 5},
		{"after a restart", func() { f.reopen(t) }, 5},
		{"changed during a restart", func() { f.write(t, "a.docx", "six!"); f.reopen(t) }, 6},
		{"restored during a restart", func() { f.write(t, "a.docx", "one"); f.age(t, "a.docx", 48*time.Hour); f.reopen(t) }, 7},
		{"another restart", func() { f.reopen(t) }, 7},
	} {
		step.do()
		if got := f.version(t, "a.docx"); got != step.want {
			t.Errorf("%s: version %d, want %d", step.name, got, step.want)
		}
	}
	if got := f.version(t, "b.docx"); got != 1 {
		t.Errorf("the other file has version %d", got)
	}
}

// TestVersionRead tells by size and time where it can, and reads where it cannot.
func TestVersionRead(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	at := f.age(t, "a.docx", time.Hour)
	secretly := func(content string) {
		f.write(t, "a.docx", content)
		if err := os.Chtimes(f.path("a.docx"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	// The file is old enough when it is read, so that it is not read again.
	f.version(t, "a.docx")
	secretly("two")
	if got := f.version(t, "a.docx"); got != 1 {
		t.Errorf("a settled file was read again: version %d", got)
	}
	// Read within the time in which another change could hide, it is.
	f.SetClock(func() time.Time { return at.Add(dirstore.Settling) })
	f.write(t, "a.docx", "three")
	f.version(t, "a.docx")
	at = f.age(t, "a.docx", time.Hour)
	f.SetClock(func() time.Time { return at.Add(dirstore.Settling) })
	before := f.version(t, "a.docx")
	secretly("THREE")
	if got := f.version(t, "a.docx"); got != before+1 {
		t.Errorf("a change within the same time was missed: version %d after %d", got, before)
	}
}

// TestDigestOnce reads a file once for each version, also over a restart.
func TestDigestOnce(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	f.age(t, "a.docx", time.Hour)
	first := f.download(t, "a.docx").Digest
	if first.Hex != "fe05bcdcdc4928012781a5f1a2a77cbb5398e106" {
		t.Errorf("the SHA-1 of one is given as %q", first.Hex)
	}
	f.reopen(t)
	// A file that nobody may open any more cannot be read a second time.
	if err := os.Chmod(f.path("a.docx"), 0); err != nil {
		t.Fatal(err)
	}
	if file, err := os.Open(f.path("a.docx")); err == nil {
		_ = file.Close() // such as by root
	} else if d := f.download(t, "a.docx"); d.Digest != first {
		t.Errorf("Digest = %v, want %v", d.Digest, first)
	}
	if got := strings.Count(f.state(t), "\n"); got != 1 {
		t.Errorf("the state file has %d lines, want 1", got)
	}
}

func (f *folder) state(tb testing.TB) string {
	tb.Helper()
	b, err := os.ReadFile(f.path(dirstore.StateFileName))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// TestStateFile survives what can happen to it.
func TestStateFile(t *testing.T) {
	t.Parallel()
	append_ := func(f *folder, text string) {
		b := f.state(t) + text
		if err := os.WriteFile(f.path(dirstore.StateFileName), []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name   string
		damage func(f *folder)
		want   uint32 // after one more change
	}{
		{"nothing", func(*folder) {}, 3},
		{"a torn line", func(f *folder) { append_(f, `{"id":"x","versi`) }, 3},
		{"a line without its end", func(f *folder) {
			second := strings.Split(f.state(t), "\n")[1]
			append_(f, strings.Replace(second, `"version":2`, `"version":9`, 1))
		}, 3},
		{"rubbish", func(f *folder) { append_(f, "\x00\xff\n[]\n{}\nnull\n{\"id\":7}\n") }, 3},
		{"a lower version", func(f *folder) {
			first, _, _ := strings.Cut(f.state(t), "\n")
			append_(f, first+"\n")
		}, 3},
		{"a key of a later release", func(f *folder) {
			append_(f, strings.Replace(strings.Split(f.state(t), "\n")[1], `{`, `{"more":[1],`, 1)+"\n")
		}, 3},
		{"removed", func(f *folder) {
			if err := os.Remove(f.path(dirstore.StateFileName)); err != nil {
				t.Fatal(err)
			}
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"a.docx": "one"})
			f.version(t, "a.docx")
			f.write(t, "a.docx", "two")
			f.version(t, "a.docx")
			tc.damage(f)
			f.write(t, "a.docx", "three")
			f.reopen(t)
			if got := f.version(t, "a.docx"); got != tc.want {
				t.Errorf("version %d, want %d", got, tc.want)
			}
			f.reopen(t)
			if got := f.version(t, "a.docx"); got != tc.want {
				t.Errorf("version %d after another restart, want %d\n%s", got, tc.want, f.state(t))
			}
		})
	}
}

// TestStateFileLost below a running store: what it has answered stays true, also for
// another process, which only has the file.
func TestStateFileLost(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(f *folder, backup string) error{
		"truncated": func(f *folder, _ string) error { return os.Truncate(f.path(dirstore.StateFileName), 0) },
		"removed":   func(f *folder, _ string) error { return os.Remove(f.path(dirstore.StateFileName)) },
		"restored": func(f *folder, backup string) error {
			return os.WriteFile(f.path(dirstore.StateFileName), []byte(backup), 0o600)
		},
		"replaced": func(f *folder, backup string) error {
			if err := os.WriteFile(f.path(".backup"), []byte(backup), 0o600); err != nil {
				return err
			}
			return os.Rename(f.path(".backup"), f.path(dirstore.StateFileName))
		},
		"replaced by one that is longer": func(f *folder, backup string) error {
			return os.WriteFile(f.path(dirstore.StateFileName), []byte(backup+strings.Repeat("x", 2000)+"\n"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"a.docx": "1", "b.docx": "1"})
			f.version(t, "b.docx")
			var backup string
			for n := range uint32(5) {
				f.write(t, "a.docx", strings.Repeat("x", int(n)+1))
				f.age(t, "a.docx", time.Duration(10-n)*time.Minute)
				if got := f.version(t, "a.docx"); got != n+1 {
					t.Fatalf("version %d, want %d", got, n+1)
				}
				if n == 2 {
					backup = f.state(t)
				}
			}
			if err := lose(f, backup); err != nil {
				t.Fatal(err)
			}
			other := &folder{dir: f.dir, now: f.now}
			if got := f.version(t, "a.docx"); got != 5 {
				t.Errorf("version %d of a document that was not changed, want 5", got)
			}
			other.reopen(t)
			if got := other.version(t, "a.docx"); got != 5 {
				t.Errorf("another process has version %d, want 5", got)
			}
			f.write(t, "a.docx", "another")
			if one, two := f.version(t, "a.docx"), other.version(t, "a.docx"); one != 6 || two != 6 {
				t.Errorf("versions %d and %d after a change, want 6", one, two)
			}
			f.reopen(t)
			if a, b := f.version(t, "a.docx"), f.version(t, "b.docx"); a != 6 || b != 1 {
				t.Errorf("versions %d and %d after a restart, want 6 and 1", a, b)
			}
		})
	}
}

// TestStateFileOfTwo gives no number to two contents: another process numbered from a
// restored file before this one looked at it.
func TestStateFileOfTwo(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "1"})
	f.version(t, "a.docx")
	backup := f.state(t)
	f.write(t, "a.docx", "22")
	f.version(t, "a.docx")
	if err := os.WriteFile(f.path(dirstore.StateFileName), []byte(backup), 0o600); err != nil {
		t.Fatal(err)
	}
	f.write(t, "a.docx", "333")
	other := &folder{dir: f.dir, now: f.now}
	other.reopen(t)
	if got := other.version(t, "a.docx"); got != 2 {
		t.Fatalf("the other process says %d, and knows of 1 only", got)
	}
	if one, two := f.version(t, "a.docx"), other.version(t, "a.docx"); one != 3 || two != 3 {
		t.Errorf("versions %d and %d, want 3, since 2 was the version before", one, two)
	}
}

// TestTwoProcesses share a folder, and agree.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	a := newFolder(t, map[string]string{"a.docx": "one"})
	b := &folder{dir: a.dir, now: a.now}
	b.reopen(t)
	for i, content := range []string{"one", "two", "three"} {
		a.write(t, "a.docx", content)
		want := uint32(i + 1)
		if got := a.version(t, "a.docx"); got != want {
			t.Errorf("the first has version %d, want %d", got, want)
		}
		if i == 1 {
			continue // the second does not see this one
		}
		if got := b.version(t, "a.docx"); got != want {
			t.Errorf("the second has version %d, want %d", got, want)
		}
		if got := b.get(t, a.download(t, "a.docx").URL); got.status != 200 {
			t.Errorf("a link of the first gives HTTP %d at the second", got.status)
		}
	}
	if got := strings.Count(a.state(t), "\n"); got != 3 {
		t.Errorf("the state file has %d lines, want 3\n%s", got, a.state(t))
	}
}
