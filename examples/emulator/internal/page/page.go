// Package page is the page of the emulator: a shell, style sheets, and JavaScript modules
// that show and drive the machine API of the program. Everything is embedded as it is
// committed; nothing is built.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Policy is the content security policy of the page. Nothing inline runs, nothing comes
// from another origin, and no string becomes markup.
const Policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// Languages are those that the page is written in, the default first.
var languages = []language.Tag{language.English, language.SimplifiedChinese}

//go:embed shell.html static catalog
var files embed.FS

// Handler returns what serves the page at "/" and its files below "/static/". It needs the
// machine API of the program on the same origin.
func Handler() (http.Handler, error) {
	shells, err := renderShells()
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	assets, err := readAssets()
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept-Language")
		shells[preferred(r.Header.Get("Accept-Language"))].serve(w, r)
	})
	mux.HandleFunc("GET /static/{name...}", func(w http.ResponseWriter, r *http.Request) {
		file, ok := assets[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		file.serve(w, r)
	})
	return mux, nil
}

// preferred returns the index of the language that a reader wants most.
func preferred(accept string) int {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return 0
	}
	_, i, _ := language.NewMatcher(languages).Match(wanted...)
	return i
}

// shell is the data of the template.
type shell struct {
	Lang    string
	Styles  []string
	Modules []string
	Views   []string
	Themes  []string
	texts   map[string]string
}

// T returns the text of a key of the catalog. An unknown key is an error of the template.
func (s shell) T(key string) (string, error) {
	text, ok := s.texts[key]
	if !ok {
		return "", fmt.Errorf("no text %q in %s", key, s.Lang)
	}
	return text, nil
}

// renderShells makes the document once for each language.
func renderShells() ([]*asset, error) {
	tmpl, err := template.ParseFS(files, "shell.html")
	if err != nil {
		return nil, err
	}
	names, err := names()
	if err != nil {
		return nil, err
	}
	shells := make([]*asset, 0, len(languages))
	for _, tag := range languages {
		s := shell{
			Lang:   tagName(tag),
			Views:  []string{"overview", "conversions", "chat", "viewer", "plugin", "requests", "faults"},
			Themes: []string{"auto", "light", "dark"},
		}
		for _, name := range names {
			switch path.Ext(name) {
			case ".css":
				s.Styles = append(s.Styles, name)
			case ".js":
				s.Modules = append(s.Modules, name)
			}
		}
		s.Modules = slices.DeleteFunc(s.Modules, func(name string) bool { return name == "early.js" })
		text, err := files.ReadFile("catalog/" + s.Lang + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &s.texts); err != nil {
			return nil, fmt.Errorf("catalog of %s: %w", s.Lang, err)
		}
		var b bytes.Buffer
		if err := tmpl.Execute(&b, s); err != nil {
			return nil, err
		}
		shells = append(shells, newAsset("index.html", b.Bytes()))
	}
	return shells, nil
}

// tagName is the name of a language in the page and of its catalog.
func tagName(tag language.Tag) string {
	if tag == language.SimplifiedChinese {
		return "zh-CN"
	}
	return tag.String()
}

func names() ([]string, error) {
	var names []string
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(name, "static/"))
		}
		return err
	})
	return names, err
}

func readAssets() (map[string]*asset, error) {
	names, err := names()
	if err != nil {
		return nil, err
	}
	assets := make(map[string]*asset, len(names)+len(languages))
	for _, name := range names {
		body, err := files.ReadFile("static/" + name)
		if err != nil {
			return nil, err
		}
		assets[name] = newAsset(name, body)
	}
	for _, tag := range languages {
		name := "catalog/" + tagName(tag) + ".json"
		body, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		assets[name] = newAsset(name, body)
	}
	return assets, nil
}
