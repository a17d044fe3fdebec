package converttest

import (
	"bytes"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// Fault is one way in which the service fails. After [TooManyRequests], [Refused],
// [Replied] and [Redirected] there is no task. All others spoil the answer: there is a
// task, its sender cannot know, and to repeat the submit makes a second one.
type Fault func(next http.Handler) http.Handler

// On says which requests a [Fault] is for, joined by |.
type On uint8

// The requests that a [Server] answers.
const (
	Submits   On = 1 << iota // POST …/convert/to/txt and …/convert/to/pdf.
	Queries                  // Task queries.
	Downloads                // Requests for results.

	Calls      = Submits | Queries // All that are signed.
	Everything = Calls | Downloads // All.
)

// pendingFault is one call of Fail.
type pendingFault struct {
	on    On
	left  int
	fault Fault
}

// Fail makes f spoil the next n requests of the kinds in on; if n is negative, all until
// [Server.Heal]. A request gets the oldest fault that is not used up, unless its
// signature fails. A nil f spoils nothing.
func (s *Server) Fail(on On, n int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != 0 {
		s.faults = append(s.faults, &pendingFault{on: on, left: n, fault: f})
	}
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// nextFault returns the fault for a request of kind on, or nil.
func (s *Server) nextFault(on On) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(p *pendingFault) bool { return p.on&on != 0 })
	if i < 0 {
		return nil
	}
	p := s.faults[i]
	p.left--
	if p.left == 0 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return p.fault
}

// recorded is an answer that was not sent yet.
type recorded = httptest.ResponseRecorder

// TooManyRequests refuses with HTTP status 429, code 30002, and after as Retry-After,
// in seconds, unless it is zero.
func TooManyRequests(after time.Duration) Fault {
	return replace(func(w http.ResponseWriter, _ *http.Request) {
		if after > 0 {
			w.Header().Set("Retry-After", seconds(after))
		}
		refuse(w, http.StatusTooManyRequests, convert.CodeRateLimiter, "")
	})
}

// Refused refuses with HTTP status 200 and code, which is not 0 (public reference 1.2).
func Refused(code int) Fault {
	return replace(func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusOK, code, "") })
}

// Replied answers body instead of the service, as a proxy does.
func Replied(status int, contentType, body string) Fault {
	return replace(func(w http.ResponseWriter, _ *http.Request) { write(w, status, contentType, []byte(body)) })
}

// Redirected answers 307 with location.
func Redirected(location string) Fault {
	return replace(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, location, http.StatusTemporaryRedirect)
	})
}

// replace makes a fault that does not call the service.
func replace(h http.HandlerFunc) Fault {
	return func(http.Handler) http.Handler { return h }
}

// Reset breaks the connection instead of answering.
func Reset(next http.Handler) http.Handler {
	return spoil(func(w http.ResponseWriter, _ *http.Request, _ *recorded) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
			return
		}
		panic(http.ErrAbortHandler)
	})(next)
}

// Truncated breaks the connection after half of the body.
func Truncated(next http.Handler) http.Handler {
	return spoil(func(w http.ResponseWriter, _ *http.Request, a *recorded) {
		send(w, a.Code, a.Body.Len(), a.Body.Bytes()[:a.Body.Len()/2]) // a server that ends here has to close
	})(next)
}

// ShortLength sends half of the body with a Content-Length that agrees.
func ShortLength(next http.Handler) http.Handler {
	return spoil(func(w http.ResponseWriter, _ *http.Request, a *recorded) {
		send(w, a.Code, a.Body.Len()/2, a.Body.Bytes()[:a.Body.Len()/2])
	})(next)
}

// LongLength sends the body with a Content-Length of one byte more.
func LongLength(next http.Handler) http.Handler {
	return spoil(func(w http.ResponseWriter, _ *http.Request, a *recorded) {
		send(w, a.Code, a.Body.Len()+1, a.Body.Bytes())
	})(next)
}

// HTML answers 200 with a page.
func HTML(next http.Handler) http.Handler {
	return content("text/html; charset=utf-8", "<!doctype html><title>Welcome</title><p>Please sign in.")(next)
}

// Empty answers 200 with no body.
func Empty(next http.Handler) http.Handler { return content("application/json", "")(next) }

// Null answers 200 with null.
func Null(next http.Handler) http.Handler { return content("application/json", "null")(next) }

// Array answers 200 with [].
func Array(next http.Handler) http.Handler { return content("application/json", "[]")(next) }

// NoData answers 200 with code 0 and nothing else.
func NoData(next http.Handler) http.Handler { return content("application/json", `{"code":0}`)(next) }

// content makes a fault that replaces the body of the answer.
func content(contentType, body string) Fault {
	return spoil(func(w http.ResponseWriter, _ *http.Request, _ *recorded) {
		write(w, http.StatusOK, contentType, []byte(body))
	})
}

// Huge puts n blanks before the answer.
func Huge(n int) Fault {
	return spoil(func(w http.ResponseWriter, _ *http.Request, a *recorded) {
		w.Header().Del("Content-Length")
		w.WriteHeader(a.Code)
		blanks := bytes.Repeat([]byte(" "), 4<<10)
		for left := n; left > 0; left -= len(blanks) {
			if _, err := w.Write(blanks[:min(left, len(blanks))]); err != nil {
				return
			}
		}
		_, _ = w.Write(a.Body.Bytes())
	})
}

// Late answers after d.
func Late(d time.Duration) Fault {
	return spoil(func(w http.ResponseWriter, r *http.Request, a *recorded) {
		if pause(r, d) {
			w.WriteHeader(a.Code)
			_, _ = w.Write(a.Body.Bytes())
		}
	})
}

// Slow sends the header immediately and the body in eight parts over d.
func Slow(d time.Duration) Fault {
	const parts = 8
	return spoil(func(w http.ResponseWriter, r *http.Request, a *recorded) {
		w.WriteHeader(a.Code)
		flush := http.NewResponseController(w).Flush
		for part := range parts {
			_ = flush()
			if !pause(r, d/parts) {
				return
			}
			_, _ = w.Write(a.Body.Next((a.Body.Len() + parts - part - 1) / (parts - part)))
		}
	})
}

// pause reports whether the client waited for d.
func pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// spoil makes a fault that gives the answer of the service to change, with its header in w.
func spoil(change func(http.ResponseWriter, *http.Request, *recorded)) Fault {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			maps.Copy(w.Header(), answer.Header())
			change(w, r, answer)
		})
	}
}
