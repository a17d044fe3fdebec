package office

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// builtInFormats are the number formats that a spreadsheet refers to by number only
// (ECMA-376 part 1, 18.8.30).
var builtInFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%",
	14: "mm/dd/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: "mm/dd/yyyy h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
}

// numberFormat is the first section of a format code, as far as it is understood: dates
// and times, percent, decimals and groups of thousands. Other numbers are written
// plainly.
type numberFormat struct {
	tokens   []string // Of a date; nil: it is a number.
	plain    bool
	before   string
	after    string
	decimals int
	groups   bool
	percent  bool
}

func parseFormat(code string) numberFormat {
	section, _, _ := strings.Cut(code, ";")
	tokens := formatTokens(section)
	f := numberFormat{}
	if slices.ContainsFunc(tokens, isDateToken) {
		f.tokens = tokens
		return f
	}
	digits, point := false, false
	for _, t := range tokens {
		switch {
		case t == "0" || t == "#" || t == "?":
			digits = true
			if point {
				f.decimals++
			}
		case t == "." && digits:
			point = true
		case t == ",":
			f.groups = f.groups || digits
		case t == "%":
			f.percent = true
		case t == "E" || t == "/" || t == "General" || t == "@":
			f.plain = true
		case digits:
			f.after += literal(t)
		default:
			f.before += literal(t)
		}
	}
	f.plain = f.plain || !digits
	return f
}

// formatTokens cuts a format code into runs of one letter, literals with a quote
// before them, and single characters.
func formatTokens(code string) (tokens []string) {
	for i := 0; i < len(code); {
		start := i
		switch c := code[i]; {
		case c == '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return tokens
			}
			tokens = append(tokens, code[i:i+1+end])
			i += end + 2
			continue
		case c == '\\' || c == '_' || c == '*':
			i += 2
			if c == '\\' && i <= len(code) {
				tokens = append(tokens, `"`+code[start+1:i])
			}
			continue
		case c == '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return tokens
			}
			i += end + 1
			if inner := strings.ToLower(code[start+1 : i-1]); inner != "" && strings.Trim(inner, inner[:1]) == "" && (inner[0] == 'h' || inner[0] == 'm' || inner[0] == 's') {
				tokens = append(tokens, "["+inner[:1])
			} else if strings.HasPrefix(inner, "$") {
				currency, _, _ := strings.Cut(code[start+2:i-1], "-")
				tokens = append(tokens, `"`+currency)
			}
			continue
		case hasFold(code[i:], "AM/PM"):
			i += len("AM/PM")
			tokens = append(tokens, "AM/PM")
			continue
		case hasFold(code[i:], "A/P"):
			i += len("A/P")
			tokens = append(tokens, "AM/PM")
			continue
		case hasFold(code[i:], "General"):
			i += len("General")
			tokens = append(tokens, "General")
			continue
		case strings.IndexByte("yYmMdDhHsS", c) >= 0:
			for i < len(code) && code[i]|0x20 == c|0x20 {
				i++
			}
			tokens = append(tokens, strings.ToLower(code[start:i]))
			continue
		}
		i++
		for i < len(code) && code[i]&0xC0 == 0x80 { // The rest of a character.
			i++
		}
		tokens = append(tokens, code[start:i])
	}
	return tokens
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func isDateToken(t string) bool {
	return t != "" && (strings.IndexByte("ymdhs", t[0]) >= 0 || t == "AM/PM" || t[0] == '[')
}

func literal(t string) string { return strings.TrimPrefix(t, `"`) }

// format writes a number.
func (f numberFormat) format(n float64, from1904 bool) string {
	switch {
	case f.tokens != nil && n >= 0 && n < 2958466: // The year 10000.
		return f.date(n, from1904)
	case f.tokens != nil || f.plain:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	if f.percent {
		n *= 100
	}
	text := strconv.FormatFloat(math.Abs(n), 'f', f.decimals, 64)
	if f.groups {
		text = group(text)
	}
	if f.percent {
		text += "%"
	}
	sign := ""
	if n < 0 {
		sign = "-"
	}
	return strings.TrimSpace(sign + f.before + text + f.after)
}

// group puts commas between the thousands.
func group(text string) string {
	whole, fraction, hasFraction := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole
}

// date writes a number of days.
func (f numberFormat) date(n float64, from1904 bool) string {
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if n < 60 {
		start = start.AddDate(0, 0, 1) // Spreadsheets have a 29 February 1900.
	}
	seconds := math.Round(n * 86400)
	t := start.AddDate(0, 0, int(seconds/86400)).Add(time.Duration(math.Mod(seconds, 86400)) * time.Second)
	var b strings.Builder
	half := false
	for _, token := range f.tokens {
		half = half || token == "AM/PM"
	}
	lastUnit := ""
	for i, token := range f.tokens {
		if token[0] == 'm' && (lastUnit == "h" || f.nextUnit(i) == "s") {
			b.WriteString(padded(t.Minute(), len(token)))
			lastUnit = "min"
			continue
		}
		b.WriteString(dateToken(t, token, seconds, half))
		if isDateToken(token) {
			lastUnit = strings.TrimPrefix(token, "[")[:1]
		}
	}
	return strings.TrimSpace(b.String())
}

// nextUnit is the first letter of the next unit after token i.
func (f numberFormat) nextUnit(i int) string {
	for _, t := range f.tokens[i+1:] {
		if isDateToken(t) {
			return t[:1]
		}
	}
	return ""
}

func dateToken(t time.Time, token string, seconds float64, half bool) string {
	layouts := map[string]string{
		"yy": "06", "yyy": "2006", "yyyy": "2006", "y": "06", "m": "1", "mm": "01", "mmm": "Jan", "mmmm": "January",
		"d": "2", "dd": "02", "ddd": "Mon", "dddd": "Monday", "AM/PM": "PM", "s": "5", "ss": "05",
	}
	switch {
	case layouts[token] != "":
		return t.Format(layouts[token])
	case token == "mmmmm":
		return t.Format("Jan")[:1]
	case token[0] == 'h' && half:
		return padded((t.Hour()+11)%12+1, len(token))
	case token[0] == 'h':
		return padded(t.Hour(), len(token))
	case token == "[h":
		return strconv.Itoa(int(seconds / 3600))
	case token == "[m":
		return strconv.Itoa(int(seconds / 60))
	case token == "[s":
		return strconv.Itoa(int(seconds))
	case token == "0" || token == "#":
		return ""
	default:
		return literal(token)
	}
}

func padded(n, width int) string {
	text := strconv.Itoa(n)
	if width > 1 && n < 10 {
		text = "0" + text
	}
	return text
}
