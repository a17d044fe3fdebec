// Package desk plays the whole service at one address: the paths that integrators call,
// and below Prefix an API that shows and changes everything. It composes the fakes of the
// SDK with the local conversion engine.
package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/filehost"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
)

// callTimeout is how long the service waits for a callback.
const callTimeout = time.Minute

// Config says what a Desk plays.
type Config struct {
	// Required. The address at which Handler is reached, such as http://127.0.0.1:7070.
	URL string

	// Required. Converts documents. It is not closed.
	Engine *office.Engine

	// Applied at the start and after each reset. If nil, DefaultSeed.
	Seed *Seed

	// How Authorization begins, in both directions, such as WPS-2. If empty, SVC-2.
	Scheme string

	// Host names that a request may have in its Host header, besides those of URL and of
	// this machine.
	Hosts []string

	// What is served at / and below it. If nil, a line of text.
	Page http.Handler

	// Keeps the state over a restart, and is closed with the Desk. If nil, the state is
	// only in memory.
	Store *Store

	// How long the body of a request may take to arrive. If zero, a minute.
	BodyWait time.Duration

	// The version that the overview shows.
	Version string

	// Gets what the fakes log. If nil, nothing is logged.
	Logger *slog.Logger

	// The real clock. If nil, time.Now.
	Now func() time.Time
}

// Desk plays the service. [New] makes one; it is safe for concurrent use.
type Desk struct {
	cfg       Config
	self      string // Marks requests of the emulator to itself.
	started   time.Time
	dir       string
	clock     *clock
	faults    *faults
	journal   *journal
	exchanges *ring[Exchange]
	transport http.RoundTripper
	local     *http.Client // Calls the emulator itself.

	documents   *documents
	pictures    *pictures
	conversions *conversions
	chat        *chat
	viewer      *viewer
	plugin      *plugin
	sample      *sample

	encoded encoded
	streams chan struct{}
	closing chan struct{}
	cancel  context.CancelFunc
	work    sync.WaitGroup
	once    sync.Once
	closed  error

	tasks    atomic.Int64
	mu       sync.Mutex
	apps     []App
	expected map[string]chan Exchange
}

// App is an app whose signatures are accepted.
type App struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

// New starts to play. Close ends it.
func New(cfg Config) (*Desk, error) {
	if cfg.URL == "" || cfg.Engine == nil {
		return nil, errors.New("desk: Config: URL and Engine are required")
	}
	cfg.URL = strings.TrimSuffix(cfg.URL, "/")
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.BodyWait = cmp.Or(cfg.BodyWait, bodyWait)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Scheme = cmp.Or(cfg.Scheme, signing.SchemeSVC2)
	if _, err := signing.NewSigner(signing.AppWithScheme(cfg.Scheme, DefaultAppID, signing.NewSecret(DefaultAppKey))); err != nil {
		return nil, err
	}
	if cfg.Seed == nil {
		cfg.Seed = DefaultSeed()
	}
	dir, err := os.MkdirTemp("", "weboffice-emulator-")
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport
	if t, ok := transport.(*http.Transport); ok {
		transport = t.Clone()
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &Desk{
		cfg: cfg, self: rand.Text(), started: cfg.Now().UTC(), dir: dir, cancel: cancel,
		clock: &clock{real: cfg.Now}, faults: &faults{}, exchanges: newRing[Exchange]("x", maxExchanges),
		transport: transport, local: &http.Client{Transport: transport, Timeout: callTimeout},
		streams: make(chan struct{}, maxStreams), closing: make(chan struct{}), expected: map[string]chan Exchange{},
	}
	d.exchanges.bytes, d.exchanges.size = maxExchangeBytes, Exchange.size
	d.journal = newJournal(d.clock.now)
	d.documents = newDocuments(dir, cfg.URL, d.clock.now)
	d.pictures = newPictures(ctx, cfg.Engine, dir, &d.work)
	d.conversions, d.chat, d.viewer, d.plugin = newConversions(d), newChat(d), newViewer(d), newPlugin(d)
	d.sample = &sample{desk: d}
	d.conversions.start()
	if err := errors.Join(d.sample.start(), d.begin()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// begin restores what a Store has, or applies the seeds.
func (d *Desk) begin() error {
	if d.cfg.Store != nil {
		if restored, err := d.cfg.Store.restore(d); err != nil || restored {
			return err
		}
	}
	return d.seed(d.cfg.Seed)
}

// Close ends all work and all streams, and removes what was kept for them.
func (d *Desk) Close() error {
	d.once.Do(func() {
		close(d.closing)
		d.cancel()
		d.conversions.close()
		d.work.Wait()
		d.closed = errors.Join(d.sample.close(), os.RemoveAll(d.dir))
		if d.cfg.Store != nil {
			d.closed = errors.Join(d.closed, d.cfg.Store.close(d.settings()))
		}
	})
	return d.closed
}

// Handler serves everything.
func (d *Desk) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(Prefix+"/", d.api())
	serve := func(path string, h http.Handler) { mux.Handle(path, d.record(d.faults.spoilt(h))) }
	serve(converttest.PathPrefix, d.conversions.refusals(d.conversions))
	serve(filehost.Prefix, d.documents)
	serve(webhook.SendPath, d.chat)
	serve(tokentest.EndpointPath, d.plugin)
	mux.Handle(SamplePrefix+"/", d.sample)
	page := d.cfg.Page
	if page == nil {
		page = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte("The emulator is running. Its API is described at " + Prefix + "/openapi.yaml\n"))
		})
	}
	mux.Handle("/", page)
	return d.guard(mux)
}

// reset forgets everything and applies the seeds again.
func (d *Desk) reset() error {
	d.faults.heal(areas()...)
	d.clock.reset()
	d.mu.Lock()
	d.apps = nil
	d.mu.Unlock()
	d.chat.start()
	d.plugin.start()
	d.conversions.start()
	d.exchanges.clear()
	d.chat.messages.clear()
	d.conversions.list.clear()
	d.viewer.sessions.clear()
	d.plugin.calls.clear()
	d.documents.clear()
	d.journal.items.clear()
	d.journal.add(Event{Kind: kindReset, Text: "everything was forgotten"})
	return errors.Join(d.sample.start(), d.seed(d.cfg.Seed))
}

func (d *Desk) handleReset(*http.Request) (any, error) { return nil, d.reset() }

// taskID gives each task an id of its own, also after a reset.
func (d *Desk) taskID(int) string {
	number := strconv.FormatInt(d.tasks.Add(1), 10)
	return "open:task-" + strings.Repeat("0", max(0, 6-len(number))) + number
}
