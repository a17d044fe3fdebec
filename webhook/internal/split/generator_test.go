package split_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes up documents of everything that protocol 2.8 has, and code.
type generator struct{ *rand.Rand }

var words = []string{"alpha", "beta", "gamma.", "delta,", "今天很好", "你好。", "x", "node-7", "👍🏽", "100%", "a_b", "e\u0301", "2 * 3", "\\*", "&lt;", "end!"}

func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g *generator) words(n int) string {
	parts := make([]string, 1+g.IntN(n))
	for i := range parts {
		parts[i] = g.pick(words...)
	}
	return strings.Join(parts, " ")
}

// letters makes words that emphasis may begin and end with.
func (g *generator) letters(n int) string {
	return g.pick("one", "two", "три") + " " + g.words(n) + " " + g.pick("four", "five", "六")
}

func (g *generator) inline(depth int) string {
	switch g.IntN(12) {
	case 0:
		return "**" + g.letters(8) + "**"
	case 1:
		return "*" + g.letters(8) + "*"
	case 2:
		return "~~" + g.letters(5) + "~~"
	case 3:
		return fmt.Sprintf("[%s](http://x.y/%d)", g.pick("a link", "链接", "b"), g.IntN(1000))
	case 4:
		return fmt.Sprintf(`<at user_id="%d">%s</at>`, g.IntN(1000), g.pick("Ann", "李三"))
	case 5:
		return fmt.Sprintf("<http://x.y/%d>", g.IntN(1000))
	case 6:
		return "`" + g.pick("f(x)", "a ** b", "go test ./... -run X") + "`"
	case 7:
		if depth > 0 {
			return "**" + g.letters(2) + " *" + g.letters(3) + "* " + g.pick("end", "fin") + "**"
		}
		return "x"
	case 8:
		if depth > 0 {
			return "<font color='red'>" + g.letters(3) + " " + g.inline(0) + " z</font>"
		}
		return "y"
	default:
		return g.words(12)
	}
}

func (g *generator) line() string {
	parts := make([]string, 1+g.IntN(4))
	for i := range parts {
		parts[i] = g.inline(1)
	}
	return strings.Join(parts, " ")
}

func (g *generator) block() string {
	switch g.IntN(8) {
	case 0:
		return strings.Repeat("#", 1+g.IntN(6)) + " " + g.words(5)
	case 1:
		return "> " + g.line() + "\n> " + g.line()
	case 2:
		return "- " + g.line() + "\n- " + g.line() + "\n- " + g.line()
	case 3:
		return "1. " + g.line() + "\n2. " + g.line()
	case 4:
		return "```" + g.pick("", "go", "sh") + "\n" + g.words(4) + "\n\n  " + g.words(20) + "\n" + g.words(4) + "\n```"
	case 5:
		return g.line() + "  \n" + g.line()
	default:
		return g.line()
	}
}

func (g *generator) document() string {
	blocks := make([]string, 1+g.IntN(8))
	for i := range blocks {
		blocks[i] = g.block()
	}
	return strings.Join(blocks, "\n\n")
}
