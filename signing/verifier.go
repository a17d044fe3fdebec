package signing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Defaults of a [VerifierConfig].
const (
	DefaultTolerance = 15 * time.Minute // Inclusive (protocol 5.2 rule 1).
	DefaultMaxBody   = 1 << 20
)

// VerifierConfig says whose signatures a [Verifier] accepts, and how.
type VerifierConfig struct {
	// Apps and robots that may call. During a rotation one id may have several. Required
	// unless Lookup is set.
	Credentials []Credentials

	// Returns the credentials of a caller that Credentials does not list: none if it is
	// unknown; an error becomes ErrLookup. Nothing is cached. It is called after Date and
	// digest have passed, for any id that a stranger sends.
	Lookup func(ctx context.Context, c Caller) ([]Credentials, error)

	// How far Date may be off, in either direction. If zero, DefaultTolerance; if
	// negative, Date is part of the signature but not compared with the clock.
	Tolerance time.Duration

	// Path prefix that a proxy removes, such as "/office": callers sign it.
	PublicPrefix string

	// Returns the request target as its sender signed it. If nil, PublicPrefix and
	// RequestURI, which routers and http.StripPrefix do not change.
	Target func(*http.Request) string

	// Largest body that is verified, in bytes. If zero, DefaultMaxBody.
	MaxBody int64

	// The clock. If nil, time.Now.
	Now func() time.Time
}

// Verifier checks who signed a request. It is safe for concurrent use.
type Verifier struct {
	cfg    VerifierConfig
	apps   map[string][]Credentials
	robots map[hashedKey][]Credentials
}

// hashedKey keeps the time of a search from telling anything about a robot key.
type hashedKey [sha256.Size]byte

func hashKey(robotKey string) hashedKey { return sha256.Sum256([]byte(robotKey)) }

// NewVerifier reports every problem of cfg at once. It never accepts an empty secret.
func NewVerifier(cfg VerifierConfig) (*Verifier, error) {
	v := &Verifier{apps: map[string][]Credentials{}, robots: map[hashedKey][]Credentials{}}
	for _, c := range cfg.Credentials {
		id := c.id.Reveal()
		if c.robot {
			v.robots[hashKey(id)] = append(v.robots[hashKey(id)], c)
		} else {
			v.apps[id] = append(v.apps[id], c)
		}
	}
	cfg.PublicPrefix = strings.TrimSuffix(cfg.PublicPrefix, "/")
	if err := errors.Join(cfg.problems()...); err != nil {
		return nil, err
	}
	cfg.Credentials = nil
	cfg.Tolerance = cmp.Or(cfg.Tolerance, DefaultTolerance)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Target == nil {
		cfg.Target = requestTarget
	}
	v.cfg = cfg
	return v, nil
}

func (cfg *VerifierConfig) problems() []error {
	var errs []error
	if len(cfg.Credentials) == 0 && cfg.Lookup == nil {
		errs = append(errs, errors.New("signing: verifier: Credentials is empty and Lookup is nil: no request could be accepted; see Unsigned for a deployment that does not sign"))
	}
	for i, c := range cfg.Credentials {
		for _, err := range c.problems() {
			errs = append(errs, fmt.Errorf("signing: verifier: Credentials[%d]: %w", i, err))
		}
	}
	switch p := cfg.PublicPrefix; {
	case p == "":
	case p[0] != '/' || strings.ContainsAny(p, "?#"):
		errs = append(errs, errors.New(`signing: verifier: PublicPrefix must be a path that starts with "/"`))
	case cfg.Target != nil:
		errs = append(errs, errors.New("signing: verifier: PublicPrefix has no effect together with Target: set one of them"))
	}
	if cfg.MaxBody < 0 {
		errs = append(errs, errors.New("signing: verifier: MaxBody must not be negative"))
	}
	return append(errs, checkHashes())
}

// requestTarget returns the request target as the server received it. A request that was
// made by hand may have only a URL. One through a proxy may have scheme and host before
// it, which its sender did not sign.
func requestTarget(req *http.Request) string {
	target := req.RequestURI
	if target == "" && req.URL != nil {
		return req.URL.RequestURI()
	}
	scheme, rest, absolute := strings.Cut(target, "://")
	if !absolute || scheme != "http" && scheme != "https" {
		return target
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r != '/' && r != '?' })
	return "/" + strings.TrimPrefix(rest, "/")
}

// Middleware passes requests whose signature is valid to next, with the caller in their
// context ([CallerFrom]), and calls reject for the others. If reject is nil, the answer is
// 401, or 500 for [ErrLookup], without a reason.
func (v *Verifier) Middleware(next http.Handler, reject func(http.ResponseWriter, *http.Request, error)) http.Handler {
	if reject == nil {
		reject = func(w http.ResponseWriter, _ *http.Request, err error) {
			status := http.StatusUnauthorized
			if errors.Is(err, ErrLookup) {
				status = http.StatusInternalServerError
			}
			http.Error(w, http.StatusText(status), status)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		caller, err := v.VerifyRequest(req)
		if err != nil {
			reject(w, req, err)
			return
		}
		next.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), callerKey{}, caller)))
	})
}

// Unsigned replaces [Verifier.VerifyRequest] if callers do not sign (protocol 5.3). It
// accepts every request: keep strangers out in some other way.
func Unsigned(*http.Request) (Caller, error) { return Caller{}, nil }
