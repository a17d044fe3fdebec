package signing

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

const (
	weekdays = "SunMonTueWedThuFriSat"
	months   = "JanFebMarAprMayJunJulAugSepOctNovDec"
)

// dateLength is the length of "Wed, 23 Jan 2013 06:43:08 GMT".
const dateLength = len(http.TimeFormat)

var errDate = errors.New(`signing: date: want the form "Wed, 23 Jan 2013 06:43:08 GMT"`)

// FormatDate returns a Date header, such as "Wed, 23 Jan 2013 06:43:08 GMT".
func FormatDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// ParseDate reads a Date header. Its zone may be GMT, UTC, an offset such as +0800, or
// CST, which is China's +0800 (public reference 3.1). The weekday is not compared with
// the date.
func ParseDate(s string) (time.Time, error) {
	// "Wed, 23 Jan 2013 06:43:08 " is 26 bytes, and a zone follows.
	if len(s) < dateLength || len(s) > dateLength+2 ||
		s[3:5] != ", " || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' ||
		s[19] != ':' || s[22] != ':' || s[25] != ' ' {
		return time.Time{}, errDate
	}
	offset, ok := parseZone(s[26:])
	month := indexName(months, s[8:11]) + 1
	if !ok || month == 0 || indexName(weekdays, s[:3]) < 0 {
		return time.Time{}, errDate
	}
	day, hour, minute, second := two(s[5:]), two(s[17:]), two(s[20:]), two(s[23:])
	century, rest := two(s[12:]), two(s[14:])
	if min(day, hour, minute, second, century, rest) < 0 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, errDate
	}
	t := time.Date(100*century+rest, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Day() != day { // 31 Feb became March
		return time.Time{}, errDate
	}
	return t.Add(-offset), nil
}

func parseZone(s string) (offset time.Duration, ok bool) {
	switch {
	case s == "GMT" || s == "UTC":
		return 0, true
	case s == "CST":
		return 8 * time.Hour, true
	case len(s) == 5 && (s[0] == '+' || s[0] == '-'):
		hours, minutes := two(s[1:]), two(s[3:])
		if min(hours, minutes) < 0 || hours > 23 || minutes > 59 {
			return 0, false
		}
		offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		if s[0] == '-' {
			offset = -offset
		}
		return offset, true
	default:
		return 0, false
	}
}

// indexName returns the index of a name of three letters in a list of such names, or -1.
func indexName(list, name string) int {
	i := strings.Index(list, name)
	if i%3 != 0 { // not there, or across two names
		return -1
	}
	return i / 3
}

// two reads two digits, or returns -1.
func two(s string) int {
	tens, ones := s[0]-'0', s[1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return int(tens)*10 + int(ones)
}
