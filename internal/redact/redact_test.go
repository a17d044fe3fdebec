package redact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/redact"
)

func TestURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://api.test/v1/task":                "https://api.test/v1/task",
		"https://api.test":                        "https://api.test",
		"https://api.test/send?key=hidden":        "https://api.test/send?[secret]",
		"https://api.test/send#hidden":            "https://api.test/send?[secret]",
		"https://api.test/a?hidden#hidden":        "https://api.test/a?[secret]",
		"https://hidden:hidden@api.test/a":        "https://api.test/a",
		"https://hidden@api.test:8443/a?hidden":   "https://api.test:8443/a?[secret]",
		"https://api.test/a?":                     "https://api.test/a",
		"https://api.test/a%2Fb/%E6%96%87?hidden": "https://api.test/a%2Fb/%E6%96%87?[secret]",
		"//api.test/a?hidden":                     "//api.test/a?[secret]",
		"/v1/task?hidden":                         "/v1/task?[secret]",
		"https://api.test/%zz?hidden":             "[secret]",
		"https://user:hid/den@api.test/":          "[secret]",
		"https://api.test:hidden/":                "[secret]",
		"hidden":                                  "[secret]",
		"key=hidden":                              "[secret]",
		"data:text/plain,hidden":                  "[secret]",
		"":                                        "[secret]",
		"\x00hidden":                              "[secret]",
	} {
		if got := redact.URL(raw); got != want {
			t.Errorf("URL(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	const awkward = "a/b+c d&e=\"<é>\"\n\\"
	const nested = awkward + "z"
	tests := []struct {
		name    string
		text    string
		secrets []string
		want    string
	}{
		{"nothing", "all is well", []string{"", "hidden"}, "all is well"},
		{"no secrets", "all is well", nil, "all is well"},
		{"twice", "hidden and hidden", []string{"hidden"}, "[secret] and [secret]"},
		{"several", "one two", []string{"one", "two"}, "[secret] [secret]"},
		{"one begins with another", "abcdef", []string{"abc", "abcdef"}, "[secret]"},
		{"one is part of the mark", "a secret in a [b]", []string{"secret", "b"}, "a [secret] in a [[secret]]"},
		{"in a query", "?k=" + url.QueryEscape(awkward), []string{awkward}, "?k=[secret]"},
		{"in a path segment", "/" + url.PathEscape(awkward), []string{awkward}, "/[secret]"},
		{"in a path", (&url.URL{Path: "/x/" + awkward}).String(), []string{awkward}, "/x/[secret]"},
		{"in lower case", strings.ToLower(url.QueryEscape("ä/ö")), []string{"ä/ö"}, "[secret]"},
		{"by %q", fmt.Sprintf("%q", awkward), []string{awkward}, `"[secret]"`},
		{"by %+q", fmt.Sprintf("%+q", awkward), []string{awkward}, `"[secret]"`},
		{"by %q, a byte", fmt.Sprintf("%q", "a\x01é"), []string{"a\x01é"}, `"[secret]"`},
		{"in JSON, a byte", `"a\u0001<b" "a\u0001\u003cb"`, []string{"a\x01<b"}, `"[secret]" "[secret]"`},
		{"in JSON", `{"k":"a/b+c d\u0026e=\"\u003cé\u003e\"\n\\"}`, []string{awkward}, `{"k":"[secret]"}`},
		{"in HTML", html.EscapeString(awkward), []string{awkward}, "[secret]"},
		{"in HTML, otherwise", "a&#x2F;b&#43;c d&amp;e=&quot;&LT;é&gt;&apos;&#039;", []string{"a/b+c d&e=\"<é>''"}, "[secret]"},
		{"as it is, though it looks escaped", "%41&amp;+\\n", []string{"%41&amp;+\\n"}, "[secret]"},
		{"in part", "a%2Fb/c", []string{"a/b/c"}, "[secret]"},
		{"in JSON of PHP", `"a\/\u00e9\ud83d\ude00"`, []string{"a/é😀"}, `"[secret]"`},
		{"in JSON in capital letters", `"\u003C\u00C9"`, []string{"<É"}, `"[secret]"`},
		{"in JSON, a pair in capital letters", `"\uD83D\uDE00"`, []string{"😀"}, `"[secret]"`},
		{"in JSON, two that are no pair", `"\ud7a3\u0041"`, []string{"힣"}, `"[secret]\u0041"`},
		{"in many ways", strings.Repeat(`\`, 100), []string{strings.Repeat(`\`, 60) + "x"}, strings.Repeat(`\`, 100)},
		{"in JSON in JSON", quote(quote(nested)), []string{nested}, `"\"[secret]\""`},
		{"by %q in JSON", quote(fmt.Sprintf("%q", nested)), []string{nested}, `"\"[secret]\""`},
		{"in JSON in HTML", html.EscapeString(quote(nested)), []string{nested}, "&#34;[secret]&#34;"},
		{"after backslashes", `\\hidden \nhidden`, []string{"hidden"}, `\\[secret] \n[secret]`},
		{"too many backslashes", `a\\\\\\\\b`, []string{"ab"}, `a\\\\\\\\b`},
		{"in far too many ways", strings.Repeat(`\`, 1<<16), []string{strings.Repeat(`\`, 1<<12) + "x"}, strings.Repeat(`\`, 1<<16)},
		{"in a query in a query", url.QueryEscape(url.QueryEscape(nested)), []string{nested}, "[secret]"},
		{"in HTML in JSON", quote(html.EscapeString(nested)), []string{nested}, `"[secret]"`},
		{"in JSON in a query", url.QueryEscape(quote(nested)), []string{nested}, `%22[secret]%22`},
		{"two that overlap", "abcde", []string{"abc", "cde"}, "[secret]"},
		{"cut escapes", `ab% ab%4 ab\ ab\u00 ab& ab&am ab\ud83d`, []string{"ab%%"}, `ab% ab%4 ab\ ab\u00 ab& ab&am ab\ud83d`},
		{"in JSON without HTML escapes", `{"k":"a/b+c d&e=\"<é>\"\n\\"}`, []string{awkward}, `{"k":"[secret]"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, redact.Text(tt.text, tt.secrets...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// quote returns s as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// value is an error that is no pointer, so that fmt prints its field.
type value struct{ text string }

func (v value) Error() string { return v.text }

// timeout is an error of the network that says hidden.
type timeout struct{}

func (timeout) Error() string   { return "hidden: i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// code is an error that callers look for.
type code struct{ n int }

func (c *code) Error() string { return fmt.Sprintf("code %d", c.n) }

func parseError(raw string) error {
	_, err := url.Parse(raw)
	return err
}

func TestError(t *testing.T) {
	t.Parallel()
	get := func(cause error) *url.Error {
		return &url.Error{Op: "Get", URL: "https://u:hidden-pass@api.test/a?key=hidden-query#hidden-part", Err: cause}
	}
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: &code{111}}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"harmless", io.EOF, "EOF"},
		{"harmless address", &url.Error{Op: "Get", URL: "https://api.test/a", Err: io.EOF}, `Get "https://api.test/a": EOF`},
		{"address", get(refused), `Get "https://api.test/a?[secret]": dial tcp: code 111`},
		{"address without cause", &url.Error{Op: "Get", URL: "https://api.test/?hidden", Err: errors.New("")}, `Get "https://api.test/?[secret]": `},
		{"cause repeats the query", get(errors.New("no route for key=hidden-query")), `Get "https://api.test/a?[secret]": no route for [secret]`},
		{"cause repeats a value", get(errors.New("lookup hidden-query.test")), `Get "https://api.test/a?[secret]": lookup [secret].test`},
		{"cause repeats the password", get(errors.New("bad hidden-pass")), `Get "https://api.test/a?[secret]": bad [secret]`},
		{"short query", fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: "https://api.test/x?x", Err: io.EOF}), `x: Get "https://api.test/x[secret]": EOF`},
		{"in another", fmt.Errorf("convert: %w", get(refused)), `convert: Get "https://[secret]@api.test/a?[secret]#[secret]": dial tcp: code 111`},
		{"deep in others", fmt.Errorf("a: %w", fmt.Errorf("b: %w", get(io.EOF))), `a: b: Get "https://[secret]@api.test/a?[secret]#[secret]": EOF`},
		{"joined", errors.Join(get(io.EOF), &url.Error{Op: "Put", URL: "https://b.test/?other-hidden", Err: io.EOF}), "Get \"https://[secret]@api.test/a?[secret]#[secret]\": EOF\nPut \"https://b.test/?[secret]\": EOF"},
		{"two in one chain", &url.Error{Op: "Get", URL: "https://a.test/?one=hidden1", Err: &url.Error{Op: "proxy", URL: "https://p.test/?two=hidden2", Err: io.EOF}}, `Get "https://a.test/?[secret]": proxy "https://p.test/?[secret]": EOF`},
		{"unreadable", parseError("https://api.test/%zz?hidden"), `parse "[secret]": not a valid address`},
		{"half a password as a port", parseError("https://user:hid/den@api.test"), `parse "[secret]": not a valid address`},
		{"unreadable in another", fmt.Errorf("x: %w", parseError("https://user:hid/den@api.test")), `x: parse "[secret]": [secret]`},
		{"quoted in the query", fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: "https://a.test/?k=\"hidden\"", Err: io.EOF}), `x: Get "https://a.test/?[secret]": EOF`},
		{"secret in a path", &url.Error{Op: "Get", URL: "https://a.test/hidden-given", Err: io.EOF}, `Get "https://a.test/[secret]": EOF`},
		{"secret in plain text", errors.New("key hidden-given is wrong"), "key [secret] is wrong"},
		{"a value", value{"hidden-given"}, "[secret]"},
		{"a value in an address", get(value{"hidden-given"}), `Get "https://api.test/a?[secret]": [secret]`},
		{"a value in another", fmt.Errorf("x: %w", value{"hidden-given"}), "x: [secret]"},
		{"masked by net/http", fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: "https://u:***@a.test/", Err: io.EOF}), `x: Get "https://[secret]a.test/": EOF`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := fmt.Sprintf("%v %#v", tt.err, tt.err)
			got := redact.Error(tt.err, "hidden-given")
			if diff := cmp.Diff(tt.want, got.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if after := fmt.Sprintf("%v %#v", tt.err, tt.err); after != before {
				t.Errorf("the error was changed:\n%s\n%s", before, after)
			}
			silent(t, got)
		})
	}
	if redact.Error(nil) != nil {
		t.Error("no error became one")
	}
}

// silent looks for the secrets in err and in all that it wraps.
func silent(t *testing.T, err error) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%q", "%#v", "%d", "%s"} {
		if s := fmt.Sprintf(verb, err); strings.Contains(s, "hid") {
			t.Errorf("%s shows a secret: %s", verb, s)
		}
	}
	switch e := err.(type) { //nolint:errorlint // It walks the tree itself.
	case interface{ Unwrap() error }:
		if e.Unwrap() != nil {
			silent(t, e.Unwrap())
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			silent(t, inner)
		}
	}
}

func TestErrorKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	address := &url.Error{Op: "Get", URL: "https://api.test/?key=hidden-query", Err: &net.OpError{Op: "dial", Err: &code{111}}}
	err := redact.Error(fmt.Errorf("hidden-given: %w", errors.Join(context.Canceled, fs.ErrNotExist, address)), "hidden-given")
	for _, target := range []error{context.Canceled, fs.ErrNotExist} {
		if !errors.Is(err, target) {
			t.Errorf("errors.Is no longer finds %v", target)
		}
	}
	if errors.Is(err, io.EOF) {
		t.Error("errors.Is finds what was not there")
	}
	sentinel := errors.New("hidden-given is wrong")
	if !errors.Is(redact.Error(sentinel, "hidden-given"), sentinel) {
		t.Error("errors.Is no longer finds an error whose text was cleaned")
	}
	var found *url.Error
	if !errors.As(err, &found) || found == address || found.URL != "https://api.test/?[secret]" {
		t.Errorf("errors.As gives the address %v", found)
	}
	var op *net.OpError
	var c *code
	if !errors.As(err, &op) || !errors.As(err, &c) || c.n != 111 {
		t.Error("errors.As no longer finds harmless errors")
	}

	for name, err := range map[string]error{
		"itself":        timeout{},
		"in an address": &url.Error{Op: "Get", URL: "https://api.test/?hidden", Err: timeout{}},
		"in a text":     fmt.Errorf("hidden: %w", timeout{}),
	} {
		err = redact.Error(err, "hidden")
		var temporary interface{ Timeout() bool }
		if !errors.As(err, &temporary) || !temporary.Timeout() {
			t.Errorf("%s: it is no time-out any more", name)
		}
		silent(t, err)
	}
	var plain interface{ Timeout() bool }
	if err := redact.Error(errors.New("hidden"), "hidden"); errors.Is(err, context.DeadlineExceeded) || errors.As(err, &plain) && plain.Timeout() {
		t.Error("it has become a time-out")
	}
}

// TestErrorOfNetHTTP takes the errors that net/http really makes.
func TestErrorOfNetHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	closed := server.URL
	server.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, raw := range map[string]string{
		"refused":   closed + "/send?key=hidden-key",
		"cancelled": closed + "/send?key=hidden-key",
		"scheme":    "gopher://api.test/?hidden-key",
		"password":  strings.Replace(closed, "//", "//u:hidden-key@", 1),
		"no host":   "http:///?hidden-key",
	} {
		ctx := t.Context()
		if name == "cancelled" {
			ctx = ended
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, raw, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{}).Do(req)
		if err == nil {
			_ = resp.Body.Close()
			t.Fatalf("%s: there is an answer", name)
		}
		clean := redact.Error(err)
		silent(t, clean)
		if name == "cancelled" && !errors.Is(clean, context.Canceled) {
			t.Errorf("%s: %v", name, clean)
		}
	}
}

func FuzzError(f *testing.F) {
	f.Add("https://api.test/a?key=CANARY", "CANARY")
	f.Add("https://u:CANARY@api.test/", "CANARY")
	f.Add("https://api.test/CANARY%zz", "CANARY%zz")
	f.Add("https://api.test/?k=\"CANARY\"#é", "é")
	f.Fuzz(func(t *testing.T, raw, secret string) {
		text := redact.Error(fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: raw, Err: errors.New(secret)}), secret).Error()
		text = strings.ReplaceAll(text, redact.Hidden, "")
		if len(secret) > 8 && strings.Contains(text, secret) {
			t.Errorf("Error shows %q: %s", secret, text)
		}
		_, query, found := strings.Cut(raw, "?")
		if query, _, _ = strings.Cut(query, "#"); found && len(query) > 8 && strings.Contains(text, query) {
			t.Errorf("Error shows the query %q: %s", query, text)
		}
	})
}

// TestTextTwice is the same as once, and what was hidden is not hidden again.
func TestTextTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"the tale", []string{"e"}, "th[secret] tal[secret]"},
		{"a [secret] tale", []string{"secret", "s", "]"}, "a [secret] tale"},
		{"key [secret]-abc", []string{"[secret]-abc"}, "key [secret]"},
		{"[secrets]", []string{"s"}, "[[secret]ecret[secret]]"},
	} {
		got := redact.Text(c.text, c.secrets...)
		if got != c.want {
			t.Errorf("Text(%q, %q) = %q, want %q", c.text, c.secrets, got, c.want)
		}
		if again := redact.Text(got, c.secrets...); again != got {
			t.Errorf("hidden twice, %q becomes %q", got, again)
		}
	}
}

// FuzzText escapes a secret in each way that an answer may do it.
func FuzzText(f *testing.F) {
	f.Add("a/b+c d&e=\"<é>\"\n\\", "text")
	f.Add("%41&amp;+\\n\\u0041", "%")
	f.Fuzz(func(t *testing.T, secret, around string) {
		hidden := redact.Hidden // of which a secret may be a part
		if secret == "" || !utf8.ValidString(secret) || strings.Contains(secret, "[") || strings.Contains(hidden, secret) {
			return
		}
		encoded, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
			strings.Trim(string(encoded), `"`), strings.Trim(fmt.Sprintf("%+q", secret), `"`),
		} {
			if form == "" || strings.Trim(form, `"`) != form || strings.HasSuffix(form, `\`) {
				continue // Trim took more than the quotes
			}
			got := redact.Text(around+" "+form, secret)
			if !strings.HasSuffix(got, redact.Hidden) && !strings.Contains(got, redact.Hidden) {
				t.Errorf("Text(%q) = %q shows %q", around+" "+form, got, secret)
			}
			if again := redact.Text(got, secret); again != got {
				t.Errorf("hidden twice, %q becomes %q", got, again)
			}
		}
	})
}
