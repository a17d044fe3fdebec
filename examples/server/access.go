package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// logged counts and logs the requests of one route. The path and the query are left out:
// they give access to documents, or are secrets.
func (a *app) logged(route string, next http.Handler) http.Handler {
	return identified(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, start := r.Context(), time.Now()
		answer := &recorder{ResponseWriter: w}
		defer func() {
			took := time.Since(start)
			method := r.Method
			if !known[method] {
				method = "other"
			}
			a.metrics.requests.WithLabelValues(route, method, strconv.Itoa(answer.code())).Observe(took.Seconds())
			a.logger.DebugContext(ctx, "request", "route", route, "method", method, "status", answer.code(), "bytes", answer.written, "took", took)
		}()
		next.ServeHTTP(answer, r)
	}))
}

// known are the methods that may become a label.
var known = map[string]bool{http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true, http.MethodDelete: true}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status  int
	written int64
}

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.written += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// bearer lets a request pass that has the token of the API.
func (a *app) bearer(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(a.settings.apiToken.Reveal()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(text))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			a.refuse(w, r, &refusal{http.StatusUnauthorized, "the API needs its bearer token"})
			return
		}
		next.ServeHTTP(w, r)
	})
}
