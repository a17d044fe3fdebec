//go:build unix

package main

import "syscall"

// attributes make a process that runs as another user, or as this one, and that Ctrl-C
// does not reach.
func attributes(who *account) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if who != nil {
		a.Credential = &syscall.Credential{Uid: uint32(who.uid), Gid: uint32(who.gid)}
	}
	return a
}
