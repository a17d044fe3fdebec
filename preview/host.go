package preview

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// adviseURL looks at an address that the service is to call.
func (c *call) adviseURL(r *http.Request, raw string, u *url.URL) {
	if isPrivate(u.Hostname()) {
		c.advise(r, adviceHost, u.Host)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.advise(r, adviceUnescaped, u.Host)
	}
}

// isPrivate reports whether host looks as if it were not reachable from the
// public network.
func isPrivate(host string) bool {
	if host[0] >= '0' && host[0] <= '9' || strings.Contains(host, ":") {
		if ip, err := netip.ParseAddr(host); err == nil {
			ip = ip.Unmap()
			return !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedSpace.Contains(ip)
		}
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(host, ".") {
		return true
	}
	for _, suffix := range privateSuffixes {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

var (
	sharedSpace     = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	privateSuffixes = [...]string{".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".test", ".invalid"}
)
