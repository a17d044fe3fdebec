package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// report collects what was found.
type report struct {
	base    string
	files   []string
	signed  bool
	reached map[step]bool
	skipped map[string]bool // rules that could not be checked, although their step was reached
	found   map[string][]string
}

// States of a rule.
const (
	stateRight      = "ok"
	stateBroken     = "WRONG"
	stateNotChecked = "not checked"
)

// note adds a finding. The same one twice counts once.
func (r *report) note(name, finding string) {
	if !slices.Contains(r.found[name], finding) {
		r.found[name] = append(r.found[name], finding)
	}
}

// entry is one rule of the report.
type entry struct {
	Rule   string   `json:"rule"`
	State  string   `json:"state"`
	Found  []string `json:"found,omitempty"`
	Change string   `json:"change,omitempty"`
}

func (r *report) entries() []entry {
	var all []entry
	for _, rule := range ruleTable {
		e := entry{Rule: rule.name, State: stateNotChecked, Found: r.found[rule.name]}
		switch {
		case len(e.Found) > 0:
			e.State, e.Change = stateBroken, rule.change
		case r.reached[rule.step] && !r.skipped[rule.name]:
			e.State = stateRight
		}
		all = append(all, e)
	}
	return all
}

// count gives how many rules are in a state.
func (r *report) count(state string) int {
	n := 0
	for _, e := range r.entries() {
		if e.State == state {
			n++
		}
	}
	return n
}

func (r *report) broken() int { return len(r.found) }

// text prints the report for people: what has to be changed comes first.
func (r *report) text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\nbroken: %d, %s: %d, %s: %d\n\n", r.base, strings.Join(r.files, ", "),
		r.broken(), stateRight, r.count(stateRight), stateNotChecked, r.count(stateNotChecked))
	entries := r.entries()
	for _, e := range entries {
		if e.State != stateBroken {
			continue
		}
		for _, found := range e.Found {
			fmt.Fprintf(&b, "%-6s %s\n", stateBroken, found)
		}
		fmt.Fprintf(&b, "       expected: %s\n       change:   %s\n\n", e.Rule, e.Change)
	}
	for _, e := range entries {
		if e.State == stateRight {
			fmt.Fprintf(&b, "%-6s %s\n", stateRight, e.Rule)
		}
	}
	if n := r.count(stateNotChecked); n > 0 {
		fmt.Fprintf(&b, "\nNot checked: %d. What such a rule is about is not offered, or another mistake is in the way (-json lists them).\n", n)
	}
	b.WriteString("\nNothing was renamed. Without -save, nothing was saved either.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// json prints the report for programs.
func (r *report) json(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Base   string   `json:"base"`
		Files  []string `json:"files"`
		Signed bool     `json:"signed"`
		Right  bool     `json:"right"`
		Rules  []entry  `json:"rules"`
	}{r.base, r.files, r.signed, r.broken() == 0, r.entries()})
}
