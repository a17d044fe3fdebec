//go:build !linux

package office

import "os/exec"

var landlock = func() int { return 0 }

func confine(*exec.Cmd, reach) error { return nil }
