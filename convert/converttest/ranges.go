package converttest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/convert"
)

// pages reads the three fields that select pages. ranges excludes the others.
func (f *form) pages() convert.Pages {
	_, hasFrom := f.object["from_page"]
	_, hasTo := f.object["to_page"]
	if _, hasRanges := f.object["ranges"]; hasRanges {
		if hasFrom || hasTo {
			f.refuse("ranges", "excludes from_page and to_page")
			return nil
		}
		text := f.text("ranges", true)
		ranges, err := readRanges(text)
		if err != nil && text != "" {
			f.refuse("ranges", err.Error())
		}
		return ranges
	}
	if !hasFrom && !hasTo {
		return nil
	}
	span := convert.Span{From: f.page("from_page"), To: f.page("to_page")}
	if span.From > 0 && span.To > 0 && span.To <= span.From {
		f.refuse("to_page", "must be greater than from_page")
	}
	return span
}

// readRanges reads the shape <n>,<n>-<m>,<n>.
func readRanges(s string) (convert.Ranges, error) {
	var ranges convert.Ranges
	for item := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(item, "-")
		from, ok := readPage(first)
		to := from
		if ok && isRange {
			to, ok = readPage(last)
		}
		switch {
		case !ok:
			return nil, fmt.Errorf("must be page numbers from 1 and ranges such as 3-5, separated by commas; %q is neither", item)
		case to < from:
			return nil, fmt.Errorf("has %q, whose end lies before its start", item)
		}
		ranges = append(ranges, convert.Span{From: from, To: to})
	}
	return ranges, nil
}

// readPage reads a page number: decimal digits, no sign, no leading zero.
func readPage(s string) (int, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil
}
