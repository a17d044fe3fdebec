package signing_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

func TestFormatDateIsAlwaysGMT(t *testing.T) {
	t.Parallel()
	const want = "Wed, 23 Jan 2013 06:43:08 GMT"
	at := time.Date(2013, 1, 23, 6, 43, 8, 999, time.UTC)
	for _, zone := range []*time.Location{time.UTC, time.Local, time.FixedZone("CST", 8*3600), time.FixedZone("", -5*3600)} {
		if got := signing.FormatDate(at.In(zone)); got != want {
			t.Errorf("FormatDate in %v = %q, want %q", zone, got, want)
		}
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	want := time.Date(2013, 1, 23, 6, 43, 8, 0, time.UTC)
	for _, s := range []string{
		"Wed, 23 Jan 2013 06:43:08 GMT",
		"Wed, 23 Jan 2013 06:43:08 UTC",
		"Wed, 23 Jan 2013 06:43:08 +0000",
		"Wed, 23 Jan 2013 14:43:08 CST",
		"Wed, 23 Jan 2013 14:43:08 +0800",
		"Wed, 23 Jan 2013 01:13:08 -0530",
		"Mon, 23 Jan 2013 06:43:08 GMT",
	} {
		got, err := signing.ParseDate(s)
		if err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("ParseDate(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "GMT", "2013-01-23T06:43:08Z",
		"Wed, 23 Jan 2013 06:43:08",
		"Wed, 23 Jan 2013 06:43:08 ",
		"Wed, 23 Jan 2013 06:43:08 gmt",
		"Wed, 23 Jan 2013 06:43:08 PST",
		"Wed, 23 Jan 2013 06:43:08 GMT ",
		"Wed, 23 Jan 2013 06:43:08 +08:00",
		"Wed, 23 Jan 2013 06:43:08 +2400",
		"Wed, 23 Jan 2013 06:43:08 +0860",
		"Wed, 23 Jan 2013 06:43:08 +08 0",
		"Wed, 3 Jan 2013 06:43:08 GMT",
		"Wed, 31 Feb 2013 06:43:08 GMT",
		"Wed, 00 Jan 2013 06:43:08 GMT",
		"Wed, 23 Foo 2013 06:43:08 GMT",
		"Xxx, 23 Jan 2013 06:43:08 GMT",
		"Wed, 23 Jan 2013 24:00:00 GMT",
		"Wed, 23 Jan 2013 06:60:08 GMT",
		"Wed, 23 Jan 2013 06:43:60 GMT",
		"Wed, 23 Jan -013 06:43:08 GMT",
		"Wednesday, 23-Jan-13 06:43:08 GMT",
		"Wed Jan 23 06:43:08 2013 GMT ",
	} {
		if got, err := signing.ParseDate(s); err == nil {
			t.Errorf("ParseDate(%q) = %v, want an error", s, got)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("Wed, 23 Jan 2013 06:43:08 GMT")
	f.Add("Thu, 29 Feb 2024 23:59:59 +0800")
	f.Fuzz(func(t *testing.T, s string) {
		at, err := signing.ParseDate(s)
		if err != nil {
			return
		}
		again, err := signing.ParseDate(signing.FormatDate(at))
		if at.Year() >= 0 && at.Year() <= 9999 && (err != nil || !again.Equal(at)) {
			t.Errorf("ParseDate(FormatDate(%v)) = %v, %v", at, again, err)
		}
		if want, err := http.ParseTime(s); err == nil && !want.Equal(at) {
			t.Errorf("ParseDate(%q) = %v, http.ParseTime gives %v", s, at, want)
		}
	})
}
