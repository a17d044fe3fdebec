package office

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// memory measures processes.
type memory struct {
	tree []int // A process and its children.
	at   time.Time
}

// resident is the memory of a process and its children, in bytes.
func (m *memory) resident(pid int) (sum int64) {
	if time.Since(m.at) > 500*time.Millisecond { // Finding children takes longer than asking them.
		m.tree, m.at = children([]int{pid}, pid), time.Now()
	}
	for _, pid := range m.tree {
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if fields := bytes.Fields(statm); err == nil && len(fields) > 1 {
			pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			sum += pages * int64(os.Getpagesize())
		}
	}
	return sum
}

// children appends all that pid started, and what those did.
func children(found []int, pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for field := range bytes.FieldsSeq(text) {
			if child, err := strconv.Atoi(string(field)); err == nil && len(found) < 100 {
				found = children(append(found, child), child)
			}
		}
	}
	return found
}
