//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package dirstore

import (
	"context"
	"os"
)

// lockFile does nothing: on this system one process may serve a folder.
func lockFile(context.Context, *os.File) error { return nil }

func full(error) bool { return false }

func syncOpenDir(dir *os.File) error { return dir.Sync() }
