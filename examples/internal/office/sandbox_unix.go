//go:build unix && !linux

package office

import (
	"os/exec"
	"syscall"
)

var isolated = func() bool { return false }

// startLocked starts cmd in a session of its own, so that Ctrl-C reaches only us.
func startLocked(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
