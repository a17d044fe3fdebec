package webhooktest

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// maxBody is how many bytes of a message are read: 5000 characters take no more,
// however they are escaped.
const maxBody = 1 << 20

// refused is why a message is refused.
type refused struct {
	why    Refusal
	text   string        // in the answer, in the words of the protocol if it has some
	reason string        // what was found, if it is more
	wait   time.Duration // RateLimited: until the next message fits
}

// ServeHTTP takes a message by POST at any path that ends in webhook.SendPath.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", "webhooktest-"+strconv.FormatInt(s.calls.Add(1), 10))
	switch {
	case !strings.HasSuffix(r.URL.Path, webhook.SendPath):
		callback.Write(w, http.StatusNotFound, encode("NotFound", "there is no such endpoint"))
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		callback.Write(w, http.StatusMethodNotAllowed, encode("InvalidArgument", "the method must be POST"))
	default:
		if no := s.take(r); no != nil {
			s.refuse(w, r, no)
			return
		}
		callback.Write(w, http.StatusOK, encode("ok", ""))
	}
}

// take checks a message and keeps it.
func (s *Server) take(r *http.Request) *refused {
	sent := Sent{Key: signing.NewSecret(r.URL.Query().Get("key")), Header: r.Header.Clone()}
	robot := s.robot(sent.Key)
	body, no := robot.check(r)
	sent.Body = body
	sent.Message, _ = webhook.Decode(body)
	no = s.keep(robot, &sent, no)
	s.opts.Received(r.Context(), sent)
	return no
}

// keep counts a message that nothing else refuses, and keeps it.
func (s *Server) keep(robot *robot, sent *Sent, no *refused) *refused {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent.At = s.opts.Now()
	if updated := s.robots[sent.Key.Reveal()]; updated != nil {
		robot = updated
	}
	if no == nil {
		if wait, ok := robot.take(sent.At); !ok {
			no = &refused{why: RateLimited, text: "more than the robot's messages per minute", wait: wait}
		}
	}
	if no != nil {
		sent.Refused, sent.Reason = no.why, cmp.Or(no.reason, no.text)
	}
	s.sent = append(s.sent, *sent)
	if s.opts.Keep > 0 && len(s.sent) > s.opts.Keep {
		s.sent = s.sent[len(s.sent)-s.opts.Keep:]
	}
	return no
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, no *refused) {
	s.opts.Logger.LogAttrs(r.Context(), slog.LevelInfo, "webhooktest: message refused",
		slog.String("why", string(no.why)), slog.String("reason", cmp.Or(no.reason, no.text)))
	if no.wait > 0 {
		seconds := (no.wait + time.Second - 1) / time.Second
		w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	status, result := http.StatusBadRequest, "InvalidArgument"
	if no.why == RateLimited {
		status, result = http.StatusTooManyRequests, "TooManyRequests"
	}
	body := encode(result, no.text)
	if s.opts.Refuse != nil {
		status, body = s.opts.Refuse(no.why)
	}
	callback.Write(w, status, body)
}

// encode writes an answer to a send (public reference 6.1).
func encode(result, message string) []byte {
	b, _ := json.Marshal(struct {
		Result  string `json:"result"`
		Message string `json:"msg,omitempty"`
	}{result, message}) // two strings always encode
	return b
}
