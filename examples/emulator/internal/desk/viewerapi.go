package desk

import (
	"context"
	"net/http"
	"strconv"
)

// routes are those of the viewer.
func (v *viewer) routes() []route {
	return []route{
		{method: "GET", path: "/viewer/sessions", handle: func(*http.Request) (any, error) {
			items, _ := v.sessions.page(0, maxSessions, func(s Session) bool { return s.ID != "" })
			return list[Session]{Items: items}, nil
		}},
		{method: "POST", path: "/viewer/sessions", status: http.StatusCreated, handle: func(r *http.Request) (any, error) {
			var n newSession
			if err := readJSON(r, &n); err != nil {
				return nil, err
			}
			return v.add(n)
		}},
		{method: "GET", path: "/viewer/sessions/{id}", handle: func(r *http.Request) (any, error) { return v.byID(r.PathValue("id")) }},
		{method: "DELETE", path: "/viewer/sessions/{id}", handle: v.handleClose},
		{method: "POST", path: "/viewer/sessions/{id}/open", handle: v.step(v.open)},
		{method: "POST", path: "/viewer/sessions/{id}/history", handle: v.step(v.history)},
		{method: "POST", path: "/viewer/sessions/{id}/version", handle: v.handleVersion},
		{method: "POST", path: "/viewer/sessions/{id}/rename", handle: v.handleRename},
		{method: "POST", path: "/viewer/sessions/{id}/save", handle: v.handleSave},
		{method: "GET", path: "/viewer/sessions/{id}/document", raw: v.handleDocument},
		{method: "GET", path: "/viewer/sessions/{id}/pages", handle: func(r *http.Request) (any, error) {
			s, err := v.opened(r)
			if err != nil {
				return nil, err
			}
			return v.desk.pictures.pages(s.name, s.content), nil
		}},
		{method: "GET", path: "/viewer/sessions/{id}/pages/{picture}", raw: func(w http.ResponseWriter, r *http.Request) error {
			s, err := v.opened(r)
			if err != nil {
				return err
			}
			return v.desk.pictures.serve(w, r, s.name, s.content)
		}},
	}
}

func (v *viewer) byID(id string) (Session, error) {
	s, ok := v.sessions.get(id)
	if !ok || s.ID == "" {
		return s, notFound("session")
	}
	return s, nil
}

// opened is a session that has a document.
func (v *viewer) opened(r *http.Request) (Session, error) {
	s, err := v.byID(r.PathValue("id"))
	switch {
	case err != nil:
		return s, err
	case s.content == nil && len(s.Steps) == 0:
		return s, notFound("document: open it first")
	case s.content == nil:
		return s, refusal{http.StatusGone, "no document was opened, or it is not kept any more: open it again"}
	}
	return s, nil
}

// step is a route that plays a step without parameters.
func (v *viewer) step(play func(context.Context, Session) (Step, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		s, err := v.byID(r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return play(r.Context(), s)
	}
}

func (v *viewer) handleClose(r *http.Request) (any, error) {
	s, err := v.byID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v.sessions.change(s.ID, func(s *Session) { *s = Session{} })
	v.desk.journal.add(Event{Kind: kindSession, Area: areaViewer, State: "removed", Ref: s.ID, Text: s.User + " " + s.FileID})
	return nil, nil
}

func (v *viewer) handleVersion(r *http.Request) (any, error) {
	var body struct {
		Version uint32 `json:"version"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	if body.Version == 0 {
		return nil, problem{"version", "version must be from 1 to 4294967295"}
	}
	s, err := v.byID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return v.version(r.Context(), s, body.Version)
}

func (v *viewer) handleRename(r *http.Request) (any, error) {
	var body struct {
		Name string `json:"name"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	if body.Name == "" {
		return nil, problem{"name", "name is required"}
	}
	s, err := v.byID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return v.rename(r.Context(), s, body.Name)
}

func (v *viewer) handleSave(r *http.Request) (any, error) {
	s, err := v.byID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	f, err := readForm(r, "name", "automatic", "with")
	if err != nil {
		return nil, err
	}
	defer f.remove()
	automatic := false
	if text := f.values["automatic"]; text != "" {
		if automatic, err = strconv.ParseBool(text); err != nil {
			return nil, problem{"automatic", "automatic must be true or false"}
		}
	}
	sessions := []Session{s}
	if id := f.values["with"]; id != "" {
		other, err := v.byID(id)
		if err != nil || other.ID == s.ID {
			return nil, problem{"with", "with must be the id of another session"}
		}
		sessions = append(sessions, other)
	}
	name := f.values["name"]
	if name == "" && s.File == nil {
		name = f.name
	}
	steps, err := v.save(r.Context(), sessions, name, automatic, f.file)
	if err != nil {
		return nil, err
	}
	return list[Step]{Items: steps}, nil
}

func (v *viewer) handleDocument(w http.ResponseWriter, r *http.Request) error {
	s, err := v.opened(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", attachment(s.name))
	w.Header().Set("Content-Length", strconv.Itoa(len(s.content)))
	_, err = w.Write(s.content)
	return err
}
