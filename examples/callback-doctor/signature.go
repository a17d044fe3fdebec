package main

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// signer signs callbacks in another way than the service does: to find out which
// mistake an integration expects, or refuses.
type signer struct {
	next        http.RoundTripper
	credentials signing.Credentials
	prefix      string // of the gateway address
	variant     variant
}

// variant is a way to sign. The zero variant is the service's own.
type variant struct {
	withoutPrefix bool   // the path as a proxy passes it on
	withoutQuery  bool   // the path without its query
	emptyMD5      bool   // of no path at all
	contentType   string // in the signature and in the header
	scheme        string

	unsigned bool
	wrong    bool          // another signature
	target   string        // the path of another callback
	late     time.Duration // Date
}

// RoundTrip signs callbacks again. The bytes of documents are not signed.
func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	next := cmp.Or(s.next, http.DefaultTransport)
	if req.Header.Get("Authorization") == "" || s.variant == (variant{}) {
		return next.RoundTrip(req)
	}
	again := req.Clone(req.Context())
	if err := s.sign(again); err != nil {
		return nil, err
	}
	return next.RoundTrip(again)
}

func (s *signer) sign(req *http.Request) error {
	v, h := s.variant, req.Header
	if v.unsigned {
		for _, name := range []string{"Authorization", "Content-Md5", "Date"} {
			h.Del(name)
		}
		return nil
	}
	signer, err := signing.NewSigner(s.credentials)
	if err != nil {
		return err
	}
	target := req.URL.RequestURI()
	if v.target != "" {
		target = s.prefix + v.target
	}
	if v.withoutPrefix {
		target = strings.TrimPrefix(target, s.prefix)
	}
	if v.withoutQuery {
		target, _, _ = strings.Cut(target, "?")
	}
	if v.emptyMD5 {
		target = ""
	}
	if v.contentType != "" {
		h.Set("Content-Type", v.contentType)
	}
	signer.Sign(h, []byte(target), time.Now().Add(-v.late))
	parts := strings.Split(h.Get("Authorization"), ":")
	if v.scheme != "" {
		parts[0] = v.scheme
	}
	if v.wrong {
		parts[2] = strings.Repeat("0", len(parts[2]))
	}
	h.Set("Authorization", strings.Join(parts, ":"))
	return nil
}

// queried asks for something with a query, and if that is refused once more with a
// signature that leaves the query out.
func (d *doctor) queried(path string, ask func() error) error {
	err := ask()
	if answers(err) || !d.signed || d.signer.variant.withoutQuery {
		d.reached[stepQuery] = d.signed && answers(err)
		return err
	}
	d.signer.variant.withoutQuery = true
	if again := ask(); answers(again) {
		d.note(ruleQuery, "GET "+path+": a signature over the path without its query is accepted, and one with it is not")
		return again
	}
	d.signer.variant.withoutQuery = false
	return err
}

// signatures asks for a document that is answered, with signatures that must be
// refused (public reference 3.2).
func (d *doctor) signatures(ctx context.Context, id string) {
	d.reached[stepSigned] = true
	working := d.signer.variant
	defer func() { d.signer.variant = working }()
	accepted := func(change func(v *variant)) bool {
		d.signer.variant = working
		change(&d.signer.variant)
		r, err := d.ask(ctx, filePath(id))
		return err == nil && r.accepted()
	}
	if accepted(func(v *variant) { v.wrong = true }) {
		d.note(ruleVerified, "GET "+filePath(id)+": a signature of zeros is accepted")
		// What is not verified at all has no mistakes in how it is verified.
		for _, name := range []string{rulePrefix, ruleEmptyMD5, ruleEmptyType, ruleScheme, ruleQuery, ruleUnsigned, ruleTarget, ruleDate} {
			d.skipped[name] = true
		}
		return
	}
	for _, try := range []struct {
		rule, finding string
		change        func(v *variant)
	}{
		{ruleUnsigned, "a request without Authorization, Content-Md5 and Date is accepted", func(v *variant) { v.unsigned = true }},
		{ruleTarget, "the signature of another path is accepted", func(v *variant) { v.target, v.emptyMD5 = filePath(id+"x"), false }},
		{ruleDate, "a request that was signed an hour ago is accepted", func(v *variant) { v.late = time.Hour }},
	} {
		if accepted(try.change) {
			d.note(try.rule, "GET "+filePath(id)+": "+try.finding)
		}
	}
}
