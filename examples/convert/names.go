package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longestBase leaves room for "-00001.txt" in the 255 bytes of a file name.
const longestBase = 240

// pageNumber ends the name of one of several results.
var pageNumber = regexp.MustCompile(`-[0-9]{3,}$`)

// nameResults gives each document a base name of its own, also where file systems
// do not tell upper from lower case, and none that is a page of another.
func nameResults(documents []*document) {
	taken, given := map[string]bool{}, map[string]bool{}
	for _, d := range documents {
		base := strings.TrimSuffix(d.filename, path.Ext(d.filename))
		base = strings.Map(func(r rune) rune {
			if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
				return '_'
			}
			return r
		}, base)
		for len(base) > longestBase {
			_, size := utf8.DecodeLastRuneInString(base)
			base = base[:len(base)-size]
		}
		d.base = base
		given[strings.ToLower(base)] = true
	}
	collides := func(base string) bool {
		base = strings.ToLower(base)
		stem := pageNumber.ReplaceAllString(base, "")
		return taken[base] || stem != base && given[stem]
	}
	for _, d := range documents {
		base := d.base
		if stem := pageNumber.ReplaceAllString(base, ""); collides(base) && stem != base {
			base += "_"
			d.base = base
		}
		for n := 2; collides(d.base); n++ {
			d.base = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(d.base)] = true
	}
}
