package webhooktest

import (
	"errors"
	"net"
	"net/netip"
	"strings"
)

// addressRule is one entry of an allow list: a range, or a pattern of parts, some
// of which are "*".
type addressRule struct {
	prefix netip.Prefix
	parts  []string // IPv4 has four, IPv6 eight
}

// parseAddressRule reads an address, a range such as "10.1.0.0/16", or a pattern
// such as "10.1.*.*" or "2001:db8:*:*:*:*:*:*" (protocol 4.4).
func parseAddressRule(s string) (addressRule, error) {
	if addr, err := netip.ParseAddr(s); err == nil {
		addr = addr.Unmap()
		return addressRule{prefix: netip.PrefixFrom(addr, addr.BitLen())}, nil
	}
	if prefix, err := netip.ParsePrefix(s); err == nil {
		return addressRule{prefix: prefix.Masked()}, nil
	}
	if rule, ok := parseWildcard(s); ok {
		return rule, nil
	}
	return addressRule{}, errors.New(`want an address, a CIDR range, or a wildcard form such as "10.1.*.*"`)
}

// parseWildcard puts digits for the stars, and lets netip judge the rest.
func parseWildcard(s string) (addressRule, bool) {
	if !strings.Contains(s, "*") {
		return addressRule{}, false
	}
	separator, want := ".", 4
	if strings.Contains(s, ":") {
		separator, want = ":", 8
	}
	parts := strings.Split(s, separator)
	if len(parts) != want {
		return addressRule{}, false
	}
	filled := make([]string, want)
	for i, p := range parts {
		if filled[i] = p; p == "*" {
			filled[i] = "0"
		}
	}
	addr, err := netip.ParseAddr(strings.Join(filled, separator))
	if err != nil {
		return addressRule{}, false
	}
	canonical := addressParts(addr)
	for i, p := range parts {
		if p == "*" {
			canonical[i] = "*"
		}
	}
	return addressRule{parts: canonical}, true
}

// addressParts splits an address into its four or eight parts, without leading zeros.
func addressParts(addr netip.Addr) []string {
	if addr.Is4() {
		return strings.Split(addr.String(), ".")
	}
	parts := strings.Split(addr.StringExpanded(), ":")
	for i, p := range parts {
		if parts[i] = strings.TrimLeft(p, "0"); parts[i] == "" {
			parts[i] = "0"
		}
	}
	return parts
}

func (r addressRule) allows(addr netip.Addr) bool {
	if r.parts == nil {
		return r.prefix.Contains(addr)
	}
	parts := addressParts(addr)
	if len(parts) != len(r.parts) {
		return false
	}
	for i, p := range r.parts {
		if p != "*" && p != parts[i] {
			return false
		}
	}
	return true
}

// allows reports whether a request from remoteAddr may send. An empty list lets
// everyone.
func (r *robot) allows(remoteAddr string) bool {
	if len(r.allowed) == 0 {
		return true
	}
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	addr = addr.Unmap().WithZone("")
	for _, rule := range r.allowed {
		if rule.allows(addr) {
			return true
		}
	}
	return false
}
