package converttest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// connect gives a client of s in its own time: call it in a bubble.
func connect(t *testing.T, s *converttest.Server) *convert.Client {
	t.Helper()
	c, err := convert.New(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestConfigInABubble: half a day of waiting at the usual pace, in no time.
func TestConfigInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, &converttest.Options{CallsPerSecond: convert.DefaultCallsPerSecond, Converter: slowWork(12 * time.Hour)})
		cfg := s.Config()
		cfg.MaxWait = -1
		c, err := convert.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		task, err := c.SubmitText(t.Context(), contract)
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.Wait(t.Context(), task)
		if err != nil || len(result.Files) != 1 || time.Since(start) < 12*time.Hour {
			t.Errorf("Wait = %v, %v after %v, want a file after half a day", result, err, time.Since(start))
		}
	})
}

func slowWork(d time.Duration) converttest.Converter {
	end := time.Now().Add(d)
	return jobFunc(func() converttest.Step {
		if time.Now().Before(end) {
			return converttest.Pending(1)
		}
		return converttest.Success([]byte("text"))
	})
}

// TestFaultsThroughTheClient: no fault looks like a success, and none makes the
// client submit twice.
func TestFaultsThroughTheClient(t *testing.T) {
	t.Parallel()
	harmless := map[string]bool{"Huge": true, "Late": true, "Slow": true} // as small as they are here
	for name, tt := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, nil)
				c := connect(t, s)
				s.Fail(converttest.Submits, -1, tt.fault)
				_, err := c.SubmitText(t.Context(), contract)
				if (err == nil) != harmless[name] {
					t.Errorf("submit: %v, want an error: %t", err, !harmless[name])
				}
				if n := len(s.Submissions()); n > 1 || n == 1 != tt.accepted {
					t.Errorf("submit: %d submissions, want one: %t", n, tt.accepted)
				}
				s.Heal()
				task, err := c.SubmitPDF(t.Context(), convert.PDFRequest{URL: contract.URL, Filename: contract.Filename})
				if err != nil {
					t.Fatal(err)
				}
				s.Fail(converttest.Queries, -1, tt.fault)
				if status, err := c.Status(t.Context(), task); (err == nil) != harmless[name] {
					t.Errorf("query: %v, %v, want an error: %t", status, err, !harmless[name])
				}
				s.Heal()
				s.Fail(converttest.Queries, 2, tt.fault) // one call has three attempts
				result, err := c.Wait(t.Context(), task)
				if err != nil {
					return // it did not repeat what may not pass
				}
				s.Fail(converttest.Downloads, -1, tt.fault)
				if err := c.Download(t.Context(), result.Files[0], io.Discard); (err == nil) != (name == "Late" || name == "Slow") {
					t.Errorf("download: %v", err)
				}
			})
		})
	}
}

// TestTaskIDsArrive is protocol 2.2, which says nothing of what is in an id.
func TestTaskIDsArrive(t *testing.T) {
	t.Parallel()
	ids := []string{"open:abc", "a/b", "a%2Fb", "50% ?#&=+", "任务 1", "a//b/", `a\b"c`}
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, &converttest.Options{TaskID: func(n int) string { return ids[n-1] }})
		c := connect(t, s)
		for _, id := range ids {
			task, err := c.SubmitText(t.Context(), contract)
			if err != nil || task.ID != id {
				t.Fatalf("submit = %v, %v, want task %q", task, err, id)
			}
			result, err := c.Wait(t.Context(), task)
			if err != nil {
				t.Errorf("wait for %q: %v", id, err)
				continue
			}
			var text bytes.Buffer
			if err := c.Download(t.Context(), result.Files[0], &text); err != nil || text.String() != "converted" {
				t.Errorf("download of %q = %q, %v", id, &text, err)
			}
		}
	})
}

// TestTaskIDHoldsNoLock: it may ask the server, and one that panics does not stop it.
func TestTaskIDHoldsNoLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *converttest.Server
		s = newServer(t, &converttest.Options{TaskID: func(n int) string {
			if n == 1 {
				panic("no id")
			}
			return fmt.Sprintf("%d after %d", n, len(s.Submissions()))
		}})
		c := connect(t, s)
		if task, err := c.SubmitText(t.Context(), contract); err == nil {
			t.Errorf("submit = %v, want an error", task)
		}
		if task, err := c.SubmitText(t.Context(), contract); err != nil || task.ID != "2 after 0" {
			t.Errorf("submit = %v, %v, want the second id", task, err)
		}
	})
}

// FuzzClientAndServerAgree on protocol 2.1, whose rules each has in its own code:
// what the client lets through, the server accepts.
func FuzzClientAndServerAgree(f *testing.F) {
	f.Add("https://files.example/a.docx", "a.docx", 0, 0, "", false)
	f.Add("https://files.example/a.docx", "a.PDF", 2, 9, "", true)
	f.Add("http://[::1]:80/%2f?a=b#c", "报告.xls", 0, 1, "1,3-5,2", false)
	f.Add("//files.example/a", ".docx", 3, 3, "0", true)
	f.Add("https://u:p@files.example", "a.b.ppt ", -1, 0, "5-3", false)
	f.Fuzz(func(t *testing.T, url, filename string, from, to int, ranges string, pdf bool) {
		s := newServer(t, nil)
		cfg := s.Config()
		cfg.Attempts = 1
		c, err := convert.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if pdf {
			_, err = c.SubmitPDF(t.Context(), convert.PDFRequest{URL: url, Filename: filename, Pages: convert.Span{From: from, To: to}})
		} else {
			req := convert.TextRequest{URL: url, Filename: filename, Pages: convert.Span{From: from, To: to}}
			if parsed, bad := convert.ParseRanges(ranges); bad == nil {
				req.Pages = parsed
			}
			_, err = c.SubmitText(t.Context(), req)
		}
		var field *convert.FieldError
		if err != nil && !errors.As(err, &field) {
			t.Errorf("the client sent what the server refuses: %v", err)
		}
	})
}
