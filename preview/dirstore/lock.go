package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// lockFile waits until no other open file has the lock, which ends with f.
func lockFile(ctx context.Context, f *os.File) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		err := tryLock(f)
		if err == nil {
			return nil
		}
		if !isOne(err, othersHaveLock) {
			return fmt.Errorf("the file system cannot lock files, without which processes would disagree: %w", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// full reports whether err says that there is no room.
func full(err error) bool { return isOne(err, noRoom) }

func isOne(err error, of []error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}
