package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherLanguagesWorkAgainstIt runs clients that share no code with this module.
func TestOtherLanguagesWorkAgainstIt(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"Node": {"node", "client.mjs"},
		"Java": {"java", "Client.java"},
		"PHP":  {"php", "client.php"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(command[0])
			if err != nil {
				t.Skip(err)
			}
			url, _ := emulate(t)
			documents := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeFile(w, r, "../quickstart/document/handbook.docx")
			}))
			script, err := filepath.Abs(filepath.Join("testdata", command[1]))
			if err != nil {
				t.Fatal(err)
			}
			out := example(t, filepath.Dir(program), url, true, nil, filepath.Base(program), script, documents+"/handbook.docx")
			if found := call(t, http.MethodGet, url+"/_emulator/search?kind=message&state=accepted&text="+name+"+read", ""); strings.Contains(found, `"items":[]`) {
				t.Errorf("no message came: %s, %s", found, out)
			}
			if found := call(t, http.MethodGet, url+"/_emulator/exchanges?refused=true", ""); !strings.Contains(found, `"items":[]`) {
				t.Errorf("some requests were refused: %s", found)
			}
		})
	}
}
