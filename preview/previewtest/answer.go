package previewtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// MaxAnswer is the largest answer that a [Viewer] reads, in bytes.
const MaxAnswer = 1 << 20

// maxKept is how many bytes of an answer an AnswerError keeps.
const maxKept = 4 << 10

// shortest is the length from which on a token is a secret. A shorter one is the name of a
// user in a test, or a word, which texts also hold elsewhere.
const shortest = 8

// hidden gives what must not be in a text.
func hidden(secrets ...signing.Secret) (texts []string) {
	for _, secret := range secrets {
		if text := secret.Reveal(); len(text) >= shortest {
			texts = append(texts, text)
		}
	}
	return texts
}

// AnswerError reports a refusal, or a rule that an answer breaks.
type AnswerError struct {
	Call       string // Method and path.
	StatusCode int
	Code       int    // Of the envelope, or 0.
	Message    string // Of the envelope.
	Rule       string // One of [Rules]. Empty: the answer is a well-formed refusal.
	Field      string // As on the wire: "size", or "data[1].name". Empty: the whole answer.
	Detail     string // What is there.
	Body       []byte // Cut, and without the queries of URLs.
}

func (e *AnswerError) Error() string {
	text := "previewtest: " + e.Call + ": "
	if e.Rule == "" {
		return text + fmt.Sprintf("refused: HTTP %d, code %d, message %q", e.StatusCode, e.Code, e.Message)
	}
	text += e.Rule
	if found := strings.TrimSpace(e.Field + " " + e.Detail); found != "" {
		text += ": " + found
	}
	return text
}

// Is reports whether a refusal has the code of target, an error of package preview.
func (e *AnswerError) Is(target error) bool {
	known := preview.DefaultReply(target).Code
	return e.Rule == "" && e.Code == known && known != callback.CodeInternal
}

// answer is what one callback said, and the rules that it breaks.
type answer struct {
	refusal AnswerError // what all errors about it say
	data    json.RawMessage
	secrets []string // must not be in what is noted
	found   []error
}

// ask makes one callback. The answer's data is there if the error is nil; rules
// that are broken besides are kept for [answer.err].
func (v *Viewer) ask(ctx context.Context, method, path string, query url.Values, body any) (*answer, error) {
	a := &answer{refusal: AnswerError{Call: method + " " + path}, secrets: hidden(v.token, v.userQuery)}
	var payload []byte
	if body != nil {
		payload, _ = json.Marshal(body) // of texts, numbers and flags
	}
	target := path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	res, err := v.Do(ctx, method, target, payload)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("previewtest: %s: %w", a.refusal.Call, v.clean(err))
	}
	a.refusal.StatusCode, a.refusal.Body = res.StatusCode, a.kept(raw)
	if len(raw) > MaxAnswer {
		a.broken(RuleJSON, "", "is larger than "+strconv.Itoa(MaxAnswer)+" bytes")
		return nil, a.err()
	}
	if err := a.open(res.Header, raw); err != nil {
		return nil, err
	}
	return a, nil
}

// query finds the queries of addresses in a text, where signatures are.
const query = `\?[^"'<>\s\\]*`

// kept is what an AnswerError may hold of a body.
func (a *answer) kept(raw []byte) []byte {
	raw = raw[:min(len(raw), maxKept)]
	text := regexp.MustCompile(query).ReplaceAllString(string(raw), "?"+redact.Hidden)
	return []byte(redact.Text(text, a.secrets...))
}

// open reads the envelope (public reference 3.3).
func (a *answer) open(h http.Header, raw []byte) error {
	status := a.refusal.StatusCode
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if charset := params["charset"]; err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		a.broken(RuleJSON, "", fmt.Sprintf("HTTP %d, Content-Type %q", status, h.Get("Content-Type")))
	}
	if !utf8.Valid(raw) {
		a.broken(RuleJSON, "", fmt.Sprintf("HTTP %d, a body that is not UTF-8", status))
	}
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal(raw, &envelope); err != nil || envelope == nil {
		if len(a.found) == 0 {
			a.broken(RuleJSON, "", fmt.Sprintf("HTTP %d, a body that is no JSON object", status))
		}
		return a.err()
	}
	o := object{a: a, fields: envelope, missing: RuleCode, kind: RuleCode}
	code, hasCode := o.integer("code")
	a.refusal.Code = int(code)
	o.missing, o.kind = RuleMessage, RuleMessage
	a.refusal.Message = redact.Text(o.text("message", false), a.secrets...)
	if _, other := envelope["msg"]; other {
		a.broken(RuleMessage, "msg", "is there instead of message")
	}
	if hasCode && code != 0 {
		return errors.Join(append([]error{&a.refusal}, a.found...)...)
	}
	if status != http.StatusOK {
		a.broken(RuleStatus, "", "HTTP "+strconv.Itoa(status))
	}
	if status >= 300 {
		return a.err()
	}
	a.data = envelope["data"]
	return nil
}

// broken notes a rule that a breaks.
func (a *answer) broken(rule, field, detail string) {
	e := a.refusal
	e.Rule, e.Field, e.Detail = rule, redact.Text(field, a.secrets...), redact.Text(detail, a.secrets...)
	a.found = append(a.found, &e)
}

// err gives what was noted.
func (a *answer) err() error { return errors.Join(a.found...) }

// wrong is a rule that a well-formed answer breaks.
func wrong(call, rule, field, detail string) error {
	return &AnswerError{Call: call, StatusCode: http.StatusOK, Rule: rule, Field: field, Detail: detail}
}

// get makes a callback whose data is an object, and reads it. Fields that are missing, or
// of the wrong type, break rule, which read may change.
func get[T any](ctx context.Context, v *Viewer, method, path string, body any, rule string, read func(o object) T) (value T, err error) {
	a, err := v.ask(ctx, method, path, nil, body)
	if err != nil {
		return value, err
	}
	o := object{a: a, missing: rule, kind: rule}
	if o.read("data", a.data, RuleData) {
		value = read(o)
	}
	return value, a.err()
}

// getList makes a callback whose data is a list of objects, and reads them. What is not a
// list breaks rule, what is not an object breaks item, and the fields of one break fields.
func getList[T any](ctx context.Context, v *Viewer, path string, query url.Values, rule, item, fields string, read func(o object) T) (all []T, a *answer, err error) {
	if a, err = v.ask(ctx, http.MethodGet, path, query, nil); err != nil {
		return nil, nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(a.data, &items); err != nil || items == nil {
		a.broken(rule, "data", "is "+described(a.data)+", not a list")
	}
	for i, raw := range items {
		at := "data[" + strconv.Itoa(i) + "]"
		o := object{a: a, at: at + ".", missing: fields, kind: fields}
		if o.read(at, raw, item) {
			all = append(all, read(o))
		}
	}
	return all, a, nil
}

// filePath is the path of a callback about a file.
func filePath(fileID string, more ...string) string {
	return preview.PathPrefix + strings.Join(append([]string{"files", url.PathEscape(fileID)}, more...), "/")
}
