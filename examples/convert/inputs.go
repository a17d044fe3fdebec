package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// document is one thing to convert.
type document struct {
	url      string // where the service fetches it; or
	file     string // where it is on this machine; or
	task     string // what the service called it when it was submitted before
	filename string // what the service is told
	base     string // what its results are called, without extension
}

// source names d to the user, without the query of its address, which may be
// what gives access to it.
func (d *document) source() string {
	switch {
	case d.file != "":
		return d.file
	case d.task != "":
		return "task " + d.task
	}
	u, err := url.Parse(d.url)
	if err != nil {
		return d.filename
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// inputs are the documents as they were given.
type inputs struct {
	urls, files, lists, tasks []string

	name string
}

func (in *inputs) register(flags *flag.FlagSet) {
	add := func(to *[]string) func(string) error {
		return func(s string) error {
			*to = append(*to, s)
			return nil
		}
	}
	flags.Func("in", "`URL` of a document; may be repeated, and -in may be left out", add(&in.urls))
	flags.Func("file", "`path` of a document on this machine; may be repeated", add(&in.files))
	flags.Func("list", "`file` with a URL or path per line, and after a tab its name if the URL does not end in it; - is stdin", add(&in.lists))
	flags.Func("task", "`id` of a task that was submitted before, to carry on with; may be repeated", add(&in.tasks))
	flags.StringVar(&in.name, "name", "", "`name` of the one document, with extension, if the URL does not end in it")
}

// read gives all documents in their order, with results of different names.
func (in *inputs) read(stdin io.Reader) ([]*document, error) {
	var documents []*document
	var errs []error
	add := func(where, text, name string) {
		d, err := newDocument(text, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
			return
		}
		documents = append(documents, d)
	}
	for _, u := range in.urls {
		switch {
		case strings.HasPrefix(u, "-"):
			errs = append(errs, fmt.Errorf("%s comes after an address: flags go before all of them", u))
			continue
		case !isURL(u):
			errs = append(errs, fmt.Errorf("%s is no http or https address; -file takes paths", u))
			continue
		}
		add("-in", u, in.name)
	}
	for _, file := range in.files {
		add("-file", file, in.name)
	}
	for _, list := range in.lists {
		if err := readList(list, stdin, add); err != nil {
			errs = append(errs, fmt.Errorf("-list: %w", err))
		}
	}
	for _, id := range in.tasks {
		documents = append(documents, &document{task: id, filename: id})
	}
	switch {
	case len(errs) == 0 && len(documents) == 0:
		errs = append(errs, errors.New("no document is given"))
	case in.name != "" && len(documents) > 1:
		errs = append(errs, errors.New("-name is for one document"))
	}
	nameResults(documents)
	return documents, errors.Join(errs...)
}

// readList adds the lines of a list; empty lines and those with # are passed over.
func readList(list string, stdin io.Reader, add func(where, text, name string)) error {
	r := stdin
	if list != "-" {
		file, err := os.Open(list)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		r = file
	}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, name, _ := strings.Cut(strings.TrimSpace(lines.Text()), "\t")
		if text != "" && !strings.HasPrefix(text, "#") {
			add(fmt.Sprintf("-list: line %d", n), text, strings.TrimSpace(name))
		}
	}
	return lines.Err()
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// newDocument finds out the name of a document, which has its extension.
func newDocument(text, name string) (*document, error) {
	d := &document{file: text, filename: name}
	if isURL(text) {
		d.url, d.file = text, ""
	}
	if d.filename == "" && d.file != "" {
		d.filename = filepath.Base(d.file)
	}
	if d.filename == "" {
		u, err := url.Parse(d.url)
		if err != nil {
			return nil, errors.New("an address cannot be read")
		}
		d.filename = path.Base(u.Path)
	}
	if path.Ext(d.filename) == "" {
		return nil, fmt.Errorf("%s does not end in a name with an extension: give it one with -name, or in the list after a tab", d.source())
	}
	return d, nil
}

// nameResults gives each document a base name of its own, also where file systems
// do not tell upper from lower case.
func nameResults(documents []*document) {
	taken := map[string]bool{}
	for _, d := range documents {
		base := strings.TrimSuffix(d.filename, path.Ext(d.filename))
		base = strings.Map(func(r rune) rune {
			if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
				return '_'
			}
			return r
		}, base)
		d.base = base
		for n := 2; taken[strings.ToLower(d.base)]; n++ {
			d.base = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(d.base)] = true
	}
}
