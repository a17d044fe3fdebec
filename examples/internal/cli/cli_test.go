package cli_test

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args    []string
		code    int
		printed string // all of it
		usage   bool   // the flags are printed
	}{
		"right":         {[]string{"-n", "1"}, cli.ExitOK, "", false},
		"help":          {[]string{"-h"}, cli.ExitOK, "", true},
		"unknown flag":  {[]string{"-x"}, cli.ExitUsage, "count: flag provided but not defined: -x\nTry -h.\n", false},
		"wrong value":   {[]string{"-n", "many"}, cli.ExitUsage, "count: invalid value \"many\" for flag -n: parse error\nTry -h.\n", false},
		"with operands": {[]string{"-n", "1", "two"}, cli.ExitUsage, "count: unexpected argument \"two\"\nTry -h.\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var usage, out strings.Builder
			flags := cli.Flags(&usage, "count [flags]")
			flags.Int("n", 0, "how many")
			code := cli.Code(&out, "count", cli.ParseAll(flags, tt.args))
			if code != tt.code || out.String() != tt.printed || strings.Contains(usage.String(), "how many") != tt.usage {
				t.Errorf("code %d, printed %q, usage %q, want %d, %q, %t", code, out.String(), usage.String(), tt.code, tt.printed, tt.usage)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	var usage strings.Builder
	flags := cli.Flags(&usage, "count [flags] [word]", "COUNT_KEY  the key", "COUNT_URL  the URL")
	flags.Int("n", 0, "how many")
	want := "Usage: count [flags] [word]\n\nFlags:\n  -n int\n    \thow many\n\nEnvironment:\n  COUNT_KEY  the key\n  COUNT_URL  the URL\n"
	if err := cli.Parse(flags, []string{"-h"}); !errors.Is(err, flag.ErrHelp) || usage.String() != want {
		t.Errorf("-h = %v, and prints %q, want %q", err, usage.String(), want)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	if got := cli.Words(" [ops], alert ,,"); !slices.Equal(got, []string{"[ops]", "alert"}) || cli.Words("") != nil {
		t.Errorf("Words = %q, want two, and none of nothing", got)
	}
}

func TestCodeOfAFailure(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := errors.Join(errors.New("convert: config: one"), errors.New("two"))
	if code := cli.Code(&out, "convert", err); code != cli.ExitFailed || out.String() != "convert: config: one\nconvert: two\n" {
		t.Errorf("Code = %d, printed %q, want 1 and the name once on each line", code, out.String())
	}
}
