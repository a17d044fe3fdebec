//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile waits until no other open file has the lock, which ends with f.
func lockFile(ctx context.Context, f *os.File) error {
	return waitForLock(ctx, func() (bool, error) {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
			return false, nil
		default:
			return false, fmt.Errorf("the file system cannot lock files, without which processes would disagree: %w", err)
		}
	})
}

// full reports whether err says that there is no room.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// syncOpenDir makes the names in a folder outlast a power failure, on file systems that
// can be asked to.
func syncOpenDir(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
