package signingtest

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"net/textproto"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// vector is one file: the values of each name, in order.
type vector struct {
	name string
	textproto.MIMEHeader
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
		lines, err := textproto.NewReader(bufio.NewReader(strings.NewReader(string(text) + "\n"))).ReadMIMEHeader()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, vector{strings.TrimSuffix(path.Base(file), ".txt"), lines})
	}
	return all
}

// text returns a value that is a JSON string, or "" if it is not there.
func (v vector) text(t *testing.T, name string) (s string) {
	t.Helper()
	if value := v.Get(name); value != "" {
		if err := json.Unmarshal([]byte(value), &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return s
}

func (v vector) date(t *testing.T, name string) time.Time {
	t.Helper()
	at, err := signing.ParseDate(v.Get(name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return at
}

func (v vector) credentials(t *testing.T) (all []signing.Credentials) {
	t.Helper()
	for _, line := range v.Values("credentials") {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("credentials: %q does not have three words", line)
		}
		if words[0] == "robot" {
			all = append(all, signing.Robot(signing.NewSecret(words[1]), signing.NewSecret(words[2])))
			continue
		}
		all = append(all, signing.AppWithScheme(words[0], words[1], signing.NewSecret(words[2])))
	}
	if len(all) == 0 {
		t.Fatal("no credentials")
	}
	return all
}
