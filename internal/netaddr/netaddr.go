// Package netaddr says where a host of a URL is, as far as its name or IP address tells.
package netaddr

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Insecure reports whether a request to u would carry its secrets unencrypted over a
// network: u is http, and its host is not this machine.
func Insecure(u *url.URL) bool {
	return strings.EqualFold(u.Scheme, "http") && !Loopback(u.Hostname())
}

// Loopback reports whether host is this machine.
func Loopback(host string) bool {
	if ip := parse(host); ip.IsValid() {
		return ip.IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Private reports whether host is unlikely to be reachable from the public network.
func Private(host string) bool {
	if ip := parse(host); ip.IsValid() {
		return !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedSpace.Contains(ip)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return !strings.Contains(host, ".") ||
		slices.ContainsFunc(privateSuffixes, func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// parse returns the IP address that host is, or the zero Addr. A name is not given to
// netip, whose error is an allocation.
func parse(host string) netip.Addr {
	if !strings.Contains(host, ":") && (host == "" || host[0] < '0' || host[0] > '9') {
		return netip.Addr{}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return ip.Unmap()
}

var (
	sharedSpace     = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	privateSuffixes = []string{".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".test", ".invalid"}
)
