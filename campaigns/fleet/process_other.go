//go:build !unix

package main

import "syscall"

// attributes are those of an ordinary process.
func attributes(*account) *syscall.SysProcAttr { return nil }
