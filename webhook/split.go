package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// SplitOptions change how [Split] cuts.
type SplitOptions struct {
	// How long a piece may be; see [Length]. If zero, MaxMessageLength.
	Limit int

	// "Report" begins a piece with the label "Report 2/3\n\n", which counts into Limit.
	// Without Title and Label, Split writes no labels.
	Title string

	// Writes the label of piece i of n, both counted from 1, instead of Title: with a
	// keyword if the robot demands one, and in markdown a blank line at the end. It must
	// return the same for the same numbers.
	Label func(i, n int) string

	// Makes text of a link or an image that is longer than a piece: its words, and its
	// URL in parentheses. Otherwise it is an error.
	LongLinksAsText bool
}

// maxLabelTries bounds the search for a number of pieces that fits its own labels.
const maxLabelTries = 64

// Split cuts a message that is too long into several for [Robot.SendAll]. One that
// fits comes back as it is, without a label.
//
// A [Text], a [Markdown] and the text of a [Link] can be cut; every piece of a Link has
// its title, URL and button. A piece ends at the best place in its second half, such as
// between paragraphs, lines, sentences or words. White space at a cut is dropped.
// Mentions, links, images, escapes and characters are never cut. Other markup is closed
// and opened again only if it does not fit into a piece. If text would become markup at
// a cut, a backslash or an invisible word joiner (U+2060) is added.
//
// The error is a [*FieldError] with [ErrTooLong] that names what cannot be cut, such as
// a [Card] or a long link.
func Split(m Message, opts *SplitOptions) ([]Message, error) {
	o := *cmp.Or(opts, &SplitOptions{})
	o.Limit = cmp.Or(o.Limit, MaxMessageLength)
	if o.Label == nil && o.Title != "" {
		o.Label = numbered(o.Title)
	}
	var c checker
	c.message(m, math.MaxInt, nil)
	c.notNegative("Limit", int64(o.Limit))
	if err := c.err(); err != nil {
		return nil, err
	}
	m = value(m)
	n := length(m.texts())
	if n <= o.Limit {
		return []Message{m}, nil
	}
	doc, rebuild := m.cut()
	if doc == nil {
		return nil, &FieldError{Field: m.field(), Err: ErrTooLong, Reason: fmt.Sprintf(
			"the message has %d characters, at most %d may be sent (protocol 8), and only the text of a Text, a Markdown or a Link can be cut", n, o.Limit)}
	}
	room := o.Limit - length(rebuild("").texts())
	if room < 1 {
		return nil, &FieldError{Field: "Title", Err: ErrTooLong, Reason: fmt.Sprintf("leaves no room for text in a piece of %d characters", o.Limit)}
	}
	texts, err := o.pieces(doc, room)
	var long *split.Error
	for unlinked := o.LongLinksAsText; unlinked && errors.As(err, &long); {
		if doc, unlinked = doc.Unlink(long.Room); unlinked {
			texts, err = o.pieces(doc, room)
		}
	}
	switch {
	case errors.As(err, &long):
		return nil, &FieldError{Field: m.field(), Reason: err.Error(), Err: ErrTooLong}
	case err != nil:
		return nil, err
	}
	ms := make([]Message, len(texts))
	for i, text := range texts {
		ms[i] = rebuild(text)
	}
	return ms, nil
}

// pieces cuts doc into pieces of room characters, labels included. How many there
// are may depend on how long the labels are, which depends on how many there are.
func (o *SplitOptions) pieces(doc *split.Doc, room int) ([]string, error) {
	if o.Label == nil {
		return doc.Pieces(func(int) int { return room })
	}
	tried := map[int]bool{}
	for n := 1; len(tried) < maxLabelTries; {
		tried[n] = true
		label := func(i int) string { return o.Label(i+1, n) }
		for i := range n {
			if utf8.RuneCountInString(label(i)) >= room {
				return nil, &FieldError{Field: "Label", Err: ErrTooLong, Reason: fmt.Sprintf("leaves no room in a piece of %d characters", room)}
			}
		}
		texts, err := doc.Pieces(func(i int) int { return room - utf8.RuneCountInString(label(i)) })
		switch {
		case err != nil:
			return nil, err
		case len(texts) == 1 && n == 1: // without white space at its ends it fits
			return texts, nil
		case len(texts) <= n && o.labelled(texts, n):
			return texts, nil
		}
		n = len(texts)
		for tried[n] {
			n++
		}
	}
	return nil, &FieldError{Field: "Label", Reason: "changes its length too much with the number of pieces"}
}

// labelled puts the labels before texts that were cut to have labels of n pieces.
// If there are fewer, their labels must not be longer: with the labels of 9 pieces
// there may be 10, and with those of 10 only 9.
func (o *SplitOptions) labelled(texts []string, n int) bool {
	labels := make([]string, len(texts))
	for i := range texts {
		labels[i] = o.Label(i+1, len(texts))
		if utf8.RuneCountInString(labels[i]) > utf8.RuneCountInString(o.Label(i+1, n)) {
			return false
		}
	}
	for i := range texts {
		texts[i] = labels[i] + texts[i]
	}
	return true
}

// numbered labels pieces with a title and their numbers.
func numbered(title string) func(i, n int) string {
	return func(i, n int) string {
		return strings.TrimSpace(fmt.Sprintf("%s %d/%d", strings.TrimSpace(title), i, n)) + "\n\n"
	}
}
