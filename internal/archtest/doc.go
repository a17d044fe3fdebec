// Package archtest holds the rules of this module that no compiler and no ready
// made linter checks: which package may import which, how an exported API may look,
// what must be documented, and that nothing keeps state behind its user's back.
//
// It reads sources, and nothing else: no type information, no build. Its one test
// applies every rule to this tree, another proves for each rule that it bites:
//
//	go test ./internal/archtest
//
// A rule says in its Why what it is good for. An exception is a line in a table of
// the rule, with its reason, and never a comment in the code that is checked.
package archtest
