package converttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// The fields of protocol 2.1 and where they belong. Nothing here is shared with
// the checks of package convert, so that a mistake there is found here.
var fields = map[string][]convert.Target{
	"url":            {convert.Text, convert.PDF},
	"filename":       {convert.Text, convert.PDF},
	"password":       {convert.Text, convert.PDF},
	"from_page":      {convert.Text, convert.PDF},
	"to_page":        {convert.Text, convert.PDF},
	"long_txt":       {convert.Text},
	"hold_line_feed": {convert.Text},
	"ranges":         {convert.Text},
	"show_comments":  {convert.PDF},
}

// The supported input types of protocol 2.1.
var extensions = map[string][]convert.Target{
	".pptx": {convert.Text, convert.PDF},
	".ppt":  {convert.Text, convert.PDF},
	".docx": {convert.Text, convert.PDF},
	".doc":  {convert.Text, convert.PDF},
	".xlsx": {convert.Text, convert.PDF},
	".xls":  {convert.Text, convert.PDF},
	".pdf":  {convert.Text},
}

// readSubmission reads a body against the table of protocol 2.1. Its error names
// every rule that is broken.
func readSubmission(body []byte, target convert.Target) (Submission, error) {
	object, err := readObject(body)
	if err != nil {
		return Submission{}, fmt.Errorf("protocol 2.1: %w", err)
	}
	f := &form{object: object}
	for name := range object {
		switch targets, known := fields[name]; {
		case !known:
			f.refuse(name, "is no field")
		case !slices.Contains(targets, target):
			f.refuse(name, fmt.Sprintf("is not a field of the %s target", target))
		}
	}
	sub := Submission{
		URL:            f.text("url", true),
		Filename:       f.text("filename", true),
		Password:       signing.NewSecret(f.text("password", false)),
		MergePages:     f.boolean("long_txt"),
		KeepLineBreaks: f.boolean("hold_line_feed"),
		ShowComments:   f.flag("show_comments"),
	}
	f.address("url", sub.URL)
	f.extension("filename", sub.Filename, target)
	sub.Pages = f.pages()
	return sub, f.err()
}

// readObject reads one JSON object whose names are all different.
func readObject(body []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the body must be UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("the body must be a JSON object")
	}
	object := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errors.New("the body must be a JSON object")
		}
		key, _ := name.(string) // an object's names are strings
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errors.New("the body must be a JSON object")
		}
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("%q occurs twice", key)
		}
		object[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("the body must be a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
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

func (f *form) boolean(name string) bool {
	switch raw := string(f.object[name]); raw {
	case "", "false":
		return false
	case "true":
		return true
	default:
		f.refuse(name, "must be true or false")
		return false
	}
}

// flag is a boolean as the protocol declares show_comments: an int.
func (f *form) flag(name string) bool {
	switch raw := string(f.object[name]); raw {
	case "", "0":
		return false
	case "1":
		return true
	default:
		f.refuse(name, "must be 0 or 1")
		return false
	}
}

// page returns 0 where there is no such field.
func (f *form) page(name string) int {
	raw, there := f.object[name]
	if !there {
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 32)
	switch {
	case err != nil:
		f.refuse(name, "must be an integer")
		return 0
	case n < 1:
		f.refuse(name, "must be at least 1: pages are counted from there")
		return 0
	}
	return int(n)
}

func (f *form) address(name, raw string) {
	if raw == "" {
		return
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		f.refuse(name, "must be an absolute http or https address")
	}
}

func (f *form) extension(name, filename string, target convert.Target) {
	if filename == "" {
		return
	}
	extension := strings.ToLower(path.Ext(filename))
	switch targets, known := extensions[extension]; {
	case !known:
		f.refuse(name, "must end in an extension of the table of input types")
	case !slices.Contains(targets, target):
		f.refuse(name, fmt.Sprintf("is a %s, which has no %s target", extension, target))
	}
}
