//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dirstore

import (
	"os"
	"syscall"
)

var (
	othersHaveLock = []error{syscall.EWOULDBLOCK, syscall.EINTR}
	noRoom         = []error{syscall.ENOSPC, syscall.EDQUOT}
)

func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// syncOpenDir makes the names in a folder outlast a power failure, on file systems that
// can be asked to.
func syncOpenDir(dir *os.File) error {
	err := dir.Sync()
	if isOne(err, []error{syscall.EINVAL, syscall.ENOTSUP}) {
		return nil
	}
	return err
}
