package previewtest

import (
	"context"
	"errors"
	"slices"
)

// RuleNames gives the names of the rules that Run checks, and of those the ones
// that Check checks too.
func RuleNames() (all, checked []string) {
	for _, r := range slices.Concat(reading, writing) {
		all = append(all, r.name)
	}
	for _, r := range reading {
		checked = append(checked, r.name)
	}
	return all, checked
}

// Explanations gives the sentence of each rule.
func Explanations() map[string]string {
	sentences := map[string]string{}
	for _, r := range slices.Concat(reading, writing) {
		sentences[r.name] = r.explain
	}
	return sentences
}

// Broken checks every rule on a fixture of its own, and gives what is wrong by the
// name of the rule, and which rules were not checked.
func Broken(ctx context.Context, newFixture func() Fixture) (broken map[string]error, notChecked map[string]string) {
	broken, notChecked = map[string]error{}, map[string]string{}
	for _, r := range slices.Concat(reading, writing) {
		s, err := newSubject(newFixture())
		if err != nil {
			broken["fixture"] = err
			return broken, notChecked
		}
		err = s.run(ctx, r)
		var reason skipped
		switch {
		case errors.As(err, &reason):
			notChecked[r.name] = string(reason)
		case err != nil:
			broken[r.name] = err
		}
	}
	return broken, notChecked
}
