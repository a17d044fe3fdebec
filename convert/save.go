package convert

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// SaveOptions change what [Client.Save] does.
type SaveOptions struct {
	// Returns the name below the folder for file i of n, from 0. If nil, such as
	// "open%3Aabc.pdf" for one file and "open%3Aabc-001.txt" for several.
	Name func(i, n int, f File) string

	Progress func(*Status) // Called for every Status while waiting. May be nil.
	Sync     bool          // Flush each file to the disk before it appears.
}

// Save waits for t like [Client.Wait], and downloads its files into the folder dir,
// which must exist. It returns their paths in the order of Result.Files; after an
// error, of those that are complete.
//
// A file appears under its name only when complete, and replaces an older one. A
// download that breaks off is repeated, up to Config.Attempts; if a URL has expired,
// Save asks for a new one. A process that is killed may leave a file ".weboffice-…". A
// name that is empty, not unique in upper or lower case, or outside dir is a
// [*FieldError].
func (c *Client) Save(ctx context.Context, t Task, dir string, opts *SaveOptions) ([]string, error) {
	const op = "save"
	if dir == "" {
		return nil, wrap(op, ofTask(&FieldError{Field: "dir", Reason: `is empty; "." is the current folder`}))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wrap(op, err)
	}
	defer func() { _ = root.Close() }()
	if opts == nil {
		opts = &SaveOptions{}
	}
	s := &saving{c: c, task: t, root: root, opts: *opts}
	ctx, cancel := c.bound(ctx)
	defer cancel()
	names, err := s.run(ctx)
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names, wrap(op, ofTask(err))
}

// saving is one run of Save.
type saving struct {
	c      *Client
	task   Task
	root   *os.Root
	opts   SaveOptions
	claim  func(name string) bool // of a batch: false if another document has that name; may be nil
	last   *Status
	result *Result // nil until the task is done
}

// await waits for the task, and sets result.
func (s *saving) await(ctx context.Context) (failed error) {
	s.c.watch(ctx, s.task, func(status *Status, err error) bool {
		if status != nil {
			s.last = status
			if s.opts.Progress != nil {
				s.opts.Progress(status)
			}
		}
		failed = err
		return true
	})
	if failed == nil {
		s.result = s.last.Result
	}
	return failed
}

// run returns the names of the files that are complete.
func (s *saving) run(ctx context.Context) ([]string, error) {
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if err := s.file(ctx, i, name); err != nil {
			if ended := waitError(ctx, err); errors.Is(ended, ErrWaitLimit) {
				err = &TaskError{Task: s.task, Last: s.last, Err: ended}
			}
			return names[:i], err
		}
	}
	return names, nil
}

// file downloads file i, and asks for a new URL if the known one has expired.
func (s *saving) file(ctx context.Context, i int, name string) error {
	err := s.download(ctx, i, name)
	if !urlExpired(err) {
		return err
	}
	status, again := s.c.Status(ctx, s.task)
	if again != nil {
		return fmt.Errorf("%w; asked for a new address: %w", err, again)
	}
	if changed := s.changed(status); changed != nil {
		return fmt.Errorf("%w; asked for a new address: %w", err, &TaskError{Task: s.task, Last: status, Err: changed})
	}
	s.result = status.Result
	return s.download(ctx, i, name)
}

// changed says why status, asked for when the task was done, has no new URL.
func (s *saving) changed(status *Status) error {
	switch phase := s.c.cfg.Classify(status); {
	case phase == Failed:
		return ErrFailed
	case phase != Done:
		return errors.New("it is no longer done")
	case status.Result == nil:
		return ErrNoResult
	case len(status.Result.Files) != len(s.result.Files):
		return fmt.Errorf("it now has another number of files: %d, not %d", len(status.Result.Files), len(s.result.Files))
	default:
		return nil
	}
}

func urlExpired(err error) bool {
	var refused *APIError
	return errors.Is(err, ErrExpired) || errors.As(err, &refused) && refused.Op == "download" && refusesURL(refused.StatusCode)
}

// download makes Config.Attempts attempts, each with a new file.
func (s *saving) download(ctx context.Context, i int, name string) error {
	return httpx.Repeat(ctx, s.c.cfg.Attempts, s.c.cfg.Backoff.pace(), againDownload, func(n int) error {
		return s.write(name, func(w io.Writer) error { return s.c.download(ctx, s.result.Files[i], w, n) })
	})
}

// names chooses and checks the names of all files before the first download.
func (s *saving) names() ([]string, error) {
	var found problems
	files := s.result.Files
	names := make([]string, len(files))
	seen := make(map[string]bool, len(files))
	for i, f := range files {
		name := s.name(i, len(files), f)
		reason := ""
		switch {
		case !filepath.IsLocal(name) || filepath.Clean(name) == "." || os.IsPathSeparator(name[len(name)-1]):
			reason = "must be a file inside the folder"
		case seen[folded(name)]:
			reason = "is the name of another file of this task"
		case s.claim != nil && !s.claim(folded(name)):
			reason = "is the name of a file of another document"
		default:
			reason = s.refused(name)
		}
		if reason != "" {
			found.add("Name", fmt.Sprintf("of file %d, %q, %s", i, clean(name, nil), reason))
			continue
		}
		names[i] = filepath.Clean(name)
		seen[folded(name)] = true
	}
	return names, found.join("save")
}

// folded is the same for all names that are one file on some file system.
func folded(name string) string { return strings.ToLower(filepath.Clean(name)) }

func (s *saving) name(i, n int, f File) string {
	if s.opts.Name != nil {
		return s.opts.Name(i, n, f)
	}
	name := safeName(s.task.ID)
	if n > 1 {
		name += fmt.Sprintf("-%03d", i+1)
	}
	if s.task.Target != "" {
		name += "." + safeName(string(s.task.Target))
	}
	return name
}

// refused says why there can be no file of that name, as far as it shows before.
func (s *saving) refused(name string) string {
	info, err := s.root.Lstat(name)
	var refused *fs.PathError
	switch {
	case err == nil && info.IsDir():
		return "is a folder"
	case errors.As(err, &refused) && !errors.Is(err, fs.ErrNotExist):
		return "is not possible: " + refused.Err.Error() // err has the name, which may give access
	default:
		return ""
	}
}

// longestID leaves room for a number and a target in the 255 bytes of a name.
const longestID = 200

// safeName writes %XX for every byte that has a meaning in some file system, or could
// lead out of a folder. A long text is cut and ends with its hash.
func safeName(s string) string {
	name := strings.NewReplacer("+", "%20", "~", "%7E").Replace(url.QueryEscape(s))
	if strings.HasPrefix(name, ".") {
		name = "%2E" + name[1:]
	}
	if len(name) > longestID {
		return fmt.Sprintf("%s-%x", name[:longestID], sha256.Sum256([]byte(s)))[:longestID+17]
	}
	return name
}

// againDownload reports whether another attempt may help.
func againDownload(err error) (asked time.Duration, ok bool) {
	var local *localError
	var field *FieldError
	var refused *APIError
	switch {
	case errors.As(err, &local), errors.As(err, &field), errors.Is(err, ErrExpired):
		return 0, false
	case errors.As(err, &refused):
		return refused.RetryAfter, refused.StatusCode >= 500 || refused.StatusCode == http.StatusTooManyRequests
	default:
		return 0, true
	}
}

// write calls fill for a temporary file, and renames it to name when it is complete.
func (s *saving) write(name string, fill func(io.Writer) error) error {
	parent := filepath.Dir(name) // may be another file system than dir, to which no rename leads
	if parent != "." {
		if err := s.root.MkdirAll(parent, 0o777); err != nil {
			return &localError{err}
		}
	}
	temp := filepath.Join(parent, ".weboffice-"+strconv.FormatUint(rand.Uint64(), 36)+".part") //nolint:gosec // O_EXCL below finds a clash.
	// As os.Create does, this leaves the permissions to the umask.
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return &localError{err}
	}
	defer func() { _ = s.root.Remove(temp) }() // after the rename there is none
	err = fill(f)
	if err == nil && s.opts.Sync {
		err = local(f.Sync())
	}
	if err := cmp.Or(err, local(f.Close())); err != nil {
		return err
	}
	return local(s.root.Rename(temp, name))
}

func local(err error) error {
	if err == nil {
		return nil
	}
	return &localError{err}
}
