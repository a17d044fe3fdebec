package convert_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
)

// tree reads the files below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// fileHost answers task queries with status and downloads with file.
func fileHost(status string, file http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("office.example/", say(200, status))
	mux.HandleFunc("files.example/", file)
	return mux
}

func TestSaveNamesFiles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 20)
	tests := []struct {
		name string
		task convert.Task
		n    int
		opts *convert.SaveOptions
		want []string
	}{
		{"one file", convert.Task{ID: "open:abc", Target: convert.PDF}, 1, nil, []string{"open%3Aabc.pdf"}},
		{"several", convert.Task{ID: "open:abc", Target: convert.Text}, 3, nil, []string{"open%3Aabc-001.txt", "open%3Aabc-002.txt", "open%3Aabc-003.txt"}},
		{"none", convert.Task{ID: "open:abc", Target: convert.Text}, 0, nil, []string{}},
		{"hostile", convert.Task{ID: "../../etc/passwd%\x00é", Target: "../x"}, 1, nil, []string{"%2E.%2F..%2Fetc%2Fpasswd%25%00%C3%A9.%2E.%2Fx"}},
		{"long", convert.Task{ID: strings.Repeat("文", 85), Target: convert.PDF}, 1, nil, []string{strings.Repeat("%E6%96%87", 22) + "%E-ff107f3307db2274.pdf"}},
		{"blank and signs", convert.Task{ID: "a b~c+d"}, 1, nil, []string{"a%20b%7Ec%2Bd"}},
		{"no target", convert.Task{ID: "a"}, 1, nil, []string{"a"}},
		{"chosen", task, 2, &convert.SaveOptions{Name: func(i, n int, f convert.File) string {
			return long[:i+1] + string(rune('0'+n)) + f.URL[len(f.URL)-1:]
		}}, []string{"n20", "nn21"}},
		{"in a folder", task, 1, &convert.SaveOptions{Sync: true, Name: func(int, int, convert.File) string { return "a/b/../c.txt" }}, []string{"a/c.txt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var urls []string
			for i := range test.n {
				urls = append(urls, "https://files.example/"+string(rune('0'+i)))
			}
			client := newClient(t, fileHost(done(urls...), func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, "file"+r.URL.Path[1:])
			}), nil)
			dir := t.TempDir()
			paths, err := client.Save(t.Context(), test.task, dir, test.opts)
			want, content := make([]string, 0), map[string]string{}
			for i, name := range test.want {
				want = append(want, filepath.Join(dir, filepath.FromSlash(name)))
				content[filepath.FromSlash(name)] = "file" + string(rune('0'+i))
			}
			if diff := cmp.Diff(want, paths); err != nil || diff != "" {
				t.Errorf("Save = %v; paths (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(content, tree(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSaveRefusesNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 300)
	for _, names := range [][]string{
		{"", "b"},
		{"../a", "b"},
		{"a", ".."},
		{"/tmp/a", "b"},
		{".", "b"},
		{"a/../..", "b"},
		{"a", "a"},
		{"a", "x/../a"},
		{"a/", "b"},
		{"a", "a\x00"},
		{"a", long},
		{"a", "folder"},
		{"a", "file/b"},
	} {
		dir := filepath.Join(t.TempDir(), "dir")
		if err := os.MkdirAll(filepath.Join(dir, "folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		downloads := 0
		client := newClient(t, fileHost(done("https://files.example/1", "https://files.example/2"), func(w http.ResponseWriter, r *http.Request) {
			downloads++
			say(200, "hello")(w, r)
		}), nil)
		paths, err := client.Save(t.Context(), task, dir, &convert.SaveOptions{Name: func(i, _ int, _ convert.File) string { return names[i] }})
		if err == nil {
			t.Errorf("Save as %q = %v, want an error", names, paths)
		}
		if left := tree(t, filepath.Dir(dir)); len(left) != 1 || downloads != 0 || !slices.Equal(fields(err), []string{"Name"}) {
			t.Errorf("Save as %q = %v, with %d downloads and %v left, want a FieldError of Name before any", names, err, downloads, left)
		}
	}
}

func TestSaveReplacesAFileAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "open%3Aabc.txt")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, fileHost(done("https://files.example/1"), func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "he")
		_ = http.NewResponseController(w).Flush()
		if b, err := os.ReadFile(target); err != nil || string(b) != "old" {
			t.Errorf("while downloading the file holds %q, %v, want the old one", b, err)
		}
		_, _ = io.WriteString(w, "llo")
	}), nil)
	for range 2 {
		if _, err := client.Save(t.Context(), task, dir, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSaveLeavesNothingBehind drives each way in which a download ends badly.
func TestSaveLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file  http.HandlerFunc // of the second of three files
		tries int
	}{
		"truncated": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "he")
		}, 3},
		"another size":        {say(200, "hello!"), 3},
		"a broken connection": {hangUp, 3},
		"a failure":           {say(503, ""), 3},
		"not allowed":         {say(403, ""), 2}, // once more, with a new address
		"not possible":        {say(405, ""), 1},
		"encoded":             {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br") }, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				client := newClient(t, fileHost(done("https://files.example/1", "https://files.example/2", "https://files.example/3"),
					func(w http.ResponseWriter, r *http.Request) {
						if r.URL.Path == "/2" {
							tries++
							test.file(w, r)
							return
						}
						say(200, "hello")(w, r)
					}), nil)
				paths, err := client.Save(t.Context(), task, dir, nil)
				if err == nil || tries != test.tries || !strings.HasPrefix(err.Error(), "convert: ") {
					t.Errorf("Save = %v after %d tries, want an error after %d", err, tries, test.tries)
				}
				if diff := cmp.Diff(map[string]string{"open%3Aabc-001.txt": "hello"}, tree(t, dir)); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				if want := []string{filepath.Join(dir, "open%3Aabc-001.txt")}; !slices.Equal(paths, want) {
					t.Errorf("Save gave %v, want %v: what is there", paths, want)
				}
			})
		})
	}
}

func TestSaveEndsWithItsContext(t *testing.T) {
	t.Parallel()
	trickle := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			time.Sleep(10 * time.Second)
			_, _ = w.Write([]byte("."))
			_ = http.NewResponseController(w).Flush()
		}
	}
	for name, test := range map[string]struct {
		end  time.Duration
		want error
	}{
		"cancelled": {time.Minute, context.Canceled},
		"MaxWait":   {0, convert.ErrWaitLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				status := strings.ReplaceAll(done("https://files.example/1"), `"size":5`, `"size":100000`)
				client := newClient(t, fileHost(status, trickle), nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.end > 0 {
					time.AfterFunc(test.end, cancel)
				}
				start := time.Now()
				paths, err := client.Save(ctx, task, dir, nil)
				if !errors.Is(err, test.want) || len(paths) != 0 || time.Since(start) > convert.DefaultMaxWait {
					t.Errorf("Save = %v, %v after %v, want %v", paths, err, time.Since(start), test.want)
				}
				if left := tree(t, dir); len(left) != 0 {
					t.Errorf("Save left %v", slices.Collect(maps.Keys(left)))
				}
				time.Sleep(20 * time.Second) // the handler sees that nobody reads on
			})
		})
	}
}

func TestSaveAsksAgainWhereAnAddressRanOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		queries, generation := 0, 0
		mux := http.NewServeMux()
		mux.HandleFunc("office.example/", func(w http.ResponseWriter, r *http.Request) {
			queries++
			generation++
			g := string(rune('0' + generation))
			say(200, done("https://files.example/1?g="+g, "https://files.example/2?g="+g))(w, r)
		})
		mux.HandleFunc("files.example/", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("g") == "1" && r.URL.Path == "/2" {
				say(403, "expired")(w, r)
				return
			}
			say(200, "hello")(w, r)
			if r.URL.Query().Get("g") == "1" { // the first file takes longer than addresses live
				time.Sleep(convert.StallTimeout - time.Second)
			}
		})
		client := newClient(t, mux, nil)
		paths, err := client.Save(t.Context(), task, dir, nil)
		if err != nil || len(paths) != 2 || queries != 2 {
			t.Errorf("Save = %v, %v with %d queries, want two files with 2", paths, err, queries)
		}
	})
}

func TestSaveSaysWhyNoNewAddressCame(t *testing.T) {
	t.Parallel()
	one := "https://files.example/1"
	for name, test := range map[string]struct{ again, want string }{
		"failed":              {broken("gone"), `task failed: "gone" (last state "failure", 3%)`},
		"under way":           {running("5"), `it is no longer done (last state "running", 5%)`},
		"no result":           {`{"code":0,"data":{"status":"success"}}`, `success with no result (last state "success", 0%)`},
		"more files":          {done(one, one), `it now has another number of files: 2, not 1 (last state "success", 100%)`},
		"a query that failed": {`{"code":10001}`, `http status 200, code 10001`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			mux := http.NewServeMux()
			mux.HandleFunc("files.example/", say(403, ""))
			mux.HandleFunc("office.example/", func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					say(200, done(one))(w, r)
					return
				}
				say(200, test.again)(w, r)
			})
			_, err := newClient(t, mux, nil).Save(t.Context(), task, t.TempDir(), nil)
			var ended *convert.TaskError
			if err == nil || !strings.HasPrefix(err.Error(), "convert: download: http status 403; asked for a new address: ") || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("Save = %v, want the download's error and %s", err, test.want)
			}
			if wait := name != "a query that failed"; errors.As(err, &ended) != wait || wait && (ended.Task != task || ended.Last == nil) {
				t.Errorf("Save = %v, want a *TaskError: %v", err, wait)
			}
		})
	}
}

func TestSaveNeedsAFolder(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{running("1")}}
	if _, err := newClient(t, service, nil).Save(t.Context(), task, "", nil); !slices.Equal(fields(err), []string{"dir"}) || len(service.received()) != 0 {
		t.Errorf("Save into %q = %v after %d calls, want a FieldError of dir", "", err, len(service.received()))
	}
}

func TestSaveChecksTheFolderFirst(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{running("1")}}
	client := newClient(t, service, nil)
	dir := filepath.Join(t.TempDir(), "missing")
	if _, err := client.Save(t.Context(), task, dir, nil); !errors.Is(err, os.ErrNotExist) || len(service.received()) != 0 {
		t.Errorf("Save = %v after %d calls, want ErrNotExist after none", err, len(service.received()))
	}
}

func TestSaveTellsProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answers: []string{running("20"), running("60"), broken("no")}}
		var seen []float64
		_, err := newClient(t, service, nil).Save(t.Context(), task, t.TempDir(), &convert.SaveOptions{
			Progress: func(s *convert.Status) { seen = append(seen, s.Progress) },
		})
		var ended *convert.TaskError
		if !errors.As(err, &ended) || !errors.Is(err, convert.ErrFailed) || !slices.Equal(seen, []float64{20, 60, 3}) {
			t.Errorf("Save = %v with progress %v", err, seen)
		}
	})
}
