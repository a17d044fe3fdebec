package webhooktest

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// parseAllowed reads an entry of an allow list: an address, a range such as
// "10.1.0.0/16", or a pattern such as "10.1.*.*" or "2001:db8:*:*:*:*:*:*"
// (protocol 4.4).
func parseAllowed(s string) (allows func(netip.Addr) bool, err error) {
	if prefix, err := netip.ParsePrefix(s); err == nil {
		return prefix.Contains, nil
	}
	separator, count, most := ".", 4, "255"
	if strings.Contains(s, ":") {
		separator, count, most = ":", 8, "ffff"
	}
	parts := strings.Split(s, separator)
	stars := func(value string) string { // puts value for the stars
		filled := slices.Clone(parts)
		for i, p := range filled {
			if p == "*" {
				filled[i] = value
			}
		}
		return strings.Join(filled, separator)
	}
	low, err := netip.ParseAddr(stars("0"))
	high, _ := netip.ParseAddr(stars(most)) // as good as low
	if err != nil || low != high && len(parts) != count {
		return nil, errors.New(`want an address, a CIDR range, or a wildcard form such as "10.1.*.*"`)
	}
	if low == high {
		return func(a netip.Addr) bool { return a == low.Unmap().WithZone("") }, nil
	}
	first, last := low.AsSlice(), high.AsSlice()
	return func(a netip.Addr) bool {
		bytes := a.AsSlice()
		for i, b := range bytes {
			if len(bytes) != len(first) || b < first[i] || b > last[i] {
				return false
			}
		}
		return true
	}, nil
}

// allows reports whether a request from remoteAddr may send. An empty list lets
// everyone.
func (r *robot) allows(remoteAddr string) bool {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	addr, err := netip.ParseAddr(host)
	addr = addr.Unmap().WithZone("")
	return len(r.allowed) == 0 ||
		err == nil && slices.ContainsFunc(r.allowed, func(allows func(netip.Addr) bool) bool { return allows(addr) })
}
