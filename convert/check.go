package convert

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/weboffice-go/weboffice/signing"
)

// problems collects every rule that is broken.
type problems []*FieldError

func (p *problems) add(field, reason string) {
	*p = append(*p, &FieldError{Field: field, Reason: reason})
}

// join returns one error for all, each line of which names the operation.
func (p problems) join(op string) error {
	errs := make([]error, 0, len(p))
	for _, problem := range p {
		errs = append(errs, wrap(op, problem))
	}
	return errors.Join(errs...)
}

// wrap puts package and operation before err, unless it has them.
func wrap(op string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "convert: ") {
		return err
	}
	return fmt.Errorf("convert: %s: %w", op, err)
}

// check returns what is wrong with cfg, and the signer of its credentials.
func (cfg *Config) check() (*signing.Signer, problems) {
	var found problems
	switch {
	case cfg.BaseURL == "":
		found.add("BaseURL", "is required")
	case !validBase(cfg.BaseURL):
		found.add("BaseURL", "must be an absolute http or https URL, escaped, without user, query, fragment and dot segments")
	}
	signer := cfg.checkCredentials(&found)
	if v := reflect.ValueOf(cfg.Limiter); v.Kind() == reflect.Pointer && v.IsNil() {
		found.add("Limiter", "is a nil pointer, which is not the same as nil")
	}
	if cfg.Backoff.Min < 0 {
		found.add("Backoff.Min", "must not be negative")
	}
	if cfg.Backoff.Max < 0 {
		found.add("Backoff.Max", "must not be negative")
	} else if cfg.Backoff.Max > 0 && cfg.Backoff.Max < cfg.Backoff.Min {
		found.add("Backoff.Max", "must not be less than Backoff.Min")
	}
	if cfg.Attempts < 0 {
		found.add("Attempts", "must not be negative; 1 is a single try")
	}
	if cfg.MaxBody < 0 {
		found.add("MaxBody", "must not be negative")
	}
	return signer, found
}

func (cfg *Config) checkCredentials(found *problems) *signing.Signer {
	const field = "Credentials"
	switch {
	case cfg.Credentials.IsZero():
		found.add(field, "is required: signing.App(id, key) (protocol 5.1)")
		return nil
	case !cfg.Credentials.Caller().RobotKey.IsZero():
		found.add(field, "must be those of an application, not of a robot: signing.App(id, key) (protocol 5.1)")
		return nil
	}
	signer, err := signing.NewSigner(cfg.Credentials)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			found.add(field, strings.TrimPrefix(line, "signing: credentials: "))
		}
	}
	return signer
}

func validBase(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && absolute(u) && u.User == nil && !strings.ContainsAny(raw, "?#") &&
		strings.HasSuffix(raw, u.EscapedPath()) && !dotSegments(u)
}

// absolute reports whether u names a host that http can reach.
func absolute(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// dotSegments reports whether the path of u has a segment that a proxy would
// resolve, which changes what was signed.
func dotSegments(u *url.URL) bool {
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		if s, err := url.PathUnescape(segment); err != nil || s == "." || s == ".." {
			return true
		}
	}
	return false
}
