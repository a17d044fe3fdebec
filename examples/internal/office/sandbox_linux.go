package office

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// isolated reports whether the system lets us start processes without a network. It
// tries once.
var isolated = sync.OnceValue(func() bool {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = isolation()
	return cmd.Run() == nil
})

// isolation is a user without rights on this system, no network, and process ids of
// its own: the end of the first process there is the end of all.
func isolation() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:                 syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		GidMappingsEnableSetgroups: false,
	}
}

// startLocked starts cmd with as much isolation as there is, in a group of its own,
// and so that it ends with us.
func startLocked(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if isolated() {
		cmd.SysProcAttr = isolation()
	}
	cmd.SysProcAttr.Setsid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return cmd.Start()
}

// killAll kills the group of cmd; its process ids, if it has its own, end with it.
func killAll(cmd *exec.Cmd) {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
		_ = cmd.Process.Kill()
	}
}
