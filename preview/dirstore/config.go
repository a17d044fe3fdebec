package dirstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	// DefaultLinkLife is that of Config.LinkLife.
	DefaultLinkLife = 30 * time.Minute
	// DefaultOwner is that of Config.Owner.
	DefaultOwner = "owner"
	// DefaultKeepVersions is that of Config.KeepVersions.
	DefaultKeepVersions = 100
	// DefaultMaxUpload is that of Config.MaxUpload.
	DefaultMaxUpload = 1 << 30
	// StateFileName is the name of the state file in Root.
	StateFileName = ".weboffice-versions"
	// HistoryFolderName is the name of the folder of versions in Root.
	HistoryFolderName = ".weboffice-history"
)

// minLinkKey is the length of the shortest LinkKey, in bytes.
const minLinkKey = 16

// Config says which folder a [Store] serves, where, and to whom.
type Config struct {
	// Required. The folder. It must be writable unless there is a StateFile.
	Root string

	// Required. The http or https URL under which the service reaches the Store,
	// without a query. With http, anyone who can read the traffic can use links.
	PublicURL string

	// Required. Signs links, at least 16 bytes. It must outlast restarts, and be the
	// same for all processes behind PublicURL.
	LinkKey signing.Secret

	// Required. What a user may do with an existing document; [Store.Path] finds
	// its path.
	Allow func(ctx context.Context, r preview.Request) (preview.Permission, error)

	// How long a link works, rounded up to a second. If zero, DefaultLinkLife.
	LinkLife time.Duration

	// Id of the creator of every file, and of the modifier if no user saved it. If
	// empty, DefaultOwner.
	Owner string

	// The state file: versions and digests. If empty, StateFileName in Root. Within
	// Root its name must start with a dot. New fails if it holds something else.
	StateFile string

	// Switches on saving, renaming and history. Root must be writable.
	Editing bool

	// How many versions of a document are kept, the newest included. If zero,
	// DefaultKeepVersions; if negative, all.
	KeepVersions int

	// How long a version is kept after the next one replaced it. If zero, no limit.
	KeepFor time.Duration

	// Largest save, in bytes. If zero, DefaultMaxUpload.
	MaxUpload int64

	// The users whom [Store.Users] finds. Owner is found in any case.
	Users []preview.User

	// The clock by which links expire and saves are dated. If nil, time.Now.
	Now func() time.Time
}

// Store is a preview.Store over a folder, and the http.Handler of its links.
type Store struct {
	cfg   Config
	root  *disk
	index *index
	state *state
	clock func() time.Time // of the file system, which Config.Now need not follow

	jobs  *jobs
	swept *atomic.Int64 // the second in which sweep last ran
}

// New opens the folder and reads or creates the state file. With Editing it also removes
// abandoned uploads, and finishes what a crash interrupted. It reports every problem of
// cfg at once.
func New(cfg Config) (*Store, error) {
	errs := cfg.problems()
	if u, err := url.Parse(cfg.PublicURL); err == nil { // which may hold spaces
		cfg.PublicURL = u.Scheme + "://" + u.Host + u.EscapedPath()
	}
	cfg.LinkLife = cmp.Or(cfg.LinkLife, DefaultLinkLife)
	cfg.Owner = cmp.Or(cfg.Owner, DefaultOwner)
	cfg.Users = append(slices.Clone(cfg.Users), preview.User{ID: cfg.Owner, Name: cfg.Owner})
	cfg.KeepVersions = cmp.Or(cfg.KeepVersions, DefaultKeepVersions)
	cfg.MaxUpload = cmp.Or(cfg.MaxUpload, DefaultMaxUpload)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Store{cfg: cfg, jobs: newJobs(), swept: new(atomic.Int64)}
	s.clock = time.Now
	if cfg.Root != "" {
		if err := s.open(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (cfg *Config) problems() []error {
	var errs []error
	add := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("dirstore: config: "+text))
		}
	}
	add(cfg.Root == "", "Root is required")
	u, err := url.Parse(cfg.PublicURL)
	switch {
	case cfg.PublicURL == "":
		add(true, "PublicURL is required")
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		add(true, "PublicURL must be an absolute address, http or https")
	default:
		add(u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil, "PublicURL must have no query, no fragment and no user")
	}
	add(cfg.StateFile != "" && !hidden(filepath.Base(cfg.StateFile)) && within(cfg.Root, cfg.StateFile), "StateFile is within Root: its name must start with a dot")
	key := len(cfg.LinkKey.Reveal())
	add(key == 0, "LinkKey is required")
	add(key > 0 && key < minLinkKey, "LinkKey must have at least 16 bytes, or it could be guessed")
	add(cfg.Allow == nil, "Allow is required; ReadOnly lets everyone read")
	add(cfg.LinkLife < 0 || cfg.KeepFor < 0 || cfg.MaxUpload < 0, "LinkLife, KeepFor and MaxUpload must not be negative")
	return errs
}

// within reports whether name is below folder, by whatever path.
func within(folder, name string) bool {
	root, rootErr := os.Stat(folder)
	dir, err := filepath.Abs(filepath.Dir(name))
	if rootErr != nil || err != nil {
		return false
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	for below := ""; dir != below; below, dir = dir, filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(root, info) {
			return true
		}
	}
	return false
}

// open opens the folder and the state.
func (s *Store) open() error {
	root, err := openDisk(s.cfg.Root)
	if err != nil {
		return fmt.Errorf("dirstore: config: Root: %w", err)
	}
	s.root = root
	stateDisk, stateName := root, StateFileName
	if name := s.cfg.StateFile; name != "" {
		if resolved, err := filepath.EvalSymlinks(name); err == nil {
			name = resolved
		}
		if stateDisk, err = openDisk(filepath.Dir(name)); err != nil {
			return fmt.Errorf("dirstore: config: StateFile: %w", err)
		}
		stateName = filepath.Base(name)
	}
	keep := max(s.cfg.KeepVersions, remembered)
	if s.cfg.KeepVersions < 0 {
		keep = math.MaxInt
	}
	s.state = newState(stateDisk, stateName, keep)
	s.index = newIndex(root.Root, s.state, s.clock)
	switch err := s.state.load(); {
	case errors.Is(err, errForeign):
		return fmt.Errorf("dirstore: config: StateFile: %w", err)
	case err != nil:
		return fmt.Errorf("dirstore: config: the state file cannot be read and written; StateFile puts it elsewhere: %w", err)
	}
	if s.cfg.Editing {
		if err := s.openHistory(); err != nil {
			return fmt.Errorf("dirstore: config: Editing needs a Root that can be written to: %w", err)
		}
	}
	return nil
}

// Close waits for the files that are being read, and closes the folder.
func (s *Store) Close() error {
	s.jobs.close()
	var errs []error
	if s.root != nil {
		errs = append(errs, s.root.Close())
	}
	if s.state != nil && s.state.disk != s.root {
		errs = append(errs, s.state.disk.Close())
	}
	return errors.Join(errs...)
}

// ReadOnly lets everyone read, and no more. It is for Config.Allow.
func ReadOnly(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{Read: true}, nil
}
