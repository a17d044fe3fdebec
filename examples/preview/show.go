package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// shown is what one line says of a call, beyond the request itself.
type shown struct {
	http.ResponseWriter
	user   string
	status int
	code   string // of the envelope
}

type shownKey struct{}

// noteUser lets the line of a call say who it was.
func noteUser(ctx context.Context, user string) {
	if s, ok := ctx.Value(shownKey{}).(*shown); ok {
		s.user = user
	}
}

// showCalls writes one line for each call, without queries and headers, which hold
// secrets.
func showCalls(out io.Writer, next http.Handler) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s := &shown{ResponseWriter: w}
		next.ServeHTTP(s, r.WithContext(context.WithValue(r.Context(), shownKey{}, s)))
		took := time.Since(start).Round(10 * time.Microsecond)
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, "%s %s %s user=%s status=%d code=%s %v\n", start.Format(time.TimeOnly),
			r.Method, r.URL.EscapedPath(), cmp.Or(s.user, "-"), s.status, cmp.Or(s.code, "-"), took)
	})
}

// WriteHeader notes the status.
func (s *shown) WriteHeader(status int) {
	s.status = cmp.Or(s.status, status)
	s.ResponseWriter.WriteHeader(status)
}

// Write notes the code of an envelope, which comes first in it.
func (s *shown) Write(p []byte) (int, error) {
	s.status = cmp.Or(s.status, http.StatusOK)
	if rest, ok := bytes.CutPrefix(p, []byte(`{"code":`)); ok && s.code == "" {
		s.code = string(rest[:max(0, bytes.IndexByte(rest, ','))])
	}
	return s.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (s *shown) Unwrap() http.ResponseWriter { return s.ResponseWriter }
