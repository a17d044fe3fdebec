package dirstore

import (
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

var (
	othersHaveLock = []error{errorLockViolation, syscall.ERROR_IO_PENDING}
	noRoom         = []error{errorDiskFull, errorHandleDiskFull}

	lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
)

// tryLock locks a byte far after the end, since Windows keeps others from reading what
// is locked.
func tryLock(f *os.File) error {
	at := syscall.Overlapped{OffsetHigh: 1 << 30}
	ok, _, err := lockFileEx.Call(f.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at))) //nolint:gosec // As the call wants it.
	if ok != 0 {
		return nil
	}
	return err
}

// syncOpenDir does nothing: NTFS keeps names in its journal, and a folder cannot be
// synced.
func syncOpenDir(*os.File) error { return nil }
