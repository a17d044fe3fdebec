package dirstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// uploadGrace is how long an upload is kept after its link has expired.
const uploadGrace = time.Hour

// newToken names an upload.
func (s *Store) newToken() string {
	return strconv.FormatInt(unixAfter(s.cfg.Now().Add(s.cfg.LinkLife)), 10) + "-" + rand.Text()
}

// tokenExpires reads the time in a name that newToken made. The callback that completes a
// save may hold any other text, which need not be a name of a file.
func tokenExpires(token string) (at time.Time, ok bool) {
	seconds, random, _ := strings.Cut(token, "-")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0), err == nil && random != "" && len(token) <= 64 && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// sweep removes abandoned uploads, and finishes what a crash interrupted.
func (s *Store) sweep(ctx context.Context) error {
	entries, err := fs.ReadDir(s.root.FS(), uploads)
	if err != nil {
		return err
	}
	var unfinished []string // documents
	err = s.state.locked(ctx, func(*os.File) error {
		documents, moves := s.state.unfinished()
		unfinished = moves
		for _, e := range entries {
			name := e.Name()
			token, _, _ := strings.Cut(name, ".")
			if id, ok := documents[name]; ok {
				unfinished = append(unfinished, id)
			} else if at, ok := tokenExpires(token); !ok || s.cfg.Now().After(at.Add(uploadGrace)) {
				err = errors.Join(err, s.discard(name))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range unfinished {
		d, _, err := s.lookUp(ctx, id)
		if err == nil {
			_, err = s.finishSave(ctx, d)
		}
		// On a full disk it is finished when there is room.
		if err != nil && !errors.Is(err, preview.ErrNotFound) && !full(err) {
			return fmt.Errorf("finish what was begun: %w", err)
		}
	}
	return nil
}

// sweepHourly sweeps, unless it was done within the hour.
func (s *Store) sweepHourly(ctx context.Context) error {
	last, now := s.swept.Load(), s.clock().Unix()
	if now-last < 3600 && last <= now || !s.swept.CompareAndSwap(last, now) {
		return nil
	}
	return s.sweep(ctx)
}
