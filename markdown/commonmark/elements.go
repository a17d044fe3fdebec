package commonmark

import (
	"strings"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// element says how an element of HTML shows.
type element uint8

const (
	inText  element = 1 << iota // within a line
	ownLine                     // on lines of its own
	void                        // it has no end tag, and shows nothing without attributes
	always                      // it shows something without attributes and without an end tag
)

// elements are those of the living standard of HTML, and the older ones that browsers
// still show. Any other name between angles is text, such as that in List<string>.
var elements = elementsOf(map[element]string{
	inText: `a abbr acronym applet at audio b bdi bdo big blink body button canvas cite code data datalist del dfn em font
		frameset head html i iframe ins kbd label map mark marquee math meter nobr noembed noframes noscript object output
		picture progress q ruby s samp script select slot small span strike strong style sub sup svg template textarea time
		title tt u var video`,
	inText | always: "br col colgroup optgroup rb rp rt rtc tbody td tfoot th thead wbr",
	inText | void:   "area base basefont bgsound embed frame img input link meta param source track",
	ownLine: `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form
		h1 h2 h3 h4 h5 h6 header hgroup legend listing main menu nav ol plaintext pre search section summary table ul xmp`,
	ownLine | always: "caption dd dt hr li option p tr",
})

func elementsOf(names map[element]string) map[string]element {
	all := map[string]element{}
	for e, list := range names {
		for name := range strings.FieldsSeq(list) {
			all[name] = e
		}
	}
	return all
}

// isText reports whether what looks like a tag would show nothing as one, and is text: a
// name that HTML does not have, as in List<string>, or something to be filled in, such as
// "cp <source> <target>": without a value, and without an end.
func (c *converter) isText(t markup.Tag) bool {
	e, ok := elements[t.Name]
	if !ok || t.Closing || e&always != 0 || strings.Contains(t.Attrs, "=") {
		return !ok
	}
	return e&void != 0 || !c.hasEnd(t.Name)
}

// hasEnd reports whether the source has an end tag of that name anywhere.
func (c *converter) hasEnd(name string) bool {
	if c.ends == nil {
		c.ends = map[string]bool{}
		for _, m := range endTag().FindAllSubmatch(c.src, -1) {
			c.ends[strings.ToLower(string(m[1]))] = true
		}
	}
	return c.ends[name]
}

var endTag = markup.Pattern(`</([a-zA-Z0-9]+)`)
