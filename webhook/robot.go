package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// Limits of the service (protocol 8).
const (
	// MessagesPerMinute is how many messages a robot takes in any 60 seconds.
	MessagesPerMinute = 20
	// MaxMessageLength is how long a message may be, in characters; see [Length].
	MaxMessageLength = 5000
	// MaxKeywords is how many keywords a robot can have.
	MaxKeywords = 10
	// MaxAllowListEntries is how many entries a robot's list of allowed addresses can have.
	MaxAllowListEntries = 10
	// MaxButtonTitleLength is how long the title of a link's button may be, in characters.
	MaxButtonTitleLength = 12
)

// SendPath is the path of a webhook address, without a prefix that it may have
// (protocol 4.4).
const SendPath = "/api/v1/webhook/send"

const (
	defaultAttempts = 3
	maxAnswer       = 1 << 20 // bytes of an answer
	userAgent       = "weboffice-go"
)

// pace is how long to wait after a refusal for rate, where the answer does not say
// so: somebody else uses the robot too, whose minute has to pass.
var pace = httpx.Backoff{Min: time.Minute / MessagesPerMinute, Max: time.Minute}

// Config says which robot a [Robot] posts through, and what its creator set up
// for it.
type Config struct {
	// Required. The whole webhook address, copied from the chat client: "?key="
	// and the robot key belong to it. A path prefix is kept; other parameters are
	// dropped.
	URL signing.Secret

	// The secret that the chat client shows, if the robot checks signatures
	// (protocol 5.2). If zero, messages go out unsigned.
	SigningSecret signing.Secret

	// The robot's keywords, if it demands any; at most MaxKeywords. A message
	// without one of them would not be processed (protocol 7.3), and is refused
	// here.
	Keywords []string

	// Asked before every attempt. If nil, a [Window] of MessagesPerMinute that only
	// this Robot uses. Robots of one address have to share one.
	Limiter Limiter

	// How long a message may be, in characters; see [Length]. If zero,
	// MaxMessageLength.
	MaxLength int

	// Makes the calls. It is copied, not changed, and the copy follows no
	// redirects. If nil, a client of its own with a timeout of 30 seconds.
	HTTPClient *http.Client

	// Tries of one message that the service refuses for rate. After anything else
	// there is no second try. If zero, 3.
	Attempts int

	// Is this answer a refusal for rate? If nil, [DefaultRateLimited]. It must be
	// safe for concurrent use.
	RateLimited func(*APIError) bool

	// Told of refusals for rate that are tried again, and at debug level of messages
	// accepted; never of their text. If nil, nothing is logged.
	Logger *slog.Logger

	// The clock for Date. If nil, time.Now.
	Now func() time.Time
}

// Robot posts messages into one group chat, from any number of goroutines.
//
// Make one per webhook address and keep it: two Robots of one address exceed the
// service's limit together, unless they have the same Config.Limiter.
type Robot struct {
	cfg     Config
	address signing.Secret
	hide    func(string) string // hides what is secret in a text

	// The method of the client, and not the client: fmt prints no func, but may
	// print what a pointer leads to, and the client knows the secrets.
	do func(context.Context, httpx.Request) (*httpx.Response, error)
}

// NewRobot copies cfg, fills in its defaults and reports every problem at once, as
// joined [*FieldError]s. None of them holds a secret.
func NewRobot(cfg Config) (*Robot, error) {
	address, key, problems := cfg.complete()
	if err := joinFields(problems); err != nil {
		return nil, err
	}
	secrets := []string{key.Reveal(), cfg.SigningSecret.Reveal()}
	client := httpx.Config{HTTPClient: cfg.HTTPClient, MaxBody: maxAnswer, UserAgent: userAgent, Secrets: secrets}
	if !cfg.SigningSecret.IsZero() {
		signer, err := signing.NewSigner(signing.Robot(key, cfg.SigningSecret))
		if err != nil {
			return nil, &FieldError{Field: "SigningSecret", Reason: err.Error()}
		}
		client.Sign = func(h http.Header, body []byte) { signer.Sign(h, body, cfg.Now()) }
	}
	return &Robot{
		cfg:     cfg,
		address: signing.NewSecret(address),
		do:      httpx.New(client).Do,
		hide:    func(s string) string { return redact.Text(s, secrets...) },
	}, nil
}

// complete copies what cfg points to, fills in the defaults and checks the rest.
func (cfg *Config) complete() (address string, key signing.Secret, problems []*FieldError) {
	var c checker
	if cfg.URL.IsZero() {
		c.add("URL", "is required: the webhook address as the chat client shows it")
	} else {
		var err error
		if address, key, err = parseAddress(cfg.URL.Reveal()); err != nil {
			c.add("URL", err.Error())
		}
	}
	cfg.Keywords = slices.Clone(cfg.Keywords)
	if len(cfg.Keywords) > MaxKeywords {
		c.add("Keywords", fmt.Sprintf("there are %d, and a robot has at most %d (protocol 8)", len(cfg.Keywords), MaxKeywords))
	}
	for i, k := range cfg.Keywords {
		if strings.TrimSpace(k) == "" {
			c.add(fmt.Sprintf("Keywords[%d]", i), "is blank")
		}
	}
	if cfg.MaxLength < 0 {
		c.add("MaxLength", "must not be negative")
	}
	if cfg.Attempts < 0 {
		c.add("Attempts", "must not be negative")
	}
	if isNil(cfg.Limiter) {
		c.add("Limiter", "is a nil LimiterFunc or *Window; leave it out for the default")
	}
	cfg.fill()
	return address, key, c.problems
}

func (cfg *Config) fill() {
	if cfg.Limiter == nil {
		cfg.Limiter = NewWindow(MessagesPerMinute, time.Minute)
	}
	if cfg.MaxLength == 0 {
		cfg.MaxLength = MaxMessageLength
	}
	if cfg.Attempts == 0 {
		cfg.Attempts = defaultAttempts
	}
	if cfg.RateLimited == nil {
		cfg.RateLimited = DefaultRateLimited
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Now = clock(cfg.Now)
}
