package commonmark

import (
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/internal/markup"
	"github.com/weboffice-go/weboffice/markdown"
)

// list is a list or a quote of HTML that is open.
type list struct {
	name   string
	number int    // of its next item
	end    func() // of its indentation
}

// tag writes what a tag shows, which is written as raw.
func (f *flow) tag(raw string, t markup.Tag) {
	e, known := elements[t.Name]
	switch style := styles[t.Name]; {
	case !known && f.drawings > 0: // a part of it
	case f.c.isText(t):
		f.htmlText(raw)
	case style != "" && t.Closing:
		f.close(style)
	case style != "":
		f.space()
		f.open(style, t)
	case e&ownLine != 0:
		f.lineTag(t)
	case t.Name == "br":
		f.text("\n")
		f.ended, f.gap = true, false
	case t.Name == "td" || t.Name == "th":
		f.cell(t)
	case t.Name == "svg" && t.Closing:
		f.drawings = max(f.drawings-1, 0)
	case t.Name == "svg" && f.c.hasEnd(t.Name) && !strings.HasSuffix(t.Attrs, "/"):
		f.drawings++
	case t.Closing: // It showed what it shows when it began.
	case t.Name == "img":
		f.image(attr(t, "src"), attr(t, "alt"), attr(t, "title"))
	case t.Name == "audio" || t.Name == "video" || t.Name == "source" || t.Name == "iframe":
		f.media(attr(t, "src"), attr(t, "title"))
	case t.Name == "input":
		f.input(t)
	}
}

// lineTag begins or ends lines.
func (f *flow) lineTag(t markup.Tag) {
	heading := len(t.Name) == 2 && t.Name[0] == 'h' && t.Name != "hr"
	if heading && t.Closing {
		f.close("b")
	}
	f.breakLine(lines)
	switch {
	case heading && !t.Closing:
		f.open("b", t)
	case t.Name == "pre" && t.Closing:
		f.pre = max(f.pre-1, 0)
	case t.Name == "pre":
		f.pre++
	case t.Name == "hr" && !t.Closing:
		f.text(rule)
		f.breakLine(lines)
	case t.Name == "ol" || t.Name == "ul" || t.Name == "blockquote":
		f.listTag(t)
	case t.Name == "li" && !t.Closing:
		f.itemTag(t)
	case t.Name == "tr":
		f.cells = 0
	}
	f.ended = f.pre == 0
}

// listTag opens or closes a list or a quote. A list of the first level is not indented.
func (f *flow) listTag(t markup.Tag) {
	last := len(f.lists) - 1
	if t.Closing {
		if last >= 0 && f.lists[last].name == t.Name {
			f.closeLists(last)
		}
		return
	}
	l := list{name: t.Name, number: 1, end: func() {}}
	switch {
	case t.Name == "blockquote":
		l.end = f.indented("│ ")
	case last >= 0 && f.lists[last].name != "blockquote":
		l.end = f.indented("  ")
	}
	if n, err := strconv.Atoi(attr(t, "start")); err == nil {
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

// itemTag begins an item.
func (f *flow) itemTag(t markup.Tag) {
	l := &list{} // There may be none.
	if last := len(f.lists) - 1; last >= 0 {
		l = &f.lists[last]
	}
	if n, err := strconv.Atoi(attr(t, "value")); err == nil {
		l.number = n
	}
	f.mark(itemMark(l.name == "ol", l.number))
	l.number++
}

// cell begins or ends a cell of a table. Those of its head are bold.
func (f *flow) cell(t markup.Tag) {
	if last := len(f.frames) - 1; f.frames[last].tag.Name == "th" {
		f.pop(true) // its end tag may be missing
	}
	if t.Closing {
		return
	}
	if f.cells++; f.cells > 1 {
		f.text(separator)
		f.gap = false
	}
	if t.Name == "th" {
		f.open("b", t)
	}
}

// word writes what does not belong to the words beside it.
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
func (f *flow) input(t markup.Tag) {
	shown := attr(t, "value")
	switch strings.ToLower(attr(t, "type")) {
	case "hidden":
		return
	case "checkbox":
		_, _, checked := t.Attr("checked")
		shown = box(checked)
	default:
		if shown == "" {
			shown = attr(t, "placeholder")
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
