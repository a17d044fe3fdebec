package office_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// BenchmarkDocuments converts N documents of six kinds to PDF, as many at once as there are
// cores, by instances that are kept and by a process for each: in turn, so that other work
// of the machine takes from both alike. The first turns are of 28 documents; their figures
// end in 28. Those of memory are of the instances that are kept, during the first fifth and
// during the rest, so that 1000x tells whether it grows.
//
//	go test -run '^$' -bench Documents -benchtime 1000x -timeout 2h ./internal/office
func BenchmarkDocuments(b *testing.B) {
	shared(b)
	ways := []*way{newWay(b, "kept", false), newWay(b, "each", true)}
	const first, later = 28, 54
	turn := first
	for from := 0; from < b.N; from += turn {
		if from > 0 {
			turn = later
		}
		for _, w := range ways {
			w.take(b, from, min(from+turn, b.N))
			if from == 0 {
				w.report(b, "-28")
			}
		}
	}
	b.StopTimer()
	for _, w := range ways {
		if err := w.engine.Close(); err != nil {
			b.Error(err)
		}
		b.Logf("%s: %d documents took %v; processors: %v of ours, %v of the programs", w.name, w.documents, w.took, w.own, w.others())
		w.report(b, "")
		b.ReportMetric(100*w.own.Seconds()/(w.own+w.others()).Seconds(), w.name+"-own-CPU-%")
	}
	ways[0].early.report(b, "early")
	ways[0].late.report(b, "late")
}

// way is one of two to convert, and what it took.
type way struct {
	name       string
	engine     *office.Engine
	oneShot    bool
	documents  int
	took       time.Duration
	own, ended time.Duration // Time of processors: of this process, and of those that it started and that ended.

	mu          sync.Mutex
	kept        map[int]time.Duration // Of those that it started and that stay.
	early, late memory
}

func newWay(b *testing.B, name string, oneShot bool) *way {
	b.Helper()
	e, err := office.New(office.Config{OneShot: oneShot})
	if err != nil {
		b.Fatal(err)
	}
	return &way{name: name, engine: e, oneShot: oneShot, kept: map[int]time.Duration{}}
}

// take converts some of the documents.
func (w *way) take(b *testing.B, from, to int) {
	b.Helper()
	began, own, ended := time.Now(), cpu(b, syscall.RUSAGE_SELF), cpu(b, syscall.RUSAGE_CHILDREN)
	next := atomic.Int64{}
	next.Store(int64(from))
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		dir := b.TempDir()
		wg.Go(func() {
			for i := int(next.Add(1)); i <= to; i = int(next.Add(1)) {
				job := office.Job{Path: filepath.Join("testdata", kinds[i%6]), Target: convert.PDF, Dir: dir}
				if _, err := w.engine.Convert(b.Context(), job); err != nil {
					b.Errorf("%s: %v", job.Path, err)
				}
				if i%10 == 0 { // It takes time, too.
					w.note(i <= b.N/5)
				}
			}
		})
	}
	wg.Wait()
	w.documents += to - from
	w.took += time.Since(began)
	w.own += cpu(b, syscall.RUSAGE_SELF) - own
	w.ended += cpu(b, syscall.RUSAGE_CHILDREN) - ended
	w.note(to <= b.N/5)
}

// note looks at the processes, and at their memory.
func (w *way) note(early bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pid := range office.Started(os.Getpid())[1:] {
		if took := processorTime(pid); !w.oneShot && took > 0 {
			w.kept[pid] = took
		}
	}
	if early {
		w.early.note()
	} else {
		w.late.note()
	}
}

// processorTime is that of a process, whose file has it in hundredths of a second.
func processorTime(pid int) time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// others is the time of processors that the programs took.
func (w *way) others() time.Duration {
	sum := w.ended
	for _, took := range w.kept {
		sum += took
	}
	return sum
}

func (w *way) report(b *testing.B, which string) {
	b.Helper()
	b.ReportMetric(float64(w.documents)/w.took.Minutes(), w.name+"-docs/min"+which)
}

// cpu is the time of processors that this process took, or those that it started and that
// have ended.
func cpu(b *testing.B, who int) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is the most that was seen, in bytes: of our heap, and of us with all processes.
type memory struct {
	heap, all int64
}

func (m *memory) note() {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	m.heap, m.all = max(m.heap, int64(s.HeapInuse)), max(m.all, office.Resident(os.Getpid()))
}

func (m *memory) report(b *testing.B, when string) {
	b.Helper()
	if m.heap == 0 {
		return // Too few documents.
	}
	b.ReportMetric(float64(m.heap)/(1<<20), when+"-heap-MB")
	b.ReportMetric(float64(m.all)/(1<<20), when+"-all-MB")
}
