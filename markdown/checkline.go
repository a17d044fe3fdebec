package markdown

import "strings"

// cutQuote takes the marks of quotes off a line.
func cutQuote(s string) (rest string, depth int) {
	for {
		t := strings.TrimLeft(s, " ")
		if len(s)-len(t) > 3 || t == "" || t[0] != '>' {
			return s, depth
		}
		s = strings.TrimPrefix(t[1:], " ")
		depth++
	}
}

// isEmpty reports whether a line is empty for CommonMark, which a no-break space is not.
func isEmpty(s string) bool { return strings.Trim(s, " \t") == "" }

// columns is the width of an indent.
func columns(indent string) int {
	n := 0
	for i := range len(indent) {
		if indent[i] == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}

// runLen is how often s begins with c.
func runLen(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func isFence(s string) bool {
	n := runLen(s, '`')
	return n >= 3 && strings.IndexByte(s[n:], '`') < 0 || runLen(s, '~') >= 3
}

// isFenceEnd reports whether s ends the fence that open began.
func isFenceEnd(s, open string) bool {
	s = strings.TrimSpace(s)
	n := runLen(s, open[0])
	return n == len(s) && n >= runLen(open, open[0])
}

func isHeading(s string) bool {
	n := runLen(s, '#')
	return n >= 1 && n <= 6 && (n == len(s) || isBlank(s[n]))
}

func isUnderline(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s != "" && (runLen(s, '=') == len(s) || runLen(s, '-') == len(s))
}

func isRule(s string) bool {
	if c := s[0]; c != '-' && c != '*' && c != '_' {
		return false
	}
	s2 := strings.NewReplacer(" ", "", "\t", "").Replace(s)
	return len(s2) >= 3 && runLen(s2, s[0]) == len(s2)
}

// isDelimiterRow reports whether s is the second line of a table.
func isDelimiterRow(s string) bool {
	if !strings.Contains(s, "-") || !strings.ContainsAny(s, "|:") {
		return false
	}
	for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(s), "|"), "|") {
		cell = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cell), ":"), ":")
		if cell == "" || runLen(cell, '-') != len(cell) {
			return false
		}
	}
	return true
}

// cells is how many cells a row of a table has.
func cells(s string) int {
	s = strings.TrimPrefix(strings.TrimSpace(s), "|")
	if strings.HasSuffix(s, "|") && !strings.HasSuffix(s, `\|`) {
		s = s[:len(s)-1]
	}
	return 1 + strings.Count(s, "|") - strings.Count(s, `\|`)
}

// cutMark takes the mark off an item of a list.
func cutMark(s string) (mark, rest string, ok bool) {
	n := 0
	for n < len(s) && n < 10 && isDigit(s[n]) {
		n++
	}
	switch {
	case n > 9 || n >= len(s):
		return "", "", false
	case n > 0 && s[n] != '.' && s[n] != ')':
		return "", "", false
	case n == 0 && s[0] != '-' && s[0] != '*' && s[0] != '+':
		return "", "", false
	}
	n++
	return s[:n], s[n:], n == len(s) || s[n] == ' ' || s[n] == '\t'
}

func isItem(s string) bool {
	_, _, ok := cutMark(s)
	return ok
}

func isTask(s string) bool {
	return len(s) > 3 && s[0] == '[' && strings.IndexByte(" xX", s[1]) >= 0 && s[2] == ']' && isBlank(s[3])
}

// isDefinition reports whether s defines a reference or a footnote.
func isDefinition(s string) bool {
	if !strings.HasPrefix(s, "[") {
		return false
	}
	i := strings.IndexByte(s, ']')
	return i > 1 && strings.TrimSpace(s[1:i]) != "" && s[i-1] != '\\' && strings.HasPrefix(s[i+1:], ":")
}

func endsInBackslash(s string) bool {
	n := 0
	for n < len(s) && s[len(s)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
