package convert

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	// DefaultMaxWait is how long a wait goes on, at most, where neither
	// Config.MaxWait nor the context ends it before.
	DefaultMaxWait = 30 * time.Minute
	// DefaultAttempts is how many times a call is tried where trying again is safe.
	DefaultAttempts = 3
	// DefaultCallsPerSecond is the rate that the service grants to one app id
	// (public reference 1.2).
	DefaultCallsPerSecond = 10
	// DefaultMaxBody is the largest answer that is read, in bytes.
	DefaultMaxBody = 1 << 20
	// URLLifetime is how long the address of a result works, counted from the
	// answer that reported it (protocol 8).
	URLLifetime = 30 * time.Minute
	// StallTimeout is how long a download may go without a single byte.
	StallTimeout = time.Minute
)

// Config says which service a [Client] talks to, as whom, and at what pace. What
// is not required may stay zero. Its functions are called from many goroutines.
type Config struct {
	// Required. Address of the conversion API, such as "https://office.example".
	// A path in it goes before the path of every call, and is signed with it.
	BaseURL string

	// Required. Of an application: signing.App(id, key) (protocol 5.1).
	Credentials signing.Credentials

	// Sends the calls. It is copied; neither it nor its Transport is changed. Its
	// Timeout is for one call and does not apply to downloads, and its
	// CheckRedirect is for downloads only: a signed call follows no redirect. If
	// nil, a client with a timeout of 30 seconds.
	HTTPClient *http.Client

	// Asked before each attempt of each call: submits, queries and repeats, but
	// not downloads. If nil, at most DefaultCallsPerSecond calls of this Client
	// start in any second, in the order in which they came.
	Limiter Limiter

	// The pace of waits, and of repeats within a call.
	Backoff Backoff

	// Longest duration of one Wait, Watch or Save, counted from its start, and of a
	// document in a Batch, without what it spends waiting for the loop. If zero,
	// DefaultMaxWait; if negative, only the context ends it.
	MaxWait time.Duration

	// Tries of one call, where trying again is safe: a query after any failure
	// that may pass, a submit only after the service refused it for its rate. Before
	// the next one the call waits as long as Backoff says, and where the service
	// asks for more (Retry-After), as long as that: a query and a download within
	// their context and MaxWait, a submit for a minute at most. If zero,
	// DefaultAttempts; 1 is a single try.
	Attempts int

	// Largest answer that is read, in bytes; a longer one is an [*APIError]. If
	// zero, DefaultMaxBody.
	MaxBody int64

	// The call that asks for the status of t, which the protocol leaves open
	// (protocol 4.1). Its Op may be empty, and it counts as Repeatable whatever it
	// says. If nil, GET /api/developer/v1/tasks/{id} (public reference 1.1).
	TaskQuery func(t Task) Call

	// What a Status means for a wait. If nil, DefaultClassify.
	Classify func(s *Status) Phase

	// Whether an answer is a refusal for the rate of calls, and the call was not
	// carried out. If nil, DefaultRateLimited.
	RateLimited func(e *APIError) bool

	// Gets each attempt at debug level and each failed one as a warning, without
	// secrets. If nil, nothing is logged.
	Logger *slog.Logger

	// The clock of Date headers and of File.ExpiresAt. If nil, time.Now.
	Now func() time.Time
}

// Limiter decides when a call may go out. Wait returns nil when it may, and an
// error to end the call unsent; it must return when ctx ends. It is called from
// many goroutines.
//
// The Limiter of golang.org/x/time/rate fits, if its burst is 1. To share one
// rate among several processes, implement the interface on something that they
// share, and leave a margin: calls that depart in time may still arrive too close
// together.
type Limiter interface {
	Wait(ctx context.Context) error
}

// Backoff is a pace whose pauses double from Min to Max. Each pause is drawn at
// random from a quarter below to a quarter above, and never leaves Min to Max.
// The zero value is ready.
type Backoff struct {
	_   [0]func()
	Min time.Duration // First and shortest pause. If zero, one second.
	Max time.Duration // Longest pause. If zero, ten seconds, or Min where that is longer.
}

func (b Backoff) pace() httpx.Backoff { return httpx.Backoff{Min: b.Min, Max: b.Max} }

func (b *Backoff) setDefaults() {
	if b.Min == 0 {
		b.Min = time.Second
		if b.Max > 0 {
			b.Min = min(b.Min, b.Max)
		}
	}
	if b.Max == 0 {
		b.Max = max(10*time.Second, b.Min)
	}
}

func (cfg *Config) setDefaults() {
	cfg.Backoff.setDefaults()
	if cfg.MaxWait == 0 {
		cfg.MaxWait = DefaultMaxWait
	}
	if cfg.Attempts == 0 {
		cfg.Attempts = DefaultAttempts
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	if cfg.Limiter == nil {
		cfg.Limiter = newWindow(DefaultCallsPerSecond, time.Second)
	}
	if cfg.TaskQuery == nil {
		cfg.TaskQuery = defaultTaskQuery
	}
	if cfg.Classify == nil {
		cfg.Classify = DefaultClassify
	}
	if cfg.RateLimited == nil {
		cfg.RateLimited = DefaultRateLimited
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
}
