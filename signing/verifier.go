package signing

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// DefaultTolerance is how far Date may lie from the clock of the verifier,
	// to either side; a Date exactly that far off still passes (protocol 5.2 rule 1).
	DefaultTolerance = 15 * time.Minute
	// DefaultMaxBody is the largest body that is verified, in bytes.
	DefaultMaxBody = 1 << 20
)

// VerifierConfig says whose signatures a [Verifier] accepts, and how.
type VerifierConfig struct {
	// Required. Who may call. Apps and robots may be mixed, and one id may come
	// with several secrets: while its key rotates, the old and the new.
	Credentials []Credentials

	// How far Date may be off. If zero, DefaultTolerance; if negative, Date is
	// part of the signature but not compared with the clock.
	Tolerance time.Duration

	// Path prefix that a proxy in front takes away, such as "/office". Callers
	// sign the path that they call, so it has to be put back.
	PublicPrefix string

	// Request target as its sender signed it, for what PublicPrefix cannot
	// express. If nil, PublicPrefix and the RequestURI of the request, which
	// routers and http.StripPrefix leave alone, without scheme and host.
	Target func(*http.Request) string

	// Largest body that is verified, in bytes; a longer one is refused. If zero,
	// DefaultMaxBody.
	MaxBody int64

	// The clock. If nil, time.Now.
	Now func() time.Time
}

// Verifier checks who signed a request. It is immutable and safe for concurrent
// use.
type Verifier struct{ cfg VerifierConfig }

// NewVerifier copies cfg, fills in its defaults and reports every problem at
// once. It fails in FIPS 140-only mode, and never accepts an empty secret.
func NewVerifier(cfg VerifierConfig) (*Verifier, error) {
	cfg.Credentials = slices.Clone(cfg.Credentials)
	if cfg.Tolerance == 0 {
		cfg.Tolerance = DefaultTolerance
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.PublicPrefix = strings.TrimSuffix(cfg.PublicPrefix, "/")
	if cfg.Target == nil {
		cfg.Target = requestTarget
	} else if cfg.PublicPrefix != "" {
		return nil, errors.Join(append(cfg.problems(),
			errors.New("signing: verifier: PublicPrefix has no effect beside Target: give one of them"))...)
	}
	if err := errors.Join(cfg.problems()...); err != nil {
		return nil, err
	}
	return &Verifier{cfg: cfg}, nil
}

func (cfg *VerifierConfig) problems() []error {
	var errs []error
	if len(cfg.Credentials) == 0 {
		errs = append(errs, errors.New("signing: verifier: Credentials is empty: nobody could call; see Unsigned for a deployment that does not sign"))
	}
	for i, c := range cfg.Credentials {
		for _, err := range c.problems() {
			errs = append(errs, fmt.Errorf("signing: verifier: Credentials[%d]: %w", i, err))
		}
	}
	if p := cfg.PublicPrefix; p != "" && (p[0] != '/' || strings.ContainsAny(p, "?#")) {
		errs = append(errs, errors.New(`signing: verifier: PublicPrefix must be a path that starts with "/"`))
	}
	if cfg.MaxBody < 0 {
		errs = append(errs, errors.New("signing: verifier: MaxBody must not be negative"))
	}
	if err := checkHashes(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// requestTarget is the request target as the server received it. A request that was
// made by hand may have none, but a URL; one through a proxy may have scheme and
// host before it, which its sender did not sign.
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

// Middleware passes requests whose signature holds to next, with a body that
// can be read again, and hands the others to reject together with the error of
// [Verifier.VerifyRequest]. A nil reject answers 401 with no reason.
func (v *Verifier) Middleware(next http.Handler, reject func(http.ResponseWriter, *http.Request, error)) http.Handler {
	if reject == nil {
		reject = func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, err := v.VerifyRequest(req); err != nil {
			reject(w, req, err)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// Unsigned accepts every request, as nobody. It has the form of
// [Verifier.VerifyRequest], and stands in its place where callers do not sign:
// the protocol shows no authentication of its callbacks (protocol 5.3). Whoever
// uses it keeps strangers out in some other way.
func Unsigned(*http.Request) (Caller, error) { return Caller{}, nil }
