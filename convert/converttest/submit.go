package converttest

import (
	"io"
	"net/http"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// submit takes a conversion on (protocol 2.1, 2.2). The verifier has read the
// body, and bounded it.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, c call) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest, convert.CodeInvalidArgument, "the body cannot be read")
		return
	}
	if r.Header.Get("Content-Type") != signing.ContentType {
		s.refuseArgument(w, r, "protocol 5.1: Content-Type must be application/json")
		return
	}
	sub, err := readSubmission(body, c.target)
	if err != nil {
		s.refuseArgument(w, r, err.Error())
		return
	}
	sub.Task.Target, sub.AppID, sub.Body = c.target, c.app, body
	task, err := s.accept(r.Context(), sub)
	if err != nil {
		s.log(r, err.Error())
		refuseStart(w, err)
		return
	}
	answer(w, http.StatusOK, envelope{Data: submitData{TaskID: task.ID}, Result: "ok"})
}

func (s *Server) refuseArgument(w http.ResponseWriter, r *http.Request, why string) {
	s.log(r, why)
	refuse(w, http.StatusBadRequest, convert.CodeInvalidArgument, why)
}
