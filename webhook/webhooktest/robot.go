package webhooktest

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// Robot is what the creator of a robot sets up in the chat client (protocol 4.4).
type Robot struct {
	_ [0]func()

	Key           signing.Secret // Required. Without ":" if there is a SigningSecret.
	SigningSecret signing.Secret // If zero, signatures are not checked.
	Keywords      []string       // A message must hold one, if there are any. At most webhook.MaxKeywords.
	AllowList     []string       // Who may send: "192.0.2.1", "2001:db8::/32", "10.1.*.*". At most webhook.MaxAllowListEntries; if empty, everyone.
	PerMinute     int            // Messages in any 60 seconds. If zero, webhook.MessagesPerMinute.
}

// robot is a Robot at work.
type robot struct {
	Robot
	verifier *signing.Verifier // nil: unsigned
	allowed  []func(netip.Addr) bool
	accepted []time.Time // in the last 60 seconds
	callback registered  // zero: none
}

// Add puts a robot into the chat. One of the same key is replaced, and its callback URL
// is forgotten. The error joins all that is wrong with r.
func (s *Server) Add(r Robot) error { return s.set(r, false) }

// Update changes the settings of the robot with the key of r. Its callback URL and the
// messages of its minute stay. It fails as Add does, and if there is no such robot.
func (s *Server) Update(r Robot) error { return s.set(r, true) }

func (s *Server) set(r Robot, update bool) error {
	changed, err := s.check(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if update {
		old := s.robots[r.Key.Reveal()]
		if old == nil {
			return errors.New("webhooktest: robot: no robot has this key")
		}
		changed.accepted, changed.callback = old.accepted, old.callback
	}
	s.robots[r.Key.Reveal()] = changed
	return nil
}

// Remove takes the robot with that key out of the chat, if there is one.
func (s *Server) Remove(key signing.Secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.robots, key.Reveal())
}

// check makes a robot of r, or says all that is wrong with it.
func (s *Server) check(r Robot) (*robot, error) {
	added := &robot{Robot: r}
	added.Keywords, added.AllowList = slices.Clone(r.Keywords), slices.Clone(r.AllowList)
	added.PerMinute = cmp.Or(r.PerMinute, webhook.MessagesPerMinute)
	var errs []error
	when := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("webhooktest: robot: "+format, args...))
		}
	}
	keywords, entries := len(r.Keywords), len(r.AllowList)
	when(r.Key.IsZero(), "Key is required")
	when(keywords > webhook.MaxKeywords, "Keywords: %d, and at most %d are allowed (protocol 8)", keywords, webhook.MaxKeywords)
	for i, k := range r.Keywords {
		when(blank(k), "Keywords[%d] is blank", i)
	}
	when(entries > webhook.MaxAllowListEntries, "AllowList: %d entries, and at most %d are allowed (protocol 8)", entries, webhook.MaxAllowListEntries)
	for i, entry := range r.AllowList {
		allows, err := parseAllowed(entry)
		when(err != nil, "AllowList[%d]: %w", i, err)
		added.allowed = append(added.allowed, allows)
	}
	when(r.PerMinute < 0, "PerMinute must not be negative")
	if !r.SigningSecret.IsZero() && !r.Key.IsZero() {
		var err error
		added.verifier, err = signing.NewVerifier(signing.VerifierConfig{
			Credentials: []signing.Credentials{signing.Robot(r.Key, r.SigningSecret)},
			Now:         s.opts.DateNow,
		})
		when(err != nil, "%w", err)
	}
	return added, errors.Join(errs...)
}

// take counts a message at the given time, unless it is one too many within the 60
// seconds that end there; then it says when the next one fits.
func (r *robot) take(at time.Time) (wait time.Duration, ok bool) {
	for len(r.accepted) > 0 && at.Sub(r.accepted[0]) >= time.Minute {
		r.accepted = r.accepted[1:]
	}
	if len(r.accepted) >= r.PerMinute {
		return time.Minute - at.Sub(r.accepted[0]), false
	}
	r.accepted = append(r.accepted, at)
	return 0, true
}

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
