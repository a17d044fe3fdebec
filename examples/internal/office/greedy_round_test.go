package office_test

import (
	"errors"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// TestGreedy: each document ends within 60 s and 1 GB, with LibreOffice and without, with a
// result or an error in words. It takes hours, so it wants WEBOFFICE_LONG; go test -run
// takes names of documents, such as Greedy/xlsx.
func TestGreedy(t *testing.T) { //nolint:paralleltest // It measures.
	if os.Getenv("WEBOFFICE_LONG") == "" {
		t.Skip("set WEBOFFICE_LONG=1 to run it")
	}
	documents := map[string]func(*testing.T) string{}
	maps.Copy(documents, greedyText)
	maps.Copy(documents, greedySheets)
	for name, bytes := range greedyPDFs {
		documents["pdf/"+name] = func(t *testing.T) string {
			t.Helper()
			return write(t, "a.pdf", bytes())
		}
	}
	for kind, w := range whole {
		for name := range w.files(t) {
			documents[kind+"/every part/"+name] = func(t *testing.T) string {
				t.Helper()
				return swollen(t, kind, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documents)) { //nolint:paralleltest // As above.
		t.Run(name, func(t *testing.T) {
			path := documents[name](t)
			for _, how := range []struct {
				name   string
				cfg    office.Config
				target convert.Target
			}{
				{"text", office.Config{Instances: 1}, convert.Text},
				{"PDF", office.Config{Instances: 1}, convert.PDF},
				{"without LibreOffice", office.Config{Plain: true}, convert.Text},
			} {
				e := closed(t, how.cfg)
				var err error
				took, most := measure(func() { _, err = result(t, e, office.Job{Path: path, Target: how.target}) })
				t.Logf("%s: %v, %d MB, %v", how.name, took.Round(time.Millisecond), most>>20, err)
				if took > office.DefaultTimeout+2*time.Second || most > 1<<30 {
					t.Errorf("%s took %v and %d MB", how.name, took, most>>20)
				}
				if err != nil {
					refused(t, err, err.Error())
				}
				if err := errors.Join(e.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// swollen is a whole package in which one part has 31 MB, which is less than is refused for
// how well it packs.
func swollen(t *testing.T, kind, name string) string {
	t.Helper()
	const size = 31 << 20
	text := whole[kind].files(t)[name]
	if name == "overrides" { // Of [Content_Types].xml.
		return packWhole(t, kind, parts{name: text + strings.Repeat(`<Default Extension="x" ContentType="y"/>`, size/40)})
	}
	return packWhole(t, kind, parts{name: swell(text, size)})
}

// swell repeats what is in a part until it has so many bytes more.
func swell(text string, n int) string {
	a, b := strings.IndexByte(text, '>'), strings.LastIndexByte(text, '<')
	if !strings.HasPrefix(text, "<") {
		return text + strings.Repeat("\x00", n)
	}
	if strings.HasSuffix(text, "/>") && strings.Count(text, "<") == 1 {
		name, _, _ := strings.Cut(text[1:], " ")
		name = strings.TrimSuffix(name, "/>")
		return text[:len(text)-2] + ">" + strings.Repeat("<x/>", n/4) + "</" + name + ">"
	}
	in := text[a+1 : b]
	if in == "" {
		in = "<x/>"
	}
	return text[:a+1] + strings.Repeat(in, n/len(in)) + text[b:]
}

// measure gives the time that work takes, and the most memory that this process and all
// that it started have more than before.
func measure(work func()) (took time.Duration, most int64) {
	runtime.GC()
	debug.FreeOSMemory()
	before := office.Resident(os.Getpid())
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				most = max(most, office.Resident(os.Getpid())-before)
			}
		}
	})
	began := time.Now()
	work()
	took = time.Since(began)
	close(done)
	wg.Wait()
	return took, most
}
