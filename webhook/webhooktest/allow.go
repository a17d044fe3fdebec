package webhooktest

import (
	"errors"
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
	separator, separators, most := ".", 3, "255"
	if strings.Contains(s, ":") {
		separator, separators, most = ":", 7, "ffff"
	}
	low, err := netip.ParseAddr(strings.ReplaceAll(s, "*", "0"))
	high, err2 := netip.ParseAddr(strings.ReplaceAll(s, "*", most))
	if err != nil || err2 != nil || low != high && strings.Count(s, separator) != separators {
		return nil, errors.New(`want an address, a CIDR range, or a wildcard form such as "10.1.*.*"`)
	}
	first, last := low.Unmap().AsSlice(), high.Unmap().AsSlice()
	return func(a netip.Addr) bool {
		bytes := a.AsSlice()
		for i, b := range bytes {
			if len(bytes) != len(first) || b < first[i] || b > last[i] {
				return false
			}
		}
		return a.IsValid()
	}, nil
}

// allows reports whether a request from remoteAddr may send. An empty list lets
// everyone.
func (r *robot) allows(remoteAddr string) bool {
	peer, err := netip.ParseAddrPort(remoteAddr)
	addr := peer.Addr()
	if err != nil {
		addr, _ = netip.ParseAddr(remoteAddr)
	}
	addr = addr.Unmap().WithZone("")
	return len(r.allowed) == 0 || slices.ContainsFunc(r.allowed, func(allows func(netip.Addr) bool) bool { return allows(addr) })
}
