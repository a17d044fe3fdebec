package office

// FormatNumber is what a cell with that format code shows.
func FormatNumber(code string, n float64) string { return parseFormat(code).format(n, false) }
