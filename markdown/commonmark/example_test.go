package commonmark_test

import (
	"fmt"
	"strings"

	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

func ExampleConvert() {
	md := commonmark.Convert(`
Nightly *report*
----------------

| Job   | Result |
|-------|--------|
| build | passed |
| test  | failed |

- [x] build
- [ ] test: `+"`go test`"+`
  <at user_id="-1">everyone</at>
`, nil)
	fmt.Println(strings.ReplaceAll(md, "  \n", "␠␠\n"))
	// Output:
	// ## Nightly *report*
	//
	// **Job** │ **Result**␠␠
	// build │ passed␠␠
	// test │ failed
	//
	// - ☑ build
	// - ☐ test: go test everyone
}

func ExampleOptions() {
	opts := &commonmark.Options{KeepMentions: true}
	fmt.Println(commonmark.Convert(`Please read, <at user_id="17856">Li San</at>.`, opts))
	// Output:
	// Please read, <at user_id="17856">Li San</at>.
}

func ExampleCheck() {
	for _, p := range commonmark.Check("# Report\n\n| a | b |\n|---|---|\n\nSee `x`\nand __y__.") {
		fmt.Printf("line %d: %s: %s\n", p.Line, p.Element, p.Detail)
	}
	// Output:
	// line 3: table: the head of a table
	// line 6: code: a span of code
	// line 6: line break: a line feed alone is shown as a space; it takes two spaces before it, or an empty line
	// line 7: bold: bold with underscores; it takes **
}
