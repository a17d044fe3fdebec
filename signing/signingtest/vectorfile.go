package signingtest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
)

// vector is one file: the values of each name, in order.
type vector struct {
	name  string
	lines map[string][]string
}

// read reads a folder of vectors. An empty one proves nothing, and fails.
func read(t *testing.T, folder string) []vector {
	t.Helper()
	files, err := fs.Glob(Vectors(), folder+"/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s (error %v)", folder, err)
	}
	all := make([]vector, 0, len(files))
	for _, file := range files {
		text, err := fs.ReadFile(Vectors(), file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		v.name = strings.TrimSuffix(path.Base(file), ".txt")
		all = append(all, v)
	}
	return all
}

func parse(text string) (vector, error) {
	v := vector{lines: map[string][]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return v, fmt.Errorf("line %q has no name", line)
		}
		v.lines[name] = append(v.lines[name], strings.TrimPrefix(value, " "))
	}
	return v, nil
}

// one returns the value of a name that occurs once, or "".
func (v vector) one(name string) string {
	if values := v.lines[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// text returns a value that is a JSON string, and whether it is there.
func (v vector) text(name string) (s string, ok bool, err error) {
	if len(v.lines[name]) == 0 {
		return "", false, nil
	}
	if err := json.Unmarshal([]byte(v.one(name)), &s); err != nil {
		return "", true, fmt.Errorf("%s: %w", name, err)
	}
	return s, true, nil
}

func (v vector) credentials() ([]signing.Credentials, error) {
	var all []signing.Credentials
	for _, line := range v.lines["credentials"] {
		words := strings.Fields(line)
		if len(words) != 3 {
			return nil, fmt.Errorf("credentials: %q does not have three words", line)
		}
		if words[0] == "robot" {
			all = append(all, signing.Robot(signing.NewSecret(words[1]), signing.NewSecret(words[2])))
			continue
		}
		all = append(all, signing.AppWithScheme(words[0], words[1], signing.NewSecret(words[2])))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no credentials", v.name)
	}
	return all, nil
}
