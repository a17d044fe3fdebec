package preview_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// TestDefaultReply is the table of public reference 3.3.
func TestDefaultReply(t *testing.T) {
	t.Parallel()
	for _, e := range storeErrors() {
		var own preview.Reply
		if errors.As(e.err, &own) && (own.Code == 0 || own.Status != 0 && own.Status < 200 || own.Status == 204) {
			continue // checked by the handler, not here
		}
		got := preview.DefaultReply(e.err)
		if got.Status == 0 {
			got.Status = 200
		}
		if got.Status != e.status || got.Code != e.code || got.Message == "" || strings.Contains(got.Message, "inner") {
			t.Errorf("DefaultReply(%s) = %+v, want status %d, code %d", e.name, got, e.status, e.code)
		}
	}
}

// TestSharedErrors are the same values as in package token.
func TestSharedErrors(t *testing.T) {
	t.Parallel()
	for got, want := range map[error]error{
		preview.ErrUnauthorized: callback.ErrUnauthorized, preview.ErrForbidden: callback.ErrForbidden,
		preview.ErrNotFound: callback.ErrNotFound, preview.ErrInvalid: callback.ErrInvalid,
	} {
		if !errors.Is(got, want) {
			t.Errorf("%v is not %v", got, want)
		}
	}
}

// TestFailuresAreLogged says how loud each error is, and that its text stays
// inside.
func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	for _, e := range storeErrors() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			for route, good := range routes() {
				cfg, log := all(failing(fmt.Errorf("inner text: %w", e.err)))
				if good.method == "" {
					good.method = http.MethodGet
				}
				w := send(t, newHandler(t, cfg), good.method, good.path, good.body)
				if strings.Contains(w.Body.String(), "inner") {
					t.Errorf("%s: the caller sees %s", route, w.Body)
				}
				if !strings.Contains(log.String(), "inner text") {
					t.Errorf("%s: the log has no text:\n%s", route, log)
				}
				text := map[bool]string{true: "preview: callback failed", false: "preview: callback refused"}[e.status >= 500]
				if errors.As(e.err, new(*preview.RuleError)) {
					text = "preview: answer of the store breaks a rule"
				}
				if !strings.Contains(log.String(), text) {
					t.Errorf("%s: the log does not say %q:\n%s", route, text, log)
				}
				if loud := len(log.lines(t, slog.LevelError)) > 0; loud != (e.code == 50001) {
					t.Errorf("%s: logged as an error: %v\n%s", route, loud, log)
				}
			}
		})
	}
}

// TestMapError changes any answer, those of the handler itself included.
func TestMapError(t *testing.T) {
	t.Parallel()
	cfg, _ := all(failing(preview.ErrNotFound))
	cfg.MapError = func(err error) preview.Reply {
		var reply preview.Reply
		if !errors.Is(err, preview.ErrNotFound) && !errors.As(err, &reply) && !errors.Is(err, preview.ErrInvalid) {
			t.Errorf("MapError was given %v", err)
		}
		reply = preview.DefaultReply(err)
		reply.Status = 0
		return reply
	}
	h := newHandler(t, cfg)
	for path, want := range map[string]string{
		"files/f1":  `{"code":40004,"message":"not found"}`,
		"files/a.b": `{"code":40005,"message":"invalid argument"}`,
		"nothing":   `{"code":40004,"message":"no such callback"}`,
	} {
		if w := get(t, h, path); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s = %d %s, want 200 %s", path, w.Code, w.Body, want)
		}
	}
}

// TestMapErrorOfUnauthenticated can tell why.
func TestMapErrorOfUnauthenticated(t *testing.T) {
	t.Parallel()
	cfg, _ := all(&backend{})
	inner := errors.New("inner")
	cfg.Auth = authFails(inner)
	cfg.MapError = func(err error) preview.Reply {
		if !errors.Is(err, inner) || !errors.Is(err, preview.ErrUnauthorized) {
			t.Errorf("MapError was given %v, want both errors in it", err)
		}
		return preview.Reply{Status: 418, Code: 9, Message: "tea"}
	}
	if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != 418 || w.Body.String() != `{"code":9,"message":"tea"}` {
		t.Errorf("answer = %d %s", w.Code, w.Body)
	}
}

// TestMapErrorThatFails still gives an answer.
func TestMapErrorThatFails(t *testing.T) {
	t.Parallel()
	for name, mapError := range map[string]func(error) preview.Reply{
		"panics":            func(error) preview.Reply { panic("inner text") },
		"gives nothing":     func(error) preview.Reply { return preview.Reply{} },
		"gives no code":     func(error) preview.Reply { return preview.Reply{Status: 404, Message: "inner text"} },
		"gives status 99":   func(error) preview.Reply { return preview.Reply{Status: 99, Code: 1} },
		"gives status 1000": func(error) preview.Reply { return preview.Reply{Status: 1000, Code: 1} },
		"gives no body":     func(error) preview.Reply { return preview.Reply{Status: 304, Code: 1} },
		"gives early hints": func(error) preview.Reply { return preview.Reply{Status: 103, Code: 1} },
		"gives no UTF-8":    func(error) preview.Reply { return preview.Reply{Status: 500, Code: 50001, Message: "\xff"} },
		"gives line breaks": func(error) preview.Reply { return preview.Reply{Status: 500, Code: 50001, Message: "a\nb\u2028"} },
		"gives much to read": func(error) preview.Reply {
			return preview.Reply{Status: 500, Code: 50001, Message: strings.Repeat("x", 1<<20)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, log := all(failing(preview.ErrNotFound))
			cfg.MapError = mapError
			w := get(t, newHandler(t, cfg), "files/f1")
			if w.Code != 500 || strings.Contains(w.Body.String(), "inner") {
				t.Errorf("answer = %d %s, want 500 with nothing inner", w.Code, w.Body)
			}
			if len(log.lines(t, slog.LevelError)) == 0 {
				t.Errorf("nothing is logged as an error:\n%s", log)
			}
		})
	}
}

// TestRequestIDInAnswer is what support needs, and only in an internal error.
func TestRequestIDInAnswer(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		errors.New("inner"): `{"code":50001,"message":"internal error (request id req-9)"}`,
		preview.ErrNotFound: `{"code":40004,"message":"not found"}`,
	} {
		cfg, log := all(failing(err))
		r := httptest.NewRequest(http.MethodGet, "/v3/3rd/files/f1", nil)
		r.Header.Set("X-Request-Id", "req-9")
		if w := serve(t, newHandler(t, cfg), r); w.Body.String() != want {
			t.Errorf("answer = %s, want %s", w.Body, want)
		}
		if !strings.Contains(log.String(), `"request_id":"req-9"`) {
			t.Errorf("the log has no request id:\n%s", log)
		}
	}
}

// TestRuleErrorText names field and rule.
func TestRuleErrorText(t *testing.T) {
	t.Parallel()
	err := error(&preview.RuleError{Field: "name", Rule: "protocol 2.4: required", Value: "x"})
	if got, want := err.Error(), "preview: name: protocol 2.4: required"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if got, want := (preview.Reply{Code: 40007, Message: "Later"}).Error(), "preview: reply 40007: Later"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

// TestRefusedIDIsSaid warns once of ids that CheckID does not know, since an
// integrator with ids of another form would see nothing else.
func TestRefusedIDIsSaid(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{})
	h := newHandler(t, cfg)
	const uuid = "7f3f1a52-6d0e-4a5e-9d0b-0f3c6f1d2e4a"
	for range 3 {
		get(t, h, "files/"+uuid)
	}
	line := log.only(t, slog.LevelWarn)
	if line["refused_id"] != uuid || !strings.Contains(fmt.Sprint(line["error"]), "letters, digits and underscores; set Config.CheckID") {
		t.Errorf("log = %v, want the id and the rule", line)
	}
	if got := len(log.lines(t, slog.LevelDebug)); got != 3 {
		t.Errorf("%d lines at debug level, want 3", got)
	}
	cfg.CheckID = func(id string) error {
		if id == "gone" {
			return fmt.Errorf("deleted: %w", preview.ErrNotFound)
		}
		return nil
	}
	h = newHandler(t, cfg)
	if w := get(t, h, "files/"+uuid); w.Code != 200 {
		t.Errorf("with another CheckID: %d %s, want 200", w.Code, w.Body)
	}
	if w := get(t, h, "files/gone"); w.Code != 404 {
		t.Errorf("CheckID that finds nothing: %d %s, want 404", w.Code, w.Body)
	}
}

// TestLogStaysReadable whatever short values the user's query has, and hides the
// long ones.
func TestLogStaysReadable(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"page=1&lang=e&x=doc":      "secret 1 of the ledger is not on disk 2, says Pages-4711",
		"e":                        "secret 1 of the ledger is not on disk 2, says Pages-4711",
		"lang=e&ticket=Pages-4711": "secret 1 of the ledger is not on disk 2, says [secret]",
	} {
		cfg, log := all(failing(errors.New("secret 1 of the ledger is not on disk 2, says Pages-4711")))
		r := httptest.NewRequest(http.MethodGet, "/v3/3rd/files/f1?"+query, nil)
		r.Header.Set("X-User-Query", query)
		r.Header.Set("Authorization", "a:e:s")
		r.Header.Set("X-WebOffice-Token", "1")
		serve(t, newHandler(t, cfg), r)
		if got := log.only(t, slog.LevelError)["error"]; got != want {
			t.Errorf("query %q: the log says %q, want %q", query, got, want)
		}
	}
}

// TestUnfitIDIsSaid also warns once of ids that CheckID never sees.
func TestUnfitIDIsSaid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 48)
	for path, want := range map[string][2]string{
		long:        {long, "longer than 47 characters"},
		"a%00b":     {"a\x00b", "not text"},
		"/versions": {"", "empty"},
	} {
		cfg, log := all(&backend{})
		h := newHandler(t, cfg)
		for range 3 {
			if w := get(t, h, "files/"+path); w.Code != 400 {
				t.Errorf("%s = %d %s, want 400", path, w.Code, w.Body)
			}
		}
		if line := log.only(t, slog.LevelWarn); line["refused_id"] != want[0] || !strings.Contains(fmt.Sprint(line["error"]), want[1]) {
			t.Errorf("%s: log = %v, want the id and %q", path, line, want[1])
		}
	}
}

// TestRefusedSaveIsSaid warns once of each field that is refused, with its type.
func TestRefusedSaveIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, field, kind string }{
		{`{"name":"a.docx","size":"3"}`, "size", "string"},
		{`{"fileId":"f1","fileName":"a.docx","size":3}`, "name", "string"},
		{`{"name":"a.docx"}`, "size", "missing"},
		{`{"name":"a.docx","size":-1}`, "size", "number"},
		{`{"name":"a.docx","size":1.5}`, "size", "number"},
		{`{"name":"a.docx","size":3,"digest":[]}`, "digest", "array"},
		{`{"name":"a.docx","size":3,"digest":{"md5":7}}`, "digest.md5", "number"},
		{`{"name":"a.docx","size":3,"digest":{"sha1":true}}`, "digest.sha1", "bool"},
		{`{"name":"a.docx","size":3,"digest":{"sha1":[]}}`, "digest.sha1", "array"},
		{`{"name":"a.docx","size":3,"digest":{"sha256":{}}}`, "digest.sha256", "object"},
		{`{"name":"a.docx","size":3,"digest":{"md5":"zz"}}`, "digest.md5", "string"},
		{`{"name":"a.docx","size":3,"is_manual":"yes"}`, "is_manual", "string"},
		{`{"name":"a.docx","size":3,"attachment_size":-1}`, "attachment_size", "number"},
		{`{"file_id":"f2","name":"a.docx","size":3}`, "file_id", "string"},
		{`[]`, "body", "other JSON"},
		{`null`, "body", "other JSON"},
		{`{`, "body", "not JSON"},
		{``, "body", "empty"},
	} {
		t.Run(c.body, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, log := all(b)
			h := newHandler(t, cfg)
			for range 3 {
				if w := send(t, h, "POST", "files/f1/upload/address", c.body); w.Code != 400 || w.Body.String() != `{"code":40005,"message":"invalid argument"}` {
					t.Errorf("answer = %d %s, want 400", w.Code, w.Body)
				}
			}
			line := log.only(t, slog.LevelWarn)
			if line["field"] != c.field || line["type"] != c.kind || line["callback"] != "upload_address" || b.calls() > 0 {
				t.Errorf("log = %v, want field %q of type %q", line, c.field, c.kind)
			}
		})
	}
}

// TestUnknownPathIsSaid once.
func TestUnknownPathIsSaid(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{})
	h := newHandler(t, cfg)
	for range 3 {
		send(t, h, "POST", "notify", "{}")
	}
	if line := log.only(t, slog.LevelWarn); line["path"] != "/v3/3rd/notify" || line["method"] != "POST" {
		t.Errorf("log = %v, want method and path", line)
	}
}

// TestWhySignatureFailed is in the log, with the app id that the caller claims, and not
// in the answer.
func TestWhySignatureFailed(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{})
	cfg.Auth = newVerifier(t, signing.VerifierConfig{}).VerifyRequest
	r := signingtest.NewRequest(t, signing.App("stranger", signing.NewSecret("key")), http.MethodGet, "/v3/3rd/files/f1", nil)
	w := serve(t, newHandler(t, cfg), r)
	line := log.only(t, slog.LevelWarn)
	if line["check"] != "caller" || line["claimed_app_id"] != "stranger" || strings.Contains(fmt.Sprint(line["error"]), "token") {
		t.Errorf("log = %v, want check and app id, and nothing of the user's token", line)
	}
	if want := `{"code":40002,"message":"unauthorized"}`; w.Code != 401 || w.Body.String() != want {
		t.Errorf("answer = %d %s, want %s", w.Code, w.Body, want)
	}
}

// TestEveryBrokenFieldIsSaid in a line of its own.
func TestEveryBrokenFieldIsSaid(t *testing.T) {
	t.Parallel()
	var got []any
	cfg, log := all(&backend{file: answering(preview.File{Size: -1})})
	get(t, newHandler(t, cfg), "files/f1")
	for _, line := range log.lines(t, slog.LevelError) {
		got = append(got, line["field"])
	}
	want := []any{"name", "version", "size", "create_time", "modify_time", "creator_id", "modifier_id"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// TestUnsignedIsSaid when the handler is made.
func TestUnsignedIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		auth func(*http.Request) (signing.Caller, error)
		want int
	}{"unsigned": {signing.Unsigned, 1}, "another func": {trusted, 0}, "a verifier": {newVerifier(t, signing.VerifierConfig{}).VerifyRequest, 0}} {
		cfg, log := all(&backend{})
		cfg.Auth = c.auth
		h := newHandler(t, cfg)
		get(t, h, "nothing")
		if got := strings.Count(log.String(), "signing.Unsigned"); got != c.want {
			t.Errorf("%s: %d warnings, want %d\n%s", name, got, c.want, log)
		}
	}
}
