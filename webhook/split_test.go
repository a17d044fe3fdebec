package webhook_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/webhook"
)

// split cuts m and checks what holds for every piece.
func split(t *testing.T, m webhook.Message, opts *webhook.SplitOptions) []webhook.Message {
	t.Helper()
	ms, err := webhook.Split(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	limit := webhook.MaxMessageLength
	if opts != nil && opts.Limit > 0 {
		limit = opts.Limit
	}
	for i, piece := range ms {
		if n := webhook.Length(piece); n > limit {
			t.Errorf("piece %d has %d characters, want at most %d", i, n, limit)
		}
		if _, err := webhook.Encode(piece); err != nil && limit <= webhook.MaxMessageLength {
			t.Errorf("piece %d: %v", i, err)
		}
	}
	return ms
}

func contents(ms []webhook.Message) []string {
	var all []string
	for _, m := range ms {
		switch m := m.(type) {
		case webhook.Text:
			all = append(all, m.Content)
		case webhook.Markdown:
			all = append(all, m.Text)
		case webhook.Link:
			all = append(all, m.Text)
		}
	}
	return all
}

// Where labels of one digit make ten pieces, and labels of two make nine, the nine
// get the labels of nine.
func TestSplitBetweenNineAndTen(t *testing.T) {
	t.Parallel()
	const src = `com gamma. |ongl<font>br\] ma.beta, a.</font>x?y=1. ;<font>* 1.#no</font>`
	label := func(i, n int) string { return fmt.Sprintf("KW %d/%d\n\n", i, n) }
	for limit := 26; limit < 50; limit++ {
		pieces := contents(split(t, webhook.Markdown{Text: src}, &webhook.SplitOptions{Limit: limit, Label: label}))
		for i, piece := range pieces {
			if want := label(i+1, len(pieces)); !strings.HasPrefix(piece, want) {
				t.Errorf("limit %d: piece %d of %d is %q, want the label %q", limit, i+1, len(pieces), piece, want)
			}
		}
	}
	words := strings.TrimSpace(strings.Repeat("aaaa ", 19) + "bb")
	for limit := 14; limit < 24; limit++ {
		split(t, webhook.Text{Content: words}, &webhook.SplitOptions{Limit: limit, Label: label})
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	label := func(i, n int) string { return fmt.Sprintf("%d/%d ", i, n) }
	tests := []struct {
		name string
		m    webhook.Message
		opts *webhook.SplitOptions
		want []string
	}{
		{"what fits comes back alone", webhook.Text{Content: " a b "}, &webhook.SplitOptions{Limit: 5, Label: label}, []string{" a b "}},
		{"what fits without its white space", webhook.Text{Content: "abcde  "}, &webhook.SplitOptions{Limit: 5}, []string{"abcde"}},
		{"text has no markdown", webhook.Text{Content: "**aa bb**"}, &webhook.SplitOptions{Limit: 5}, []string{"**aa", "bb**"}},
		{"markdown has", webhook.Markdown{Text: "**aa bb**"}, &webhook.SplitOptions{Limit: 7}, []string{"**aa**", "**bb**"}},
		{"a title", webhook.Text{Content: "aa bb"}, &webhook.SplitOptions{Limit: 9, Title: "T"}, []string{"aa bb"}},
		{"a title of pieces", webhook.Text{Content: "aaa bbb ccc"}, &webhook.SplitOptions{Limit: 10, Title: "T"}, []string{"T 1/3\n\naaa", "T 2/3\n\nbbb", "T 3/3\n\nccc"}},
		{"no label if only white space is too long", webhook.Text{Content: "aa" + strings.Repeat(" ", 20)}, &webhook.SplitOptions{Limit: 12, Title: "T"}, []string{"aa"}},
		{"a pointer that fits", &webhook.Text{Content: "aa"}, nil, []string{"aa"}},
		{"a pointer", &webhook.Text{Content: "aa bb"}, &webhook.SplitOptions{Limit: 2}, []string{"aa", "bb"}},
		{"the title of a link counts", webhook.Link{Title: "ab", Text: "xyz"}, &webhook.SplitOptions{Limit: 3}, []string{"x", "y", "z"}},
		{"labels count", webhook.Text{Content: "aaa bbb ccc"}, &webhook.SplitOptions{Limit: 7, Label: label}, []string{"1/3 aaa", "2/3 bbb", "3/3 ccc"}},
		{"characters, not bytes", webhook.Text{Content: "一二 三四"}, &webhook.SplitOptions{Limit: 2}, []string{"一二", "三四"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, contents(split(t, tt.m, tt.opts))); diff != "" {
				t.Errorf("Split (-want +got):\n%s", diff)
			}
		})
	}
}

// Every piece of a link has its title, address and button, which count.
func TestSplitLink(t *testing.T) {
	t.Parallel()
	m := webhook.Link{Title: "Title", Text: "aaa bbb ccc", URL: "https://h/a-long-address", ButtonTitle: "Go"}
	got := split(t, m, &webhook.SplitOptions{Limit: 10})
	want := []webhook.Message{m, m, m}
	for i, text := range []string{"aaa", "bbb", "ccc"} {
		piece := m
		piece.Text = text
		want[i] = piece
	}
	if diff := cmp.Diff(want, got, unexported); diff != "" {
		t.Errorf("Split (-want +got):\n%s", diff)
	}
}

// How many pieces there are decides how long the labels are, and the other way
// round: the numbers are right in the end.
func TestSplitLabelsSettle(t *testing.T) {
	t.Parallel()
	for words := 6; words < 400; words += 7 {
		src := strings.TrimSpace(strings.Repeat("word ", words))
		ms := split(t, webhook.Text{Content: src}, &webhook.SplitOptions{Limit: 24, Label: func(i, n int) string {
			return fmt.Sprintf("Report %d of %d\n\n", i, n)
		}})
		var text []string
		for i, piece := range contents(ms) {
			rest, ok := strings.CutPrefix(piece, fmt.Sprintf("Report %d of %d\n\n", i+1, len(ms)))
			if !ok {
				t.Fatalf("%d words: piece %d of %d is %q", words, i, len(ms), piece)
			}
			text = append(text, rest)
		}
		if got := strings.Join(text, " "); got != src {
			t.Fatalf("%d words: the pieces hold %q", words, got)
		}
	}
}

// The cases that a reader would hate.
func TestSplitLong(t *testing.T) {
	t.Parallel()
	row := "| " + strings.Repeat("cell with words | ", 350)
	family := "👨\u200d👩\u200d👧\u200d👦"
	tests := map[string]struct {
		m     webhook.Message
		count int
	}{
		"one word of 20000 characters":     {webhook.Text{Content: strings.Repeat("x", 20000)}, 4},
		"one Chinese text without a stop":  {webhook.Markdown{Text: strings.Repeat("一", 20000)}, 4},
		"a table row of 6000 characters":   {webhook.Markdown{Text: row}, 2},
		"families":                         {webhook.Text{Content: strings.Repeat(family, 1000)}, 2},
		"a fence of 500 lines":             {webhook.Markdown{Text: "```\n" + strings.Repeat("a line of code\n", 500) + "```"}, 2},
		"a list of 1000 items":             {webhook.Markdown{Text: strings.Repeat("- an item\n", 1000)}, 2},
		"a colour over 100 paragraphs":     {webhook.Markdown{Text: "<font color='#ff0000'>" + strings.Repeat(strings.Repeat("word ", 20)+"\n\n", 100) + "end</font>"}, 3},
		"a thousand mentions":              {webhook.Text{Content: strings.Repeat(`<at user_id="1234">name</at>`, 1000)}, 6},
		"angles, hyphens, hashes, numbers": {webhook.Markdown{Text: strings.Repeat("x > - # 1. ", 1000)}, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pieces := contents(split(t, tt.m, nil))
			if len(pieces) != tt.count {
				t.Errorf("%d pieces, want %d", len(pieces), tt.count)
			}
			src := contents([]webhook.Message{tt.m})[0]
			squeeze := strings.NewReplacer(" ", "", "\n", "", "<font color='#ff0000'>", "", "</font>", "", "```", "").Replace
			if got, want := squeeze(strings.Join(pieces, "")), squeeze(src); got != want {
				t.Errorf("the pieces hold %d bytes, want %d", len(got), len(want))
			}
			for i, piece := range pieces {
				switch {
				case strings.Count(piece, "```")%2 != 0:
					t.Errorf("piece %d has an open fence", i)
				case strings.Count(piece, "<font") != strings.Count(piece, "</font>"):
					t.Errorf("piece %d has an open colour", i)
				case strings.Count(piece, "<at") != strings.Count(piece, "</at>"):
					t.Errorf("piece %d cuts a mention", i)
				case strings.Contains(src, family) && strings.ReplaceAll(piece, family, "") != "":
					t.Errorf("piece %d cuts a family", i)
				}
			}
		})
	}
}

func TestSplitRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("SECRET ", 1000)
	tests := []struct {
		name string
		m    webhook.Message
		opts *webhook.SplitOptions
		want []string
		is   error
	}{
		{"nil", nil, nil, []string{"Message"}, nil},
		{"no text, a limit below zero", webhook.Text{}, &webhook.SplitOptions{Limit: -1}, []string{"Content", "Limit"}, nil},
		{"card", webhook.Card{Header: webhook.CardHeader{Title: plain("t")}, Elements: []webhook.CardText{plain(long)}}, nil, []string{"Elements"}, webhook.ErrTooLong},
		{"raw", webhook.Raw{Body: []byte(`{"msgtype":"x","x":"` + long + `"}`)}, nil, []string{"Body"}, webhook.ErrTooLong},
		{"link in markdown", webhook.Markdown{Text: "[" + long + "](http://h)"}, nil, []string{"Text"}, webhook.ErrTooLong},
		{"mention in text", webhook.Text{Content: `<at user_id="1">` + long + `</at>`}, nil, []string{"Content"}, webhook.ErrTooLong},
		{"title", webhook.Link{Title: long, Text: "x"}, nil, []string{"Title"}, webhook.ErrTooLong},
		{"label", webhook.Text{Content: long}, &webhook.SplitOptions{Limit: 10, Label: func(int, int) string { return "0123456789" }}, []string{"Label"}, webhook.ErrTooLong},
		{"label that never settles", webhook.Text{Content: long}, &webhook.SplitOptions{Limit: 2000, Label: func(_, n int) string { return strings.Repeat("x", 1990-min(1, n/100)*1989) }}, []string{"Label"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := webhook.Split(tt.m, tt.opts)
			if diff := cmp.Diff(tt.want, fields(err)); diff != "" {
				t.Errorf("fields of %v (-want +got):\n%s", err, diff)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("Split = %v, want %v", err, tt.is)
			}
			if err != nil && strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %q repeats the text", err)
			}
		})
	}
}

// A keyword in the label is in every piece, and is counted.
func TestSplitCarriesTheKeyword(t *testing.T) {
	t.Parallel()
	cfg := at(nil)
	cfg.Keywords, cfg.MaxLength = []string{"alert"}, 100
	r := newRobot(t, cfg)
	ms := split(t, webhook.Markdown{Text: strings.Repeat("one two three. ", 100)}, &webhook.SplitOptions{
		Limit: 100,
		Label: func(i, n int) string { return fmt.Sprintf("alert %d/%d\n\n", i, n) },
	})
	for i, m := range ms {
		if err := r.Check(m); err != nil {
			t.Errorf("piece %d: %v", i, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("# a\n\n**b c** <at user_id=\"1\">n</at> `d`\n\n```\ne\n```\n", 30, true)
	f.Add("今天。明天，👍🏽 e\u0301", 4, false)
	f.Fuzz(func(t *testing.T, src string, limit int, isMarkdown bool) {
		limit = 1 + max(limit, -limit-1)%300
		m := webhook.Message(webhook.Text{Content: src})
		if isMarkdown {
			m = webhook.Markdown{Text: src}
		}
		ms, err := webhook.Split(m, &webhook.SplitOptions{Limit: limit, Label: func(i, n int) string { return fmt.Sprintf("%d/%d\n\n", i, n) }})
		if err != nil {
			if fields(err) == nil {
				t.Errorf("Split = %v, want a *FieldError", err)
			}
			return
		}
		for _, piece := range contents(ms) {
			if n := utf8.RuneCountInString(piece); n > limit || strings.TrimSpace(piece) == "" {
				t.Errorf("piece %q has %d characters, want text of at most %d", piece, n, limit)
			}
		}
	})
}

// One link that is longer than a piece does not fail a report, if the caller says so.
func TestSplitLongLinksAsText(t *testing.T) {
	t.Parallel()
	m := webhook.Markdown{Text: "a report [with a link](https://a.example/" + strings.Repeat("x", 200) + ") and more"}
	if _, err := webhook.Split(m, &webhook.SplitOptions{Limit: 100}); !errors.Is(err, webhook.ErrTooLong) {
		t.Errorf("Split() = %v, want ErrTooLong", err)
	}
	label := func(i, n int) string { return fmt.Sprintf("%d/%d\n\n", i, n) }
	ms, err := webhook.Split(m, &webhook.SplitOptions{Limit: 100, LongLinksAsText: true, Label: label})
	if err != nil || len(ms) < 3 {
		t.Fatalf("Split() = %q, %v", ms, err)
	}
	if got := strings.Count(fmt.Sprint(ms), "x"); got != 201 { // of the address, and that of "example"
		t.Errorf("%d of 201 characters are left in %q", got, ms)
	}
	if _, err := webhook.Split(webhook.Markdown{Text: strings.Repeat("<at user_id=\"7\">"+strings.Repeat("x", 90)+"</at>", 2)}, &webhook.SplitOptions{Limit: 100, LongLinksAsText: true}); !errors.Is(err, webhook.ErrTooLong) {
		t.Errorf("Split() of a long mention = %v, want ErrTooLong", err)
	}
}
