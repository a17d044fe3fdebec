package commonmark

import (
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/markdown"
)

// list is a list or a quote of HTML that is open.
type list struct {
	name   string
	number int    // of its next item
	end    func() // of its indentation
}

// tag writes what a tag shows.
func (f *flow) tag(tag, name string, closing bool, attrs string) {
	e, known := elements[name]
	switch style := styles[name]; {
	case !known && f.foreign > 0: // a part of a drawing
	case f.c.isText(name, closing, attrs):
		f.htmlText(tag)
	case style != "" && closing:
		f.close(style)
	case style != "":
		f.space()
		f.open(style, tag)
	case e&ownLine != 0:
		f.lineTag(name, closing, attrs)
	case name == "br":
		f.text("\n")
		f.ended, f.gap = true, false
	case name == "td" || name == "th":
		f.cell(name, closing)
	case (name == "svg" || name == "math") && f.c.hasEnd(name):
		f.foreign = max(f.foreign+delta(closing || strings.HasSuffix(attrs, "/")), 0)
	case !closing:
		f.attributeTag(name, attributes(attrs))
	}
}

func delta(closing bool) int {
	if closing {
		return -1
	}
	return 1
}

// lineTag begins or ends lines.
func (f *flow) lineTag(name string, closing bool, attrs string) {
	heading := len(name) == 2 && name[0] == 'h' && name != "hr"
	if heading && closing {
		f.close("b")
	}
	f.breakLine(lines)
	switch {
	case heading && !closing:
		f.open("b", "")
	case name == "pre" && closing:
		f.pre = max(f.pre-1, 0)
	case name == "pre":
		f.pre++
	case name == "hr" && !closing:
		f.text(rule)
		f.breakLine(lines)
	case name == "ol" || name == "ul" || name == "menu" || name == "blockquote":
		f.listTag(name, closing, attributes(attrs))
	case name == "li" && !closing:
		f.mark(f.itemMark(attributes(attrs)))
	case name == "tr":
		f.cells = 0
	}
	f.ended = f.pre == 0
}

// listTag opens or closes a list or a quote. A list of the first level is not indented.
func (f *flow) listTag(name string, closing bool, as map[string]string) {
	if closing {
		if last := len(f.lists) - 1; last >= 0 && f.lists[last].name == name {
			f.closeLists(last)
		}
		return
	}
	l := list{name: name, number: 1, end: func() {}}
	switch {
	case name == "blockquote":
		l.end = f.indented("│ ")
	case len(f.lists) > 0 && f.lists[len(f.lists)-1].name != "blockquote":
		l.end = f.indented("  ")
	}
	if n, err := strconv.Atoi(as["start"]); err == nil {
		l.number = n
	}
	f.lists = append(f.lists, l)
}

// closeLists closes the lists but for the first n.
func (f *flow) closeLists(n int) {
	for last := len(f.lists) - 1; last >= n; last-- {
		f.lists[last].end()
		f.lists = f.lists[:last]
	}
}

// itemMark is what an item begins with.
func (f *flow) itemMark(as map[string]string) string {
	last := len(f.lists) - 1
	if last < 0 || f.lists[last].name != "ol" {
		return "◦ "
	}
	l := &f.lists[last]
	if n, err := strconv.Atoi(as["value"]); err == nil {
		l.number = n
	}
	l.number++
	return "(" + strconv.Itoa(l.number-1) + ") "
}

// cell begins or ends a cell of a table. Those of its head are bold.
func (f *flow) cell(name string, closing bool) {
	if last := len(f.frames) - 1; f.frames[last].tag == head {
		f.pop(true) // its end tag may be missing
	}
	if closing {
		return
	}
	if f.cells++; f.cells > 1 {
		f.text(separator)
		f.gap = false
	}
	if name == "th" {
		f.open("b", head)
	}
}

// head is the tag of the frame of a cell of a table's head.
const head = "<th>"

// attributeTag writes what an element shows by its attributes.
func (f *flow) attributeTag(name string, as map[string]string) {
	switch name {
	case "img":
		f.image(as["src"], as["alt"], as["title"])
	case "area":
		f.media(as["href"], as["alt"])
	case "audio", "video", "source", "embed", "iframe", "frame":
		f.media(as["src"], as["title"])
	case "object":
		f.media(as["data"], as["title"])
	case "input":
		f.input(as)
	case "meter", "progress":
		value := as["value"]
		if as["max"] != "" {
			value += "/" + as["max"]
		}
		f.word(value)
	}
}

// word writes what is no part of the words beside it.
func (f *flow) word(part any) {
	f.space()
	f.apart = f.apart || f.behindWord()
	f.add(part)
	f.apart = true
}

// media links to what a message does not show.
func (f *flow) media(address, title string) {
	if address == "" {
		return
	}
	if title == "" && !isWeb(address) {
		title = address
	}
	inner := f.c.flow()
	inner.addLink(markdown.Join(title), address)
	f.word(inner.inline())
}

// input writes a box to tick, or what a field says.
func (f *flow) input(as map[string]string) {
	_, checked := as["checked"]
	shown := as["value"]
	switch strings.ToLower(as["type"]) {
	case "hidden":
		return
	case "checkbox":
		shown = box(checked)
	case "radio":
		shown = "○"
		if checked {
			shown = "◉"
		}
	default:
		if shown == "" {
			shown = as["placeholder"]
		}
	}
	if shown != "" {
		f.word(shown)
	}
}

// box is that of a task.
func box(checked bool) string {
	if checked {
		return "☑"
	}
	return "☐"
}
