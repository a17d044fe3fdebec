package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

const (
	lockFailImmediately = 1
	lockExclusive       = 2

	errorLockViolation  = syscall.Errno(33)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// lockFile waits until no other open file has the lock, which ends with f. What is
// locked is a byte far behind the end, since Windows keeps others from reading it.
func lockFile(ctx context.Context, f *os.File) error {
	return waitForLock(ctx, func() (bool, error) {
		at := syscall.Overlapped{OffsetHigh: 1 << 30}
		ok, _, err := lockFileEx.Call(f.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at))) //nolint:gosec // As the call wants it.
		switch {
		case ok != 0:
			return true, nil
		case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
			return false, nil
		default:
			return false, fmt.Errorf("the file system cannot lock files, without which processes would disagree: %w", err)
		}
	})
}

// full reports whether err says that there is no room.
func full(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}

// syncOpenDir does nothing: NTFS keeps names in its journal, and a folder cannot be
// synced.
func syncOpenDir(*os.File) error { return nil }
