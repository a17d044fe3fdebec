package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestOfficeSuiteMissingShowsEveryArea runs without LibreOffice, which is faster;
// the other areas do not need it.
func TestOfficeSuiteMissingShowsEveryArea(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out := quickstart(t, t.TempDir())
	for _, want := range []string{
		`opened +handbook\.docx, version 1, \d{4,} bytes`,
		`permission +ada may read: true, edit: true`,
		`saved +handbook\.docx, now version 2`,
		`history +version 2, \d{4,} bytes, by ada`,
		`history +version 1, \d{4,} bytes, by owner`,
		`callback +registered`,
		`arrived +\{"msgtype":"markdown".*handbook\.docx.*<at email=\\"ada@example\.com\\">Ada</at>`,
		`arrived +\{"msgtype":"text".*is the handbook ready\?`,
		`user ada +token \[secret\], valid for another 2h`,
		`user eve +refused: .*40003`,
		`endpoint +tokens fetched from it: 1`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("output does not match %s:\n%s", want, out)
		}
	}
	if strings.Contains(out, `<at user_id=\"-1\"`) {
		t.Errorf("text of a user mentions everyone:\n%s", out)
	}
}
