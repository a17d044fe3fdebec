//go:build linux

package office

// Started are a process and all that it started.
func Started(pid int) []int { return children([]int{pid}, pid) }
