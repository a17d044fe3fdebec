//go:build !unix

package office

import "os/exec"

var isolated = func() bool { return false }

func startLocked(cmd *exec.Cmd) error { return cmd.Start() }

func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
