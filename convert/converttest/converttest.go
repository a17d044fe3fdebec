package converttest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// PathPrefix is the path below which a [Server] answers. It may follow a prefix, stripped
// or not.
const PathPrefix = "/api/developer/v1/"

// baseURL is that of Config. No name under .test is ever resolved.
const baseURL = "http://convert.test"

// Options change a [Server]. The zero value is ready.
type Options struct {
	// Whose signatures are accepted. If nil, signingtest.Credentials(), unless there is a
	// Lookup.
	Credentials []signing.Credentials

	// As that of a signing.VerifierConfig.
	Lookup func(ctx context.Context, c signing.Caller) ([]signing.Credentials, error)

	// What tasks do. If nil, Script{Success([]byte("converted"))}.
	Converter Converter

	// Calls of one app in any second. If zero, there is no limit.
	CallsPerSecond int

	// How long the URL of a result works. If zero, convert.URLLifetime.
	URLLifetime time.Duration

	// URL of the results. If empty, that of the task query.
	PublicURL string

	// Id of the n-th task, from 1. If nil, "open:task-" and n in six digits.
	TaskID func(n int) string

	// Fetches documents for Submission.Open. If nil, it fails.
	Sources *http.Client

	// Answers a call over CallsPerSecond. If nil, status 200 with code 30002.
	RateLimit func(http.ResponseWriter)

	// The clock. If nil, time.Now.
	Now func() time.Time

	// The clock for Date. If nil, Now.
	DateNow func() time.Time

	// Gets a line per refusal. If nil, none.
	Logger *slog.Logger
}

// Server plays the conversion API (protocol 4.1).
type Server struct {
	opts     Options
	verifier *signing.Verifier
	broken   error // what is wrong with Options.Credentials

	requests atomic.Int64 // counted for X-Request-Id
	accepted atomic.Int64 // counted for task ids

	mu          sync.Mutex
	closed      bool
	tasks       map[string]*task
	submissions []Submission
	calls       map[string][]time.Time // per app, within the last second
	faults      []*pendingFault
	jobs        sync.WaitGroup
}

// NewServer copies opts; nil is the zero Options. If the Credentials are invalid, each
// answer says so.
func NewServer(opts *Options) *Server {
	s := &Server{tasks: map[string]*task{}, calls: map[string][]time.Time{}}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.Credentials = slices.Clone(s.opts.Credentials)
	if s.opts.Credentials == nil && s.opts.Lookup == nil {
		s.opts.Credentials = []signing.Credentials{signingtest.Credentials()}
	}
	s.opts.Converter = cmp.Or[Converter](s.opts.Converter, Script{Success([]byte("converted"))})
	s.opts.URLLifetime = cmp.Or(s.opts.URLLifetime, convert.URLLifetime)
	s.opts.PublicURL = strings.TrimSuffix(s.opts.PublicURL, "/")
	if s.opts.TaskID == nil {
		s.opts.TaskID = func(n int) string { return fmt.Sprintf("open:task-%06d", n) }
	}
	if s.opts.RateLimit == nil {
		s.opts.RateLimit = func(w http.ResponseWriter) { refuse(w, http.StatusOK, convert.CodeRateLimiter, "") }
	}
	s.opts.Logger = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	if s.opts.DateNow == nil {
		s.opts.DateNow = s.opts.Now
	}
	s.verifier, s.broken = signing.NewVerifier(signing.VerifierConfig{
		Credentials: s.opts.Credentials, Lookup: s.opts.Lookup, Now: s.opts.DateNow,
	})
	return s
}

// Config returns a convert.Config whose calls s answers in memory, with the first of its
// Credentials and its clock. Waits are as long as in production: use testing/synctest, or
// a shorter Backoff.
func (s *Server) Config() convert.Config {
	cfg := convert.Config{BaseURL: baseURL, AllowInsecureHTTP: true, HTTPClient: HTTPClient(s), Now: s.opts.Now} // in memory
	if len(s.opts.Credentials) > 0 {
		cfg.Credentials = s.opts.Credentials[0]
	}
	return cfg
}

// HTTPClient returns a client whose requests h answers in memory, such as a middleware
// in front of a [Server].
func HTTPClient(h http.Handler) *http.Client { return memhttp.Client(h) }

// Submissions returns what was accepted, in the order of arrival.
func (s *Server) Submissions() []Submission {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.submissions)
}

// Adopt adds a task that another Server accepted, such as one before a restart, or
// replaces that of the same id. Of sub it needs the Task and the AppID; job says what
// queries answer.
func (s *Server) Adopt(sub Submission, job Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub.sources, sub.read = s.opts.Sources, new(atomic.Int64)
	s.tasks[sub.Task.ID] = &task{sub: sub, submitted: s.opts.Now(), cancel: func() {}, job: job, turn: make(chan struct{}, 1)}
	s.submissions = append(s.submissions, sub)
}

// Forget removes a task, its submission and its results, and ends the context of its job:
// for a Server that runs for long.
func (s *Server) Forget(taskID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[taskID]; t != nil && t.job != nil {
		t.cancel()
		delete(s.tasks, taskID)
		s.submissions = slices.DeleteFunc(s.submissions, func(sub Submission) bool { return sub.Task.ID == taskID })
	}
}

// Close ends the contexts of running jobs and waits for the work of [Async]. The server
// still answers queries, and refuses submits.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for _, t := range s.tasks {
		t.cancel()
	}
	s.mu.Unlock()
	s.jobs.Wait()
}

// Format prints the name of the type.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "converttest.Server") }

// accept makes the task of sub and starts its job.
func (s *Server) accept(ctx context.Context, sub Submission) (convert.Task, error) {
	sub.Task.ID = s.opts.TaskID(int(s.accepted.Add(1)))
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return convert.Task{}, &convert.APIError{StatusCode: http.StatusServiceUnavailable, Code: convert.CodeInternalError, Message: "the server is closed"}
	}
	sub.sources, sub.read = s.opts.Sources, new(atomic.Int64)
	t := &task{sub: sub, submitted: s.opts.Now(), turn: make(chan struct{}, 1)}
	s.tasks[sub.Task.ID] = t
	// The task goes on after the end of the request.
	ctx, t.cancel = context.WithCancel(context.WithValue(context.WithoutCancel(ctx), runnerKey{}, runner(s.jobs.Go)))
	s.jobs.Add(1) // for Start itself, so that Close finds what it begins
	s.mu.Unlock()
	defer s.jobs.Done()

	job, err := start(ctx, s.opts.Converter, sub)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		t.cancel()
		delete(s.tasks, sub.Task.ID)
		return convert.Task{}, err
	}
	t.job = job
	s.submissions = append(s.submissions, sub)
	return sub.Task, nil
}
