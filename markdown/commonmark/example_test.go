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
