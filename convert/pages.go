package convert

import (
	"fmt"
	"strconv"
	"strings"
)

// Pages selects pages of a document: a [Span] or [Ranges], which the service does not
// accept together (protocol 2.1).
type Pages interface{ pages() }

// Span is the pages From to To, both counted from 1 and both included. In a
// request either may be zero and is then left out: from the first page, or to the
// last. With both, To must be greater than From (protocol 2.1).
type Span struct{ From, To int }

// Ranges is a list of pages and runs of pages, such as "1,3-5" (protocol 2.1).
// Each Span in it has both its ends; where they are equal it is one page. The
// order is kept.
type Ranges []Span

func (Span) pages()   {}
func (Ranges) pages() {}

// Page returns page n as an item of [Ranges].
func Page(n int) Span { return Span{From: n, To: n} }

// maxRangeErrors is how many wrong items ParseRanges lists.
const maxRangeErrors = 10

// ParseRanges reads the form "1,3-5": numbers from 1 without sign, spaces and leading
// zeros, and runs whose end is not before their start. Its error joins a [*FieldError]
// for each of the first ten items that are wrong.
func ParseRanges(s string) (Ranges, error) {
	var ranges Ranges
	var found problems
	for item := range strings.SplitSeq(s, ",") {
		first, last, isRun := strings.Cut(item, "-")
		if !isRun {
			last = first
		}
		from, ok1 := parsePage(first)
		to, ok2 := parsePage(last)
		field := "Ranges[" + strconv.Itoa(len(ranges)) + "]"
		switch {
		case !ok1 || !ok2:
			found.add(field, fmt.Sprintf("%.40q is neither a page from 1 nor a run such as 3-5 (protocol 2.1)", item))
		case to < from:
			found.add(field, fmt.Sprintf("%.40q ends before it starts (protocol 2.1)", item))
		}
		if len(found) == maxRangeErrors {
			break
		}
		ranges = append(ranges, Span{From: from, To: to})
	}
	if err := found.join("parse ranges"); err != nil {
		return nil, err
	}
	return ranges, nil
}

// parsePage is stricter than strconv.Atoi, which takes "+1" and "01".
func parsePage(s string) (int, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// String writes the form that [ParseRanges] reads.
func (r Ranges) String() string {
	var b []byte
	for i, span := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(span.From), 10)
		if span.To != span.From {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(span.To), 10)
		}
	}
	return string(b)
}

// check finds what is wrong with a span in a request.
func (s Span) check(found *problems) {
	if s.From < 0 {
		found.add("Pages.From", "must be counted from 1, or zero to leave it out (protocol 2.1)")
	}
	switch {
	case s.To < 0:
		found.add("Pages.To", "must be counted from 1, or zero to leave it out (protocol 2.1)")
	case s.From > 0 && s.To > 0 && s.To <= s.From:
		found.add("Pages.To", "must be greater than Pages.From (protocol 2.1): a single page can be named by Ranges only, for text")
	}
}

// check finds what is wrong with ranges in a request.
func (r Ranges) check(found *problems) {
	if len(r) == 0 {
		found.add("Pages", "has no range: nil is all pages (protocol 2.1)")
	}
	for i, span := range r {
		field := "Pages[" + strconv.Itoa(i) + "]"
		switch {
		case span.From < 1 || span.To < 1:
			found.add(field, "must have both ends, counted from 1 (protocol 2.1)")
		case span.To < span.From:
			found.add(field, "must not end before it starts (protocol 2.1)")
		}
	}
}
