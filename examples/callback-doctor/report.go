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
	for _, rule := range ruleTable() {
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

func (r *report) broken() int { return r.count(stateBroken) }

// text prints the report for people: what has to be changed comes last, where it
// is seen.
func (r *report) text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", r.base, strings.Join(r.files, ", "))
	for _, state := range []string{stateNotChecked, stateRight, stateBroken} {
		for _, e := range r.entries() {
			if e.State == state {
				e.text(&b)
			}
		}
	}
	fmt.Fprintf(&b, "\nRules that hold: %d, broken: %d, not checked: %d. Saving and renaming are never tried.\n", r.count(stateRight), r.broken(), r.count(stateNotChecked))
	if r.count(stateNotChecked) > 0 {
		b.WriteString("A rule is not checked where what it is about is not offered, or another mistake stands in the way.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text prints one rule, and below a broken one what was found and what to change.
func (e *entry) text(b *strings.Builder) {
	if e.State == stateBroken {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%-12s %s\n", e.State, e.Rule)
	for _, found := range e.Found {
		fmt.Fprintf(b, "%13s- %s\n", "", found)
	}
	if e.Change != "" {
		fmt.Fprintf(b, "%13s> %s\n", "", e.Change)
	}
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
