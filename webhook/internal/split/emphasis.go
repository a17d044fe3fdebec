package split

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// run is a run of "*", "_" or "~" which may open or close emphasis.
type run struct {
	pos, n      int
	char        byte
	opens, ends bool
}

// delimiters takes such a run, by the rules of CommonMark for what is before and
// after it.
func (in *inliner) delimiters(rest string) {
	src, char := in.doc.src, rest[0]
	n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	before, after := ' ', ' '
	if in.pos > 0 {
		before, _ = utf8.DecodeLastRuneInString(src[:in.pos])
	}
	if in.pos+n < in.end {
		after, _ = utf8.DecodeRuneInString(src[in.pos+n:])
	}
	left := !unicode.IsSpace(after) && (!isPunctuation(after) || unicode.IsSpace(before) || isPunctuation(before))
	right := !unicode.IsSpace(before) && (!isPunctuation(before) || unicode.IsSpace(after) || isPunctuation(after))
	r := run{pos: in.pos, n: n, char: char, opens: left, ends: right}
	if char == '_' {
		r.opens, r.ends = left && (!right || isPunctuation(before)), right && (!left || isPunctuation(after))
	}
	if char == '~' && n != 2 {
		r.opens, r.ends = false, false
	}
	if r.opens || r.ends {
		in.runs = append(in.runs, r)
	}
	in.pos += n
}

func isPunctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// emphasis pairs the runs, each that ends with the nearest that opens.
func (in *inliner) emphasis() {
	var open []run
	bottom := map[[2]int]int{} // by what ends: no partner for it before this place
	for _, r := range in.runs {
		for r.ends && r.n > 0 {
			key := [2]int{int(r.char), r.n % 3}
			if r.opens {
				key[1] += 3
			}
			i := partner(open, r, bottom[key])
			if i < 0 {
				bottom[key] = r.pos
				break
			}
			open = in.pair(open[:i+1], &r)
		}
		if r.opens && r.n > 0 {
			open = append(open, r)
		}
	}
}

// partner finds what r ends among open, or returns -1.
func partner(open []run, r run, bottom int) int {
	for i := len(open) - 1; i >= 0 && open[i].pos >= bottom; i-- {
		o := open[i]
		odd := (o.ends || r.opens) && (o.n+r.n)%3 == 0 && (o.n%3 != 0 || r.n%3 != 0)
		if o.char == r.char && (!odd || r.char == '~') {
			return i
		}
	}
	return -1
}

// pair makes a span from the last of open to r, of one or two characters each, and
// takes those off both.
func (in *inliner) pair(open []run, r *run) []run {
	o := &open[len(open)-1]
	n := 1
	if o.n > 1 && r.n > 1 {
		n = 2
	}
	from := o.pos + o.n - n
	marker := in.doc.src[from : from+n]
	in.doc.atoms = append(in.doc.atoms,
		atom{start: from, end: from + n, what: "emphasis"}, atom{start: r.pos, end: r.pos + n, what: "emphasis"})
	in.doc.span(span{start: from, inner: from + n, outer: r.pos, end: r.pos + n, open: marker, close: marker})
	o.n -= n
	r.pos, r.n = r.pos+n, r.n-n
	if o.n == 0 {
		return open[:len(open)-1]
	}
	return open
}
