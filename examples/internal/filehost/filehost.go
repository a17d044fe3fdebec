// Package filehost serves single files over HTTP at URLs that nobody can
// guess: what a document store with signed addresses does for the examples.
package filehost

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Prefix is the path below which a [Host] answers.
const Prefix = "/documents/"

// Host is an http.Handler. [New] makes one; it is safe for concurrent use.
type Host struct {
	// The clock of addresses that expire. If nil, time.Now. Set it before the first call.
	Now func() time.Time

	base  string
	mu    sync.Mutex
	files map[string]published // by path below base
}

type published struct {
	file    string
	expires time.Time // zero: never
}

// New makes a host that is reached under base, such as "https://files.example".
func New(base string) *Host {
	return &Host{base: strings.TrimSuffix(base, "/"), files: map[string]published{}}
}

// Publish gives file an address that ends in name.
func (h *Host) Publish(file, name string) string { return h.PublishUntil(file, name, time.Time{}) }

// PublishUntil is Publish for an address that works until then.
func (h *Host) PublishUntil(file, name string, expires time.Time) string {
	path := Prefix + rand.Text() + "/" + filepath.Base(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[path] = published{file, expires}
	return h.base + (&url.URL{Path: path}).EscapedPath()
}

// Withdraw ends an address.
func (h *Host) Withdraw(address string) {
	u, err := url.Parse(strings.TrimPrefix(address, h.base))
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.files, u.Path)
}

// ServeHTTP serves what was published. It finds [Prefix] in the path, so that a
// proxy in front may have a path of its own.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, path, ok := strings.Cut(r.URL.Path, Prefix)
	h.mu.Lock()
	found, published := h.files[Prefix+path]
	now := h.Now
	h.mu.Unlock()
	if now == nil {
		now = time.Now
	}
	if published && !found.expires.IsZero() && !now().Before(found.expires) {
		http.Error(w, "the address has expired", http.StatusForbidden)
		return
	}
	if !ok || !published || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	http.ServeFile(w, r, found.file)
}
