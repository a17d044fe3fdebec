//go:build unix

package office

import (
	"os/exec"
	"syscall"
)

// killTree makes the end of cmd's context the end of all that it started: soffice
// is a script, and the office suite its grandchild.
func killTree(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
