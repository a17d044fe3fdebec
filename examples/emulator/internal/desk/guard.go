package desk

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// bodyWait is how long a body may take to arrive, unless Config.BodyWait is set.
const bodyWait = time.Minute

// guard keeps strangers out: other names for this machine (DNS rebinding), pages of
// other origins, bodies that never end, and everything that a browser could run.
func (d *Desk) guard(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", policy(r.URL.Path))
		if strings.HasPrefix(r.URL.Path, Prefix+"/") {
			h.Set("Cache-Control", "no-store")
		}
		if !d.mayBeCalled(r.Host) {
			writeError(w, refusal{http.StatusMisdirectedRequest, "this emulator is not called " + cut(r.Host, 100) + ": give -host to add a name"})
			return
		}
		if err := origins.Check(r); err != nil || foreign(r) {
			writeError(w, refusal{http.StatusForbidden, "a page of another origin must not do this"})
			return
		}
		limitBody(w, r, d.cfg.BodyWait)
		next.ServeHTTP(w, r)
	})
}

// policy is the content security policy: nothing runs but the page's own module, and
// what is not the page is not shown in a browser at all.
func policy(path string) string {
	if strings.HasPrefix(path, Prefix+"/") || strings.HasPrefix(path, SamplePrefix+"/") || slices.ContainsFunc(servicePaths(), func(p string) bool { return strings.HasPrefix(path, p) }) {
		return "default-src 'none'; sandbox; frame-ancestors 'none'"
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// mayBeCalled reports whether a Host is a name of this emulator. An address is one: a
// page cannot point the name of another site to it.
func (d *Desk) mayBeCalled(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	if u, err := url.Parse(d.cfg.URL); err == nil && strings.EqualFold(u.Hostname(), name) {
		return true
	}
	return slices.ContainsFunc(d.cfg.Hosts, func(known string) bool { return strings.EqualFold(known, name) })
}

// foreign reports whether a page of another origin reads the API or the service, such as
// by a script that it loads. Browsers tell Sec-Fetch-Site to this machine and over TLS
// only, and Origin also elsewhere.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err != nil || u.Host != r.Host
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.URL.Path != "/"
	}
	return false
}

// limitBody gives a body a time in which it has to arrive. The time for the answer is
// not limited by that: a call may wait.
func limitBody(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	c := http.NewResponseController(w)
	if c.SetReadDeadline(time.Now().Add(wait)) != nil { // The deadline of a connection is in real time.
		return
	}
	r.Body = &arriving{r.Body, func() { _ = c.SetReadDeadline(time.Time{}) }}
}

// arriving is a body that lifts the deadline when it has arrived.
type arriving struct {
	io.ReadCloser
	arrived func()
}

// Read lifts the deadline at the end.
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err == io.EOF {
		a.arrived()
	}
	return n, err
}
