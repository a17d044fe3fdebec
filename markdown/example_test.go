package markdown_test

import (
	"fmt"
	"strings"

	"github.com/weboffice-go/weboffice/markdown"
)

func ExampleBuilder() {
	failed := []string{"orders_test", "billing: *timeout*"}
	var b markdown.Builder
	b.Heading(2, "Build ", 1042, " ", markdown.Color("red", "failed"))
	b.Paragraph("On ", markdown.Bold("release/2.4"), ", see ", markdown.Link("the log", "https://ci.example/1042"), ".")
	b.List(markdown.Each(failed)...)
	b.Paragraph(markdown.MentionUser("17856", "Li San"), " please have a look.")
	fmt.Println(b.String())
	// Output:
	// ## Build 1042 <font color='red'>failed</font>
	//
	// On **release/2.4**, see [the log](https://ci.example/1042).
	//
	// - orders\_test
	// - billing: \*timeout\*
	//
	// <at user_id="17856">Li San</at> please have a look.
}

func ExampleBuilder_List() {
	var b markdown.Builder
	b.List(
		"plain",
		markdown.Join(markdown.Bold("disk"), ": ", 93, " %"),
		markdown.Link("a link", "https://a.example"),
	)
	fmt.Println(b.String(), b.Len())
	// Output:
	// - plain
	// - **disk**: 93 %
	// - [a link](https://a.example) 54
}

func ExampleEscape() {
	escaped := markdown.Escape(`<at user_id="-1">all</at> *see* [this](https://evil.example)`)
	fmt.Println(strings.ReplaceAll(escaped, "\u2060", "·"))
	fmt.Println(markdown.Escape("a - b, 3 < 4"))
	// Output:
	// &lt;·at user\_id="-1">all&lt;·/at> \*see\* \[this\]\(https:/\/evil.example)
	// a - b, 3 &lt; 4
}

func ExamplePlain() {
	comment := `<at user_id="-1">all</at> **hi**`
	s := markdown.Plain(markdown.MentionUser("17856", "Li San"), " got: ", comment)
	fmt.Println(len(markdown.Mentions(s)), strings.ReplaceAll(s, "\u2060", "·"))
	// Output:
	// 1 <at user_id="17856">Li San</at> got: <·at user_id="-1">all<·/at> **hi**
}

func ExampleMentions() {
	for _, m := range markdown.Mentions(`<at user_id="17856">Li San</at>, <at email="a@b.example"></at> and <at user_id="-1">all</at>`) {
		fmt.Printf("%+v\n", m)
	}
	// Output:
	// {UserID:17856 Email: All:false Name:Li San}
	// {UserID: Email:a@b.example All:false Name:}
	// {UserID: Email: All:true Name:all}
}

func ExampleJoin() {
	i := markdown.Join("Ask ", markdown.Italic("someone"), markdown.LineBreak(), "or nobody.")
	fmt.Printf("%q\n", i)
	// Output:
	// "Ask *someone*  \nor nobody."
}
