package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/convert"
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
	operands                  []string // URLs and paths.

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
	flags.Func("file", "`path` of a document on this machine, of a folder of them, or a pattern such as '*.docx'; may be repeated", add(&in.files))
	flags.Func("list", "`file` with a URL or path per line, and after a tab its name if the URL does not end in it; - is stdin", add(&in.lists))
	flags.Func("task", "`id` of a task that was submitted before, to carry on with, or id=report.docx, which names its results; may be repeated", add(&in.tasks))
	flags.StringVar(&in.name, "name", "", "`name` of the one document, with extension, if the URL does not end in it")
}

// read gives all documents in their order, each file and task once, with results of different names.
func (in *inputs) read(stdin io.Reader, target convert.Target) ([]*document, error) {
	var documents []*document
	var errs []error
	seen := map[string]bool{}
	add := func(where, text, name string) {
		d, err := newDocument(text, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
			return
		}
		if d.file != "" {
			key := filepath.Clean(d.file)
			if seen[key] {
				return
			}
			seen[key] = true
		}
		documents = append(documents, d)
	}
	for _, u := range in.urls {
		if !isURL(u) {
			errs = append(errs, fmt.Errorf("%s is not an http or https address; -file takes paths", u))
			continue
		}
		add("-in", u, in.name)
	}
	files, unknown := in.split(add)
	errs = append(errs, unknown...)
	for _, file := range files {
		found, err := expand(file, target)
		if err != nil {
			errs = append(errs, fmt.Errorf("-file: %w", err))
		}
		for _, file := range found {
			add("-file", file, in.name)
		}
	}
	for _, list := range in.lists {
		if err := readList(list, stdin, add); err != nil {
			errs = append(errs, fmt.Errorf("-list: %w", err))
		}
	}
	for _, id := range in.tasks {
		if d := newTask(id, in.name); !seen["task "+d.task] {
			seen["task "+d.task] = true
			documents = append(documents, d)
		}
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

// split adds the operands that are URLs, and gives the paths among them with those of
// -file.
func (in *inputs) split(add func(where, text, name string)) (files []string, errs []error) {
	files = slices.Clone(in.files)
	for _, operand := range in.operands {
		switch {
		case isURL(operand):
			add("-in", operand, in.name)
		case strings.HasPrefix(operand, "-"):
			errs = append(errs, fmt.Errorf("%s comes after an address: flags go before all of them", operand))
		case !isPath(operand):
			errs = append(errs, fmt.Errorf("%s is neither an http or https address nor a file; -file takes paths that are not there yet", operand))
		default:
			files = append(files, operand)
		}
	}
	return files, errs
}

// isPath reports whether there is something at the path, or it is a pattern.
func isPath(path string) bool {
	_, err := os.Stat(path)
	return err == nil || strings.ContainsAny(path, "*?[")
}

// expand gives the files of a folder that can be converted, or those that a pattern
// names. Any other path is given back: whether it is there is found out later.
func expand(path string, target convert.Target) ([]string, error) {
	if info, err := os.Stat(path); err == nil {
		if !info.IsDir() {
			return []string{path}, nil
		}
		return documentsBelow(path, target)
	}
	if !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil
	}
	found, err := filepath.Glob(path)
	if err == nil && len(found) == 0 {
		err = errors.New("no file is there")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}

// documentsBelow walks a folder. Hidden files are left out, and so are those that an
// office suite puts beside a document that is open.
func documentsBelow(folder string, target convert.Target) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(name, ".") && path != folder && entry.IsDir():
			return filepath.SkipDir
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") || !entry.Type().IsRegular():
			return nil
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".docx", ".doc", ".pptx", ".ppt", ".xlsx", ".xls":
			found = append(found, path)
		case ".pdf":
			if target == convert.Text {
				found = append(found, path)
			}
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no document", folder)
	}
	return found, err
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

// newTask knows the name of its document if it is given: by -name, or after the id.
func newTask(text, name string) *document {
	id, after := text, ""
	if i := strings.LastIndex(text, "="); i > 0 && path.Ext(text[i:]) != "" { // an id may end in =
		id, after = text[:i], text[i+1:]
	}
	return &document{task: id, filename: cmp.Or(name, after, id)}
}
