package main

import (
	"encoding/json"
	"io"

	"github.com/weboffice-go/weboffice/convert"
)

// summary is what -json prints.
type summary struct {
	Documents []entry `json:"documents"`
	Converted int     `json:"converted"`
	Failed    int     `json:"failed"`
}

// entry is one document.
type entry struct {
	Source string        `json:"source"`
	Task   *convert.Task `json:"task,omitempty"` // to look for it at the service
	Files  []string      `json:"files,omitempty"`
	Error  string        `json:"error,omitempty"`
}

// newSummary begins with nothing done.
func newSummary(documents []*document) *summary {
	s := &summary{Documents: make([]entry, len(documents)), Failed: len(documents)}
	for i, d := range documents {
		s.Documents[i] = entry{Source: d.source(), Error: "not started"}
	}
	return s
}

// end notes how a document ended.
func (s *summary) end(key int, o convert.Outcome) {
	e := &s.Documents[key]
	e.Files, e.Error = o.Paths, ""
	if o.Task != (convert.Task{}) {
		e.Task = &o.Task
	}
	if o.Err != nil {
		e.Error = o.Err.Error()
		return
	}
	s.Converted++
	s.Failed--
}

func (s *summary) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s)
}
