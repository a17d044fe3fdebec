package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/weboffice-go/weboffice/convert"
)

// pageFlags select pages, in one of two ways.
type pageFlags struct {
	ranges      string
	from, until int
}

func (p *pageFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&p.ranges, "pages", "", "`pages`, such as 1,3-5; pdf: one range")
	flags.IntVar(&p.from, "from", 0, "first `page`, instead of -pages")
	flags.IntVar(&p.until, "until", 0, "last `page`, after the first, instead of -pages")
}

// read gives the pages for target; nil stands for all.
func (p *pageFlags) read(target convert.Target) (convert.Pages, error) {
	switch {
	case p.ranges != "" && (p.from != 0 || p.until != 0):
		return nil, errors.New("-pages excludes -from and -until")
	case p.from < 0 || p.until < 0:
		return nil, errors.New("-from and -until count pages from 1")
	case p.from != 0 || p.until != 0:
		return convert.Span{From: p.from, To: p.until}, checkSpan(p.from, p.until)
	case p.ranges == "":
		return nil, nil //nolint:nilnil // All pages are no selection.
	}
	ranges, err := convert.ParseRanges(p.ranges)
	if err != nil {
		return nil, fmt.Errorf("-pages: %w", err)
	}
	if target != convert.PDF {
		return ranges, nil
	}
	if len(ranges) != 1 {
		return nil, errors.New("-pages: a PDF takes one range, such as 3-5")
	}
	return ranges[0], checkSpan(ranges[0].From, ranges[0].To)
}

// checkSpan is the rule of the service for two page numbers (protocol 2.1).
func checkSpan(from, until int) error {
	if until != 0 && until <= from {
		return errors.New("the last page must come after the first: the service takes a single page only in -pages, for txt")
	}
	return nil
}
