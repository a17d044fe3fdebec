package converttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// target is a row of [targets]. Nothing here is shared with the checks of package
// convert, so that a mistake there is found here.
type target struct {
	name        convert.Target
	path        string                      // below PathPrefix (protocol 4.1)
	fields      []string                    // of protocol 2.1
	extensions  []string                    // the supported input types of protocol 2.1
	contentType string                      // of its results
	list        func(*result, []resultFile) // puts files into a result (protocol 2.3)
}

var targets = []target{
	{
		name:        convert.Text,
		path:        "office/convert/to/txt",
		fields:      []string{"url", "filename", "password", "from_page", "to_page", "long_txt", "hold_line_feed", "ranges"},
		extensions:  []string{".pptx", ".ppt", ".docx", ".doc", ".xlsx", ".xls", ".pdf"},
		contentType: "text/plain; charset=utf-8",
		list:        func(r *result, files []resultFile) { r.Texts = files },
	},
	{
		name:        convert.PDF,
		path:        "office/convert/to/pdf",
		fields:      []string{"url", "filename", "password", "from_page", "to_page", "show_comments"},
		extensions:  []string{".pptx", ".ppt", ".docx", ".doc", ".xlsx", ".xls"},
		contentType: "application/pdf",
		list:        func(r *result, files []resultFile) { r.PDFs = files },
	},
}

// targetOf returns the row of a target that the server accepted.
func targetOf(name convert.Target) *target {
	i := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
	return &targets[i]
}

// readSubmission checks a body against protocol 2.1. Its error names every rule that is
// broken.
func readSubmission(body []byte, t *target) (Submission, error) {
	object, err := readObject(body)
	if err != nil {
		return Submission{}, fmt.Errorf("protocol 2.1: %w", err)
	}
	f := &form{object: object}
	for name := range object {
		if !slices.Contains(t.fields, name) {
			f.refuse(name, fmt.Sprintf("is not a field of the %s target", t.name))
		}
	}
	sub := Submission{
		URL:            f.text("url", true),
		Filename:       f.text("filename", true),
		Password:       signing.NewSecret(f.text("password", false)),
		MergePages:     f.either("long_txt", "true", "false", "must be true or false"),
		KeepLineBreaks: f.either("hold_line_feed", "true", "false", "must be true or false"),
		ShowComments:   f.either("show_comments", "1", "0", "must be 0 or 1"),
	}
	if u, err := url.Parse(sub.URL); sub.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "") {
		f.refuse("url", "must be an absolute http or https URL")
	}
	if extension := strings.ToLower(path.Ext(sub.Filename)); sub.Filename != "" && !slices.Contains(t.extensions, extension) {
		f.refuse("filename", fmt.Sprintf("must end in an extension that has a %s target", t.name))
	}
	sub.Pages = f.pages()
	return sub, f.err()
}

var errNotObject = errors.New("the body must be a JSON object in UTF-8, which nothing follows")

// readObject reads one JSON object whose names are all different.
func readObject(body []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !json.Valid(body) || !utf8.Valid(body) {
		return nil, errNotObject
	}
	object := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		key, _ := name.(string) // an object's names are strings
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("%q occurs twice", key)
		}
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil, errNotObject
		}
		object[key] = value
	}
	return object, nil
}

// form reads fields and collects what is wrong with them.
type form struct {
	object   map[string]json.RawMessage
	problems []string
}

func (f *form) refuse(name, why string) {
	f.problems = append(f.problems, fmt.Sprintf("%q %s", name, why))
}

// err is stable: maps have no order.
func (f *form) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	slices.Sort(f.problems)
	return errors.New("protocol 2.1: " + strings.Join(f.problems, "; "))
}

func (f *form) text(name string, required bool) string {
	raw, there := f.object[name]
	if !there && !required {
		return ""
	}
	var s string
	switch {
	case !there:
		f.refuse(name, "is required")
	case raw[0] != '"' || json.Unmarshal(raw, &s) != nil:
		f.refuse(name, "must be a string")
	case s == "" && required:
		f.refuse(name, "must not be empty")
	}
	return s
}

// either reports whether the field is yes; if it is there, it must be yes or no.
func (f *form) either(name, yes, no, rule string) bool {
	raw, there := f.object[name]
	if there && string(raw) != yes && string(raw) != no {
		f.refuse(name, rule)
	}
	return string(raw) == yes
}

// page returns 0 where there is no such field.
func (f *form) page(name string) int {
	raw, there := f.object[name]
	n, err := strconv.ParseInt(string(raw), 10, 32)
	switch {
	case there && err != nil:
		f.refuse(name, "must be an integer")
	case there && n < 1:
		f.refuse(name, "must be at least 1: pages are counted from there")
	}
	return int(n)
}

// pages reads the three fields that select pages. ranges excludes the others.
func (f *form) pages() convert.Pages {
	_, hasFrom := f.object["from_page"]
	_, hasTo := f.object["to_page"]
	if _, hasRanges := f.object["ranges"]; hasRanges {
		if hasFrom || hasTo {
			f.refuse("ranges", "excludes from_page and to_page")
			return nil
		}
		text := f.text("ranges", true)
		ranges, err := readRanges(text)
		if err != nil && text != "" {
			f.refuse("ranges", err.Error())
		}
		return ranges
	}
	if !hasFrom && !hasTo {
		return nil
	}
	span := convert.Span{From: f.page("from_page"), To: f.page("to_page")}
	if span.From > 0 && span.To > 0 && span.To <= span.From {
		f.refuse("to_page", "must be greater than from_page")
	}
	return span
}

// readRanges reads the shape <n>,<n>-<m>,<n>.
func readRanges(s string) (convert.Ranges, error) {
	var ranges convert.Ranges
	for item := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(item, "-")
		from, ok := readPage(first)
		to := from
		if ok && isRange {
			to, ok = readPage(last)
		}
		switch {
		case !ok:
			return nil, fmt.Errorf("must be page numbers from 1 and ranges such as 3-5, separated by commas; %q is neither", item)
		case to < from:
			return nil, fmt.Errorf("has %q, whose end lies before its start", item)
		}
		ranges = append(ranges, convert.Span{From: from, To: to})
	}
	return ranges, nil
}

// readPage reads a page number: decimal digits, no sign, no leading zero.
func readPage(s string) (int, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil && n > 0 && strconv.FormatInt(n, 10) == s
}
