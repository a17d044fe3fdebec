// Package filehost serves single files over HTTP under addresses that nobody can
// guess: what a document store with signed addresses does for the examples.
package filehost

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
)

// Prefix is the path below which a [Host] answers.
const Prefix = "/documents/"

// Host is an http.Handler. [New] makes one; it is safe for concurrent use.
type Host struct {
	base  string
	mu    sync.Mutex
	files map[string]string // path below base to file
}

// New makes a host that is reached under base, such as "https://files.example".
func New(base string) *Host {
	return &Host{base: strings.TrimSuffix(base, "/"), files: map[string]string{}}
}

// Publish gives file an address that ends in name.
func (h *Host) Publish(file, name string) string {
	path := Prefix + rand.Text() + "/" + filepath.Base(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[path] = file
	return h.base + (&url.URL{Path: path}).EscapedPath()
}

// ServeHTTP serves what was published. It finds [Prefix] in the path, so that a
// proxy in front may have a path of its own.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, path, ok := strings.Cut(r.URL.Path, Prefix)
	h.mu.Lock()
	file, published := h.files[Prefix+path]
	h.mu.Unlock()
	if !ok || !published || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	http.ServeFile(w, r, file)
}
