//go:build !unix

package office

import (
	"io"
	"os"
	"os/exec"
)

// lockDir locks nothing here, so that nothing is swept either.
func lockDir(string) (*os.File, error) { return nil, nil } //nolint:nilnil // No lock is not a failure.

func startJanitor(string) (*exec.Cmd, io.WriteCloser) { return nil, nil }
