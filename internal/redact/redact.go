// Package redact takes secrets out of texts and errors before they are returned
// or logged. An address of the service may hold a robot key or a signature in its
// query, and net/http repeats addresses in its errors.
package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Hidden stands where a secret was.
const Hidden = "[secret]"

// MinPart is how many bytes a part of something longer has to have to be a secret
// by itself: a query such as "type=pdf" must not hide every "pdf" in a text.
const MinPart = 8

// URL returns raw without its user info, and with [Hidden] in the place of query
// and fragment. What is neither an address nor a path is hidden altogether.
func URL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Scheme == "" && u.Host == "" && !strings.HasPrefix(raw, "/") {
		return Hidden
	}
	more := u.RawQuery != "" || u.Fragment != ""
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	if more {
		return u.String() + "?" + Hidden
	}
	return u.String()
}

// Text returns s with every one of secrets hidden, also where it is escaped: for
// an address, in JSON, or by %q. Empty secrets are passed over. What is hidden
// already stays as it is, so that hiding twice is the same as hiding once.
func Text(s string, secrets ...string) string {
	var found []string
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		for _, form := range forms(secret) {
			if strings.Contains(s, form) {
				found = append(found, form)
			}
		}
	}
	if len(found) == 0 {
		return s
	}
	found = append(found, Hidden)
	// The longest first: of a secret that begins with another one nothing may stay.
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(found))
	for _, form := range found {
		pairs = append(pairs, form, Hidden)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// forms are the ways in which a text is usually written into another one.
func forms(secret string) []string {
	all := []string{
		secret,
		url.QueryEscape(secret),
		url.PathEscape(secret),
		(&url.URL{Path: secret}).EscapedPath(),
		unquoted(strconv.Quote(secret)),
		unquoted(strconv.QuoteToASCII(secret)),
	}
	for _, form := range all[1:4] {
		all = append(all, lowerHex(form))
	}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(html)
		if encoder.Encode(secret) == nil {
			all = append(all, unquoted(strings.TrimSuffix(b.String(), "\n")))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func unquoted(quoted string) string { return quoted[1 : len(quoted)-1] }

// lowerHex writes %2F as %2f, as some clients do.
func lowerHex(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}
