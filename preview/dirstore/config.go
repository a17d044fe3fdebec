package dirstore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	// DefaultLinkLife is how long a link to the bytes of a document works.
	DefaultLinkLife = 30 * time.Minute
	// DefaultOwner is the user who counts as the creator and modifier of every
	// file.
	DefaultOwner = "owner"
	// StateFileName is the name of the state file in Root.
	StateFileName = ".weboffice-versions"
)

// Config says which folder a [Store] serves, where, and to whom.
type Config struct {
	// Required. The folder. It must exist, and be writable unless there is a
	// StateFile.
	Root string

	// Required. The address under which the service reaches the Store as an
	// http.Handler: absolute, http or https, without a query. What an address cannot
	// hold, such as a space, is escaped in links.
	PublicURL string

	// Required. Signs links. Links that another key signed do not work, so it must
	// outlast restarts, and be the same for all processes behind PublicURL.
	LinkKey signing.Secret

	// Required. What a user may do with an existing document; [Store.Path] finds
	// its path. [ReadOnly] lets everyone read.
	Allow func(ctx context.Context, r preview.Request) (preview.Permission, error)

	// How long a link works, rounded up to a second. If zero, DefaultLinkLife.
	LinkLife time.Duration

	// Id of the user who counts as the creator and modifier of every file
	// (protocol 2.4). If empty, DefaultOwner.
	Owner string

	// Where versions and digests are kept. If empty, StateFileName in Root. Within
	// Root its name must start with a dot, or it would be a document. An existing
	// file that holds something else is left alone, and New fails.
	StateFile string

	// The clock by which links expire. If nil, time.Now.
	Now func() time.Time
}

// Store is a preview.Store over a folder, and the http.Handler of its links.
type Store struct {
	cfg      Config
	root     *os.Root
	index    *index
	versions *versions
	turns    *turns
	clock    func() time.Time // of the file system, which Config.Now need not follow
}

// New opens the folder and reads the state file, which it creates where there is
// none. It reports every problem of cfg at once.
func New(cfg Config) (*Store, error) {
	s := &Store{cfg: cfg, turns: newTurns()}
	s.clock = time.Now
	if s.cfg.Now == nil {
		s.cfg.Now = time.Now
	}
	if s.cfg.LinkLife == 0 {
		s.cfg.LinkLife = DefaultLinkLife
	}
	if s.cfg.Owner == "" {
		s.cfg.Owner = DefaultOwner
	}
	errs := s.cfg.problems()
	if u, err := url.Parse(cfg.PublicURL); err == nil { // entered as it is read, perhaps
		s.cfg.PublicURL = u.Scheme + "://" + u.Host + u.EscapedPath()
	}
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
	problem := func(text string) { errs = append(errs, errors.New("dirstore: config: "+text)) }
	if cfg.Root == "" {
		problem("Root is required")
	}
	u, err := url.Parse(cfg.PublicURL)
	switch {
	case cfg.PublicURL == "":
		problem("PublicURL is required")
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		problem("PublicURL must be an absolute address, http or https")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil:
		problem("PublicURL must have no query, no fragment and no user")
	}
	if cfg.StateFile != "" && !hidden(filepath.Base(cfg.StateFile)) && within(cfg.Root, cfg.StateFile) {
		problem("StateFile is within Root: its name must start with a dot")
	}
	if cfg.LinkKey.IsZero() {
		problem("LinkKey is required")
	}
	if cfg.Allow == nil {
		problem("Allow is required; ReadOnly lets everyone read")
	}
	if cfg.LinkLife < 0 {
		problem("LinkLife must not be negative")
	}
	return errs
}

// within reports whether name is below folder.
func within(folder, name string) bool {
	folder, folderErr := filepath.Abs(folder)
	name, nameErr := filepath.Abs(name)
	rel, err := filepath.Rel(folder, name)
	return folderErr == nil && nameErr == nil && err == nil && filepath.IsLocal(rel)
}

// open opens the folder and the state.
func (s *Store) open() error {
	root, err := os.OpenRoot(s.cfg.Root)
	if err != nil {
		return fmt.Errorf("dirstore: config: Root: %w", err)
	}
	s.root = root
	s.index = newIndex(root)
	openState := func(flag int) (*os.File, error) { return root.OpenFile(StateFileName, flag, 0o600) }
	if name := s.cfg.StateFile; name != "" {
		openState = func(flag int) (*os.File, error) { return os.OpenFile(name, flag, 0o600) } //nolint:gosec // The name is the integrator's own.
	}
	s.versions = newVersions(openState)
	switch err := s.versions.load(); {
	case errors.Is(err, errForeign):
		return fmt.Errorf("dirstore: config: StateFile: %w", err)
	case err != nil:
		return fmt.Errorf("dirstore: config: the state file cannot be read and written; StateFile puts it elsewhere: %w", err)
	}
	return nil
}

// Close closes the folder. The Store cannot be used afterwards. A Store that is
// never closed keeps one file open.
func (s *Store) Close() error {
	if s.root == nil {
		return nil
	}
	return s.root.Close()
}

// ReadOnly lets everyone read, and no more. It is for Config.Allow.
func ReadOnly(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{Read: true}, nil
}
