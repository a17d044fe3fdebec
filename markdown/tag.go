package markdown

import "strings"

// indexTag returns where the first at tag of s begins, or -1.
func indexTag(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '<')
		if i < 0 {
			return -1
		}
		from += i
		if isTag(s[from+1:], "at") {
			return from
		}
		from++
	}
}

// isTag reports whether s, what follows a "<", is the name and an end of the name.
func isTag(s, name string) bool {
	if len(s) < len(name) || !strings.EqualFold(s[:len(name)], name) {
		return false
	}
	if len(s) == len(name) {
		return true
	}
	c := s[len(name)]
	return c == '>' || c == '/' || isBlank(c)
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// cutTag splits s, what follows the name of a tag, at the ">" that ends the tag. A ">"
// within quotes does not.
func cutTag(s string) (attrs, rest string, ok bool) {
	var quote byte
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return "", s, false
		case c == '>':
			return strings.TrimSuffix(s[:i], "/"), s[i+1:], true
		}
	}
	return "", s, false
}

// cutName splits s, what follows an at tag, at the end tag. There is none if another at
// tag begins before.
func cutName(s string) (name, rest string, ok bool) {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '<')
		if i < 0 {
			return "", s, false
		}
		from += i + 1
		switch {
		case isTag(s[from:], "at"):
			return "", s, false
		case isTag(s[from:], "/at"):
			_, rest, ok = strings.Cut(s[from:], ">")
			return s[:from-1], rest, ok
		}
	}
}

// attribute returns the value of an attribute, which may be in either quotes or in none.
func attribute(attrs, name string) (string, bool) {
	for {
		attrs = strings.TrimLeft(attrs, " \t\r\n\f\v/")
		if attrs == "" {
			return "", false
		}
		var key, value string
		key, value, attrs = cutAttribute(attrs)
		if strings.EqualFold(key, name) {
			return value, true
		}
	}
}

// cutAttribute reads the first attribute of s, which is not empty and begins with no blank.
func cutAttribute(s string) (key, value, rest string) {
	end := strings.IndexAny(s[1:], " \t\r\n\f\v=/") + 1
	if end == 0 {
		return s, "", ""
	}
	key, rest = s[:end], strings.TrimLeft(s[end:], " \t\r\n\f\v")
	if !strings.HasPrefix(rest, "=") {
		return key, "", rest
	}
	rest = strings.TrimLeft(rest[1:], " \t\r\n\f\v")
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		value, rest, _ = strings.Cut(rest[1:], rest[:1])
		return key, value, rest
	}
	if end = strings.IndexAny(rest, " \t\r\n\f\v"); end < 0 {
		end = len(rest)
	}
	return key, rest[:end], rest[end:]
}
