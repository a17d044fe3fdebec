package archtest

import (
	"fmt"
	"go/ast"
)

// Rule is one thing that holds in the whole tree.
type Rule struct {
	// Name is one word, for -run.
	Name string
	// Why is what the rule is good for.
	Why string
	// Check gives what breaks the rule.
	Check func(*Tree) []Finding
}

// Finding is one place where a rule is broken.
type Finding struct {
	// At is "path:line", or a path.
	At string
	// What is broken.
	What string
}

// String writes the finding as a compiler would.
func (f Finding) String() string { return f.At + ": " + f.What }

// Rules gives all of them.
func Rules() []Rule {
	return []Rule{
		{"Folders", "a newcomer finds every area at the top, and nothing else", folders},
		{"Imports", "imports point one way, and the list of dependencies is closed", imports},
		{"StandardOnly", "signing, markdown, preview and token cost an integrator no module", standardOnly},
		{"Digests", "MD5 and SHA-1 are there for the protocol, not for new uses", digests},
		{"Interfaces", "an interface that others implement is small, for it can never grow", interfaces},
		{"Signatures", "a dependency in an exported signature could never be replaced", signatures},
		{"Options", "go doc of one struct shows every setting; a list of functions shows none", options},
		{"Assertions", "a wrapper around a Store would silently lose what is found by assertion", assertions},
		{"Comparable", "a field of any type can be added to a struct that was never comparable", comparability},
		{"Documented", "go doc is the manual", documented},
		{"PackageDocs", "one file says what a package is for", packageDocs},
		{"Examples", "an example that runs is the documentation that cannot lie", examples},
		{"Programs", "each program says how it is run, stays short, and is tested", programs},
		{"Sizes", "a file is one concept, and a function fits a screen", sizes},
		{"Names", "a name that fits everything says nothing", names},
		{"State", "two clients in one process share nothing", state},
		{"Clock", "time is an argument, so that a test can set it", clock},
		{"Secrets", "what Reveal gives must not reach a message", secrets},
		{"Citations", "a reader can look up what a comment rests on", citations},
		{"Links", "a page leads somewhere", links},
		{"Symbols", "a page that names what is gone misleads", symbols},
		{"Panics", "bad input is an error, and never the end of an integrator's server", panics},
	}
}

// report collects findings.
type report struct {
	tree  *Tree
	found []Finding
}

func (r *report) at(n ast.Node, format string, args ...any) {
	r.found = append(r.found, Finding{r.tree.at(n), fmt.Sprintf(format, args...)})
}

func (r *report) path(path, format string, args ...any) {
	r.found = append(r.found, Finding{path, fmt.Sprintf(format, args...)})
}
