package office_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// BenchmarkDocuments converts N documents of six kinds to PDF, as many at once as there
// are cores, by instances that are kept and by a process for each. -benchtime 1000x tells
// whether memory grows.
//
//	go test -run '^$' -bench Documents -benchtime 28x ./internal/office
func BenchmarkDocuments(b *testing.B) {
	shared(b)
	for _, how := range []struct {
		name    string
		oneShot bool
	}{{"kept", false}, {"each", true}} {
		b.Run(how.name, func(b *testing.B) {
			e, err := office.New(office.Config{OneShot: how.oneShot})
			if err != nil {
				b.Fatal(err)
			}
			before := usage(b)
			var done atomic.Int64
			var early, late memory
			var wg sync.WaitGroup
			for range runtime.NumCPU() {
				wg.Go(func() {
					for i := done.Add(1); i <= int64(b.N); i = done.Add(1) {
						job := office.Job{Path: filepath.Join("testdata", kinds[i%6]), Target: convert.PDF, Dir: b.TempDir()}
						if _, err := e.Convert(b.Context(), job); err != nil {
							b.Errorf("%s: %v", job.Path, err)
						}
						if i <= int64(b.N/5+1) {
							early.note()
						} else {
							late.note()
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			if err := e.Close(); err != nil {
				b.Error(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Minutes(), "docs/min")
			b.ReportMetric((usage(b)-before).Seconds()*1000/float64(b.N), "own-CPU-ms/op")
			early.report(b, "early")
			late.report(b, "late")
		})
	}
}

// usage is the time of the processor that this process took.
func usage(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is the most that was seen, in bytes.
type memory struct {
	mu          sync.Mutex
	own, others int64
}

func (m *memory) note() {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	all := office.Resident(os.Getpid())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.own, m.others = max(m.own, int64(s.HeapInuse)), max(m.others, all)
}

func (m *memory) report(b *testing.B, when string) {
	b.Helper()
	b.ReportMetric(float64(m.own)/(1<<20), "heap-MB-"+when)
	b.ReportMetric(float64(m.others)/(1<<20), "all-MB-"+when)
}
