package convert

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

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
		case name == "":
			reason = "is empty"
		case !filepath.IsLocal(name) || filepath.Clean(name) == "." || os.IsPathSeparator(name[len(name)-1]):
			reason = "must be a file inside the folder"
		case s.refused(name) != "":
			reason = s.refused(name)
		case seen[folded(name)]:
			reason = "is the name of another file of this task"
		case s.claim != nil && !s.claim(folded(name)):
			reason = "is the name of a file of another document"
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
	const safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(safe, s[i]) < 0 || i == 0 && s[i] == '.' {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	if b.Len() > longestID {
		return fmt.Sprintf("%s-%x", b.String()[:longestID], sha256.Sum256([]byte(s)))[:longestID+17]
	}
	return b.String()
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
func (s *saving) write(name string, fill func(io.Writer) error) (err error) {
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
	defer func() {
		if err != nil {
			_ = s.root.Remove(temp)
		}
	}()
	err = fill(f)
	if err == nil && s.opts.Sync {
		err = local(f.Sync())
	}
	if closed := f.Close(); err == nil {
		err = local(closed)
	}
	if err == nil {
		err = local(s.root.Rename(temp, name))
	}
	return err
}

func local(err error) error {
	if err == nil {
		return nil
	}
	return &localError{err}
}
