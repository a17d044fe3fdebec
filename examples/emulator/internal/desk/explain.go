package desk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Verdicts of an [Explanation].
const (
	verdictValid    = "valid"
	verdictRefused  = "refused"
	verdictUnsigned = "unsigned"
)

// Explanation takes a signature apart.
type Explanation struct {
	Verdict   string      `json:"verdict"`
	Summary   string      `json:"summary"`
	Cause     string      `json:"cause,omitempty"`
	CauseText string      `json:"cause_text,omitempty"`
	Caller    string      `json:"caller,omitempty"`
	Steps     []CheckStep `json:"steps"`
	Canonical []Part      `json:"canonical,omitempty"`
}

// CheckStep is one of the checks of package signing.
type CheckStep struct {
	Check    string `json:"check"`
	State    string `json:"state"` // ok, failed or not_reached
	Text     string `json:"text"`
	Found    string `json:"found,omitempty"`
	Expected string `json:"expected,omitempty"`
}

// Part is a part of the text that is signed.
type Part struct {
	Part string `json:"part"`
	Text string `json:"text"`
}

// identity is an app or a robot whose secret is known.
type identity struct {
	scheme string // Of an app; empty for a robot.
	id     string // App id, or robot key.
	name   string // To show.
	secret string
}

func (i identity) credentials() signing.Credentials { return i.with(i.secret) }

// with are the credentials of that id with another secret.
func (i identity) with(secret string) signing.Credentials {
	if i.scheme == "" {
		return signing.Robot(signing.NewSecret(i.id), signing.NewSecret(secret))
	}
	return signing.AppWithScheme(i.scheme, i.id, signing.NewSecret(secret))
}

// signature is a request whose signature is explained.
type signature struct {
	method, target string
	header         http.Header
	body           []byte
	scheme         string // Of apps.
	eaten          bool   // It declares a body that was not there.
	now            time.Time
	known          []identity
}

// verify asks package signing, with the Date taken as it is if dated is false.
func (s signature) verify(dated bool, credentials ...signing.Credentials) error {
	cfg := signing.VerifierConfig{Credentials: credentials, Now: func() time.Time { return s.now }, MaxBody: maxServiceBody}
	if !dated {
		cfg.Tolerance = -1
	}
	v, err := signing.NewVerifier(cfg)
	if err != nil {
		return err
	}
	r := &http.Request{Method: s.method, RequestURI: s.target, Header: s.header, Body: http.NoBody}
	switch {
	case len(s.body) > 0:
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(s.body)), int64(len(s.body))
	case s.eaten:
		r.ContentLength = -1
	}
	_, err = v.VerifyRequest(r)
	return err
}

// explain takes the signature apart. Without any, required says whether that is wrong.
func (s signature) explain(required bool) *Explanation {
	if s.header.Get("Authorization") == "" && s.header.Get("Content-Md5") == "" {
		if !required {
			return &Explanation{Verdict: verdictUnsigned, Summary: "The request is not signed, and need not be.", Steps: []CheckStep{}}
		}
		e := s.failed(&signing.Error{Check: signing.CheckShape, Reason: "Authorization, Content-Md5 and Date are missing"})
		e.Cause, e.CauseText = "missing", "The request is not signed: set Date, Content-Md5 and Authorization."
		return e
	}
	all := make([]signing.Credentials, 0, len(s.known))
	for _, i := range s.known {
		all = append(all, i.credentials())
	}
	err := s.verify(true, all...)
	var refused *signing.Error
	switch {
	case err == nil:
		return s.accepted()
	case errors.As(err, &refused):
		e := s.failed(refused)
		e.Cause, e.CauseText = s.cause(refused)
		return e
	default:
		return &Explanation{Verdict: verdictRefused, Summary: err.Error(), Cause: "unknown", Steps: []CheckStep{}}
	}
}

func (s signature) accepted() *Explanation {
	e := &Explanation{Verdict: verdictValid, Summary: "The signature is valid.", Steps: s.steps(0, ""), Canonical: s.canonical()}
	if who, ok := s.identity(); ok {
		e.Caller = who.name
	}
	return e
}

func (s signature) failed(refused *signing.Error) *Explanation {
	e := &Explanation{
		Verdict: verdictRefused, Summary: "Refused by the check of the " + refused.Check.String() + ".",
		Steps: s.steps(refused.Check, refused.Reason), Canonical: s.canonical(),
	}
	if who, ok := s.identity(); ok {
		e.Caller = who.name
	}
	return e
}

// parts are those of Authorization.
func (s signature) parts() (scheme, id, sum string) {
	parts := strings.Split(s.header.Get("Authorization"), ":")
	switch len(parts) {
	case 3:
		return parts[0], parts[1], parts[2]
	case 2:
		return "", parts[0], parts[1]
	default:
		return "", "", ""
	}
}

// identity is who the request says it is, if that is known.
func (s signature) identity() (identity, bool) {
	scheme, id, _ := s.parts()
	for _, i := range s.known {
		if i.id == id && (i.scheme == "") == (scheme == "") {
			return i, true
		}
	}
	return identity{}, false
}

// steps are the five checks, of which the given one failed; 0 is none.
func (s signature) steps(failed signing.Check, reason string) []CheckStep {
	var steps []CheckStep
	for check := signing.CheckDate; check <= signing.CheckSignature; check++ {
		step := CheckStep{Check: check.String(), State: "ok"}
		step.Found, step.Expected, step.Text = s.step(check)
		switch {
		case check == failed:
			step.State, step.Text = "failed", reason
		case failed != 0 && check > failed:
			step.State = "not_reached"
		}
		steps = append(steps, step)
	}
	return steps
}

// step says what a check found, and what would be right.
func (s signature) step(check signing.Check) (found, expected, text string) {
	h := s.header
	scheme, id, sum := s.parts()
	who, known := s.identity()
	switch check {
	case signing.CheckDate:
		return strings.Join(h.Values("Date"), " | "), fmt.Sprintf("within %v of %s", signing.DefaultTolerance, signing.FormatDate(s.now)), "Date is near the clock."
	case signing.CheckDigest:
		return strings.Join(h.Values("Content-Md5"), " | "), s.digest(), "Content-Md5 is the MD5 of " + s.digested() + "."
	case signing.CheckShape:
		return newHider(s.secrets()).authorization(h.Get("Authorization")), s.shape(), "Authorization has the parts of " + s.whose() + "."
	case signing.CheckCaller:
		found = id
		if scheme == "" && id != "" {
			found = hidden
		}
		if known {
			expected = found
		}
		return found, expected, "The caller is known: " + who.name + "."
	default:
		if known {
			expected = s.sign(who)
		}
		return sum, expected, "The signature is the SHA-1 of the parts below."
	}
}

func (s signature) secrets() (texts []string) {
	for _, i := range s.known {
		texts = append(texts, i.secret)
		if i.scheme == "" {
			texts = append(texts, i.id)
		}
	}
	return texts
}
