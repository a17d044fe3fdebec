package webhooktest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// The URLs of what is reached in memory. No name under .test is ever resolved.
const (
	baseURL     = "https://webhook.test"
	callbackURL = "https://callback.test/robot"
)

// Options change a [Server].
type Options struct {
	// Calls the callback URLs of [Server.Register]. If nil, a client with a timeout of
	// ten seconds.
	HTTPClient *http.Client

	// Status and body of a refusal, which the protocol does not show. If nil, 400, or 429
	// for RateLimited, with texts of real traffic (public reference 6.1).
	Refuse func(reason Refusal) (status int, body []byte)

	// The clock. If nil, time.Now.
	Now func() time.Time

	// The clock with which Date is compared. If nil, Now.
	DateNow func() time.Time

	// Called for each message that is kept, refused or not, with the context of its
	// request. It is called concurrently. Optional.
	Received func(ctx context.Context, s Sent)

	// How many messages Sent keeps: the newest. If zero, all.
	Keep int

	// Gets a line per refusal. If nil, nothing is logged.
	Logger *slog.Logger
}

// Refusal is why a message was refused.
type Refusal string

// The refusals, in the order in which the server looks for them.
const (
	UnknownKey   Refusal = "key"       // No robot has that key (protocol 4.4).
	NotAllowed   Refusal = "address"   // The sender is not on the allow list (protocol 7.3).
	BadTimestamp Refusal = "timestamp" // Date is too far off (protocol 5.2 rule 1).
	BadSignature Refusal = "signature" // Digest, shape or signature is wrong (rules 2 to 4).
	BadMessage   Refusal = "message"   // Not one of the shapes of protocol 2.7 and 2.9.
	TooLong      Refusal = "length"    // More than 5000 characters (protocol 8).
	NoKeyword    Refusal = "keyword"   // None of the robot's keywords (protocol 7.3).
	RateLimited  Refusal = "rate"      // The 21st message within 60 seconds (protocol 8).
)

// TestKey returns the key of a robot without further settings that every [Server] has.
func TestKey() signing.Secret { return signing.NewSecret("test-robot-key") }

// Server is an http.Handler that plays the service for any number of robots. It is safe
// for concurrent use.
type Server struct {
	opts  Options
	calls atomic.Int64 // counted for X-Request-Id

	mu     sync.Mutex
	robots map[string]*robot // by key
	sent   []Sent
}

// NewServer copies opts, which may be nil.
func NewServer(opts *Options) *Server {
	s := &Server{robots: map[string]*robot{}, opts: *cmp.Or(opts, &Options{})}
	s.opts.HTTPClient = cmp.Or(s.opts.HTTPClient, &http.Client{Timeout: 10 * time.Second})
	s.opts.Now = callback.Clock(s.opts.Now)
	if s.opts.DateNow == nil {
		s.opts.DateNow = s.opts.Now
	}
	if s.opts.Received == nil {
		s.opts.Received = func(context.Context, Sent) {}
	}
	s.opts.Logger = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	s.robots[TestKey().Reveal()] = &robot{Robot: Robot{Key: TestKey(), PerMinute: webhook.MessagesPerMinute}}
	return s
}

// Config returns a webhook.Config that posts to s in memory as the robot of that key. Of
// an unknown one it has the URL alone.
func (s *Server) Config(key signing.Secret) webhook.Config {
	cfg := webhook.Config{URL: s.Address(baseURL, key), HTTPClient: HTTPClient(s), Now: s.opts.Now}
	if r := s.robot(key); r != nil {
		cfg.SigningSecret = r.SigningSecret
		cfg.Keywords = slices.Clone(r.Keywords)
	}
	return cfg
}

// robot returns nil if there is none of that key.
func (s *Server) robot(key signing.Secret) *robot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.robots[key.Reveal()]
}

// Address returns the webhook URL of a robot on a Server at base, which may have a path.
func (*Server) Address(base string, key signing.Secret) signing.Secret {
	return signing.NewSecret(strings.TrimSuffix(base, "/") + webhook.SendPath + "?key=" + url.QueryEscape(key.Reveal()))
}

// HTTPClient returns a client whose requests h answers in memory, such as a middleware
// around a [Server].
func HTTPClient(h http.Handler) *http.Client { return memhttp.Client(h) }

// Sent is a message that arrived.
type Sent struct {
	_       [0]func()
	Key     signing.Secret  // As sent, known or not.
	Message webhook.Message // Nil if the body is not a message.
	Refused Refusal         // Empty if it was accepted.
	Reason  string          // The same in words.
	Header  http.Header     // As received.
	Body    []byte          // As received, up to one mebibyte.
	At      time.Time       // By the server's clock.
}

// Sent returns what has arrived, in order.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// Format prints the body and why it was refused, and no secrets.
func (s Sent) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "Sent{refused %q, body %q}", string(s.Refused), s.Body)
}

// LogValue hides secrets.
func (s Sent) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// MarshalText hides secrets.
func (s Sent) MarshalText() ([]byte, error) { return []byte(fmt.Sprint(s)), nil }

// Format prints the name of the type, and no keys.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhooktest.Server") }
