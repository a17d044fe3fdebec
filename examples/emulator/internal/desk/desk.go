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
	"slices"
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

	// Host names that a request may have in its Host header, besides those of URL and of
	// this machine.
	Hosts []string

	// What is served at / and below it. If nil, a line of text.
	Page http.Handler

	// Keeps the state over a restart. If nil, it is only in memory.
	Store *Store

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
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
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
	})
	return errors.Join(d.sample.close(), os.RemoveAll(d.dir))
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

// app is the app with that id; the first one if it is empty.
func (d *Desk) app(id string) (App, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, app := range d.apps {
		if id == "" || app.ID == id {
			return app, nil
		}
	}
	return App{}, problem{"app_id", "there is no such app"}
}

func (d *Desk) firstApp() App {
	app, _ := d.app("")
	return app
}

func (d *Desk) allApps() []App {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]App{}, d.apps...)
}

// credentials are those of all apps.
func (d *Desk) credentials() []signing.Credentials {
	all := []signing.Credentials{}
	for _, app := range d.allApps() {
		all = append(all, signing.App(app.ID, signing.NewSecret(app.Key)))
	}
	return all
}

// identities are all whose secrets are known.
func (d *Desk) identities() []identity {
	var all []identity
	for _, app := range d.allApps() {
		all = append(all, identity{id: app.ID, name: "app " + app.ID, secret: app.Key})
	}
	for _, robot := range d.chat.all() {
		if robot.SigningSecret != "" {
			all = append(all, identity{robot: true, id: robot.Key, name: "robot " + robot.Name, secret: robot.SigningSecret})
		}
	}
	return all
}

// hider hides all secrets that the desk knows, and further ones.
func (d *Desk) hider(further ...string) hider {
	known := slices.Clone(further)
	for _, app := range d.allApps() {
		known = append(known, app.Key)
	}
	for _, robot := range d.chat.all() {
		known = append(known, robot.Key, robot.SigningSecret)
	}
	for _, client := range d.plugin.allClients() {
		known = append(known, client.Secret)
	}
	return newHider(known)
}

// await marks a request of the emulator to itself, and waits for its exchange.
func (d *Desk) await(req *http.Request, of func(Exchange) string) func() string {
	const patience = 5 * time.Second
	id := rand.Text()
	done := make(chan Exchange, 1)
	d.mu.Lock()
	d.expected[id] = done
	d.mu.Unlock()
	req.Header.Set(byHeader, d.self+" "+id)
	return func() string {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.expected, id)
		}()
		select {
		case x := <-done:
			return of(x)
		case <-timer.C:
			return ""
		}
	}
}

// own reports whether the emulator sent r itself, and takes the mark off. tell hands the
// exchange to who waits for it.
func (d *Desk) own(r *http.Request) (is bool, tell func(Exchange)) {
	mark := r.Header.Get(byHeader)
	r.Header.Del(byHeader)
	id, is := strings.CutPrefix(mark, d.self+" ")
	return is, func(x Exchange) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if done := d.expected[id]; is && done != nil {
			done <- x
			delete(d.expected, id)
		}
	}
}

// version is what the overview says.
func (d *Desk) version() string { return cmp.Or(d.cfg.Version, "development") }
