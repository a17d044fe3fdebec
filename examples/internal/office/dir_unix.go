//go:build unix

package office

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// lockDir locks a folder until its file is closed or the process ends. It fails if
// another process holds it.
func lockDir(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// startJanitor starts a shell that removes the folder when this process ends, however
// it ends. Ctrl-C and hang-ups of the terminal do not reach it.
func startJanitor(path string) (*exec.Cmd, io.WriteCloser) {
	// The folder twice, since the processes that wrote into it end at the same time.
	const script = `cat; for s in "$0"/` + socketsDir + `/OSL_PIPE_*; do rm -f -- "/tmp/${s##*/}"; done
rm -rf -- "$0"; [ -e "$0" ] && sleep 1 && rm -rf -- "$0"; exit 0`
	cmd := exec.Command("/bin/sh", "-c", script, path) //nolint:noctx // It outlives everything.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = "/"
	leash, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return nil, nil // The next engine removes what stays.
	}
	return cmd, leash
}
