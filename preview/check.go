package preview

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview/internal/headers"
)

const (
	required = ": required"
	notUTF8  = "public reference 1.2: UTF-8"
	ofFile   = "protocol 2.4"
	// tooLate is from when on a number cannot be meant as epoch seconds: the year
	// 5138. Above it are milliseconds that were taken for seconds.
	tooLate = 100_000_000_000
)

// check checks f against protocol 2.4, as an answer about id, whose length has
// been checked.
func (f *File) check(id string) error {
	return errors.Join(
		when(f.ID != id, "id", "protocol 2.4: equal to the requested id", f.ID),
		CheckName(f.Name),
		when(f.Version == 0, "version", "protocol 2.4: starts at 1", "0"),
		when(f.Size < 0, "size", "protocol 2.4: size in bytes, not negative", strconv.FormatInt(min(f.Size, 0), 10)),
		checkTime("create_time", f.CreatedAt),
		checkTime("modify_time", f.ModifiedAt),
		checkText("creator_id", ofFile, f.CreatorID),
		checkText("modifier_id", ofFile, f.ModifierID),
	)
}

func checkTime(field string, t time.Time) error {
	switch {
	case t.IsZero():
		return broken(field, ofFile+required, "")
	case t.Unix() <= 0: // an unset number
		return broken(field, "protocol 2.4: epoch seconds, later than the first of 1970", t.UTC().Format(time.RFC3339))
	case t.Unix() >= tooLate:
		return broken(field, "protocol 2.4: epoch seconds; milliseconds are for time.UnixMilli", t.UTC().Format(time.RFC3339))
	default:
		return nil
	}
}

// checkText checks a text that source requires.
func checkText(field, source, s string) error {
	if s == "" {
		return broken(field, source+required, "")
	}
	return when(!utf8.ValidString(s), field, notUTF8, s)
}

// check checks d against protocol 2.5, and returns its address.
func (d *Download) check() (*url.URL, error) {
	u, err := checkURL("url", "protocol 2.5: absolute http or https address", d.URL)
	return u, errors.Join(err, d.Digest.check(), checkHeaders("headers", "protocol 2.5", d.Header))
}

// checkURL checks that raw is an absolute address. The value in its error is
// without a query.
func checkURL(field, rule, raw string) (*url.URL, error) {
	if raw == "" {
		return nil, broken(field, rule, "")
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !utf8.ValidString(raw) {
		return nil, broken(field, rule, redact.URL(raw))
	}
	return u, nil
}

// check checks g as a part of a Download.
func (g Digest) check() error {
	switch {
	case g == Digest{}:
		return nil
	case g.Type != MD5 && g.Type != SHA1:
		return broken("digest_type", "protocol 2.5: md5 or sha1", string(g.Type))
	default:
		return g.checkHex()
	}
}

// checkHex checks that the digits are those of the type.
func (g Digest) checkHex() error {
	n := digits[g.Type]
	if len(g.Hex) == n && strings.Trim(g.Hex, "0123456789abcdef") == "" {
		return nil
	}
	return broken("digest", "protocol 2.5: "+strconv.Itoa(n)+" lowercase hexadecimal digits for "+string(g.Type), g.Hex)
}

// checkHeaders checks that h can be sent as HTTP headers. Its errors have names, not
// values.
func checkHeaders(field, source string, h map[string]string) error {
	if name, problem := headers.Problem(h); problem != "" {
		return broken(field, source+": "+problem, name)
	}
	return nil
}
