package convert_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
)

func TestParseRanges(t *testing.T) {
	t.Parallel()
	tests := map[string]convert.Ranges{
		"1":          {convert.Page(1)},
		"1,3-5":      {convert.Page(1), {From: 3, To: 5}},
		"9,3-5,9":    {convert.Page(9), {From: 3, To: 5}, convert.Page(9)},
		"7-7":        {convert.Page(7)},
		"2147483647": {convert.Page(2147483647)},
	}
	for s, want := range tests {
		got, err := convert.ParseRanges(s)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ParseRanges(%q) = %v; (-want +got):\n%s", s, err, diff)
		}
	}
	if got := (convert.Ranges{convert.Page(1), {From: 3, To: 5}}).String(); got != "1,3-5" {
		t.Errorf("String = %q, want 1,3-5", got)
	}
}

func TestParseRangesRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"":                     {"Ranges[0]"},
		"0":                    {"Ranges[0]"},
		"1,":                   {"Ranges[1]"},
		",1":                   {"Ranges[0]"},
		"1,,2":                 {"Ranges[1]"},
		"1, 2":                 {"Ranges[1]"},
		" 1":                   {"Ranges[0]"},
		"+1":                   {"Ranges[0]"},
		"-1":                   {"Ranges[0]"},
		"1-":                   {"Ranges[0]"},
		"1-2-3":                {"Ranges[0]"},
		"01":                   {"Ranges[0]"},
		"5-3":                  {"Ranges[0]"},
		"0-3":                  {"Ranges[0]"},
		"x,1,2-1":              {"Ranges[0]", "Ranges[2]"},
		"99999999999999999999": {"Ranges[0]"},
		"1–3":                  {"Ranges[0]"},
		"١":                    {"Ranges[0]"},
	}
	for s, want := range tests {
		got, err := convert.ParseRanges(s)
		if diff := cmp.Diff(want, fields(err)); diff != "" || got != nil {
			t.Errorf("ParseRanges(%q) = %v, %v; fields (-want +got):\n%s", s, got, err, diff)
		}
	}
}

func FuzzParseRanges(f *testing.F) {
	for _, s := range []string{"1", "1,3-5", "0", "-", ",", "5-3", "99999999999999999999", "01", "1-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ranges, err := convert.ParseRanges(s)
		if err != nil {
			if len(fields(err)) == 0 {
				t.Errorf("ParseRanges(%q) = %v, want FieldErrors", s, err)
			}
			return
		}
		for _, span := range ranges {
			if span.From < 1 || span.To < span.From {
				t.Errorf("ParseRanges(%q) gives %v", s, span)
			}
		}
		again, err := convert.ParseRanges(ranges.String())
		if err != nil || !slices.Equal(ranges, again) {
			t.Errorf("ParseRanges(%q) = %v, %v, want %v again", ranges.String(), again, err, ranges)
		}
		if !strings.Contains(s, "-") && ranges.String() != s {
			t.Errorf("ParseRanges(%q).String() = %q", s, ranges.String())
		}
	})
}
