package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
)

// picture is one screenshot.
type picture struct {
	file     string
	view     string
	screen   screen
	whole    bool // All of the view, not only what fits on the screen.
	fewTones bool
}

// pictures are those to make in a language.
func pictures(o options, places pagetest.Places, language string) []picture {
	var all []picture
	add := func(dir, file string, p picture) {
		name := fmt.Sprintf("%s-%s-%s.png", p.view, language, p.screen.name)
		p.file = filepath.Join(dir, cmp.Or(file, name))
		if dir != "" && strings.Contains(name, o.only) {
			all = append(all, p)
		}
	}
	for _, s := range screens {
		for view := range places {
			add(o.out, "", picture{view: view, screen: s, whole: true})
		}
	}
	light, dark, phone := screens[0], screens[1], screens[2]
	documented := map[string][]picture{
		"en":    {{view: "overview", screen: light}, {view: "conversions", screen: light}, {view: "chat", screen: light}, {view: "requests", screen: light}, {view: "viewer", screen: dark}},
		"zh-CN": {{view: "overview", screen: light}, {view: "chat", screen: dark}, {view: "requests", screen: phone}},
	}
	for _, p := range documented[language] {
		p.fewTones = true
		file := "emulator-" + p.view + ".png"
		if language == "zh-CN" { // as the pages in Chinese are named
			file = "emulator-" + p.view + ".zh.png"
		}
		add(o.docs, file, p)
	}
	return all
}
