package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// examined is what one run of the doctor gave.
type examined struct {
	code           int
	stdout, stderr string
	broken         []string // rules
	notChecked     []string
}

func environment(name string) string {
	return map[string]string{"WEBOFFICE_APP_ID": appID, "WEBOFFICE_APP_KEY": appKey, "WEBOFFICE_TOKEN": "CANARY-token"}[name]
}

// visit runs the doctor as a command, in JSON and in text.
func (p *patient) visit(t *testing.T, base string, args ...string) examined {
	t.Helper()
	args = append([]string{"-base", base}, args...)
	if !slices.Contains(args, "-file") {
		args = append(args, "-file", "f1", "-file", "f2")
	}
	var out, text, stderr strings.Builder
	// Names that stand for the public network lead to the server of the test.
	client := &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext, Proxy: nil}}
	if strings.Contains(base, "office.example") {
		client = previewtest.HTTPClient(p.server.Config.Handler)
	}
	code := run(t.Context(), append(args, "-json"), environment, &out, &stderr, client)
	if other := run(t.Context(), args, environment, &text, io.Discard, client); other != code {
		t.Errorf("exit code %d with -json, and %d without", code, other)
	}
	got := examined{code: code, stdout: text.String(), stderr: stderr.String()}
	var report struct {
		Right bool
		Rules []entry
	}
	if out.Len() > 0 {
		if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
	}
	for _, e := range report.Rules {
		switch e.State {
		case stateBroken:
			got.broken = append(got.broken, e.Rule)
			if e.Change == "" || !strings.Contains(got.stdout, e.Change) || !strings.Contains(got.stdout, e.Found[0]) && !strings.Contains(e.Found[0], "doctor") {
				t.Errorf("%s: found %q, change %q, in\n%s", e.Rule, e.Found, e.Change, got.stdout)
			}
		case stateNotChecked:
			if slices.Contains(args, "-save") || !slices.Contains(unsaved, e.Rule) {
				got.notChecked = append(got.notChecked, e.Rule)
			}
		}
	}
	if report.Right != (code == exitRight) && code != exitUsage {
		t.Errorf("right is %v, and the exit code %d", report.Right, code)
	}
	if all := out.String() + got.stdout + got.stderr; strings.Contains(all, "CANARY") || strings.Contains(all, appKey) {
		t.Errorf("a secret is printed:\n%s", all)
	}
	return got
}

// unsaved are the rules that need -save, or a permission to rename.
var unsaved = []string{previewtest.RuleAddress, previewtest.RuleAddressMaps, previewtest.RuleUpload, previewtest.RuleSaved, ruleRename}

// TestHealthy finds nothing where nothing is wrong, and checks every rule.
func TestHealthy(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	got := p.visit(t, p.server.URL+"/office/")
	// Nobody on this machine can tell what the public network reaches.
	if diff := cmp.Diff([]string{rulePublic}, got.notChecked); got.code != exitRight || len(got.broken) > 0 || diff != "" || got.stderr != "" {
		t.Errorf("exit code %d, broken %q, %s, not checked (-want +got):\n%s", got.code, got.broken, got.stderr, diff)
	}
	p.change(t, "download", p.server.URL, "http://office.example.com")
	got = p.visit(t, "http://office.example.com/office/")
	if got.code != exitRight || len(got.broken) > 0 || len(got.notChecked) > 0 || got.stderr != "" {
		t.Errorf("by a public name: exit code %d, broken %q, not checked %q, %s", got.code, got.broken, got.notChecked, got.stderr)
	}
	p.verify.off = true
	got = p.visit(t, "http://office.example.com/office", "-unsigned")
	want := []string{ruleAccepted, rulePrefix, ruleEmptyMD5, ruleEmptyType, ruleScheme, ruleQuery, ruleVerified, ruleUnsigned, ruleTarget, ruleDate}
	if diff := cmp.Diff(want, got.notChecked); got.code != exitRight || len(got.broken) > 0 || diff != "" {
		t.Errorf("unsigned: exit code %d, broken %q, not checked (-want +got):\n%s", got.code, got.broken, diff)
	}
}

// TestUnsigned of a system that verifies says so, and knows nothing about signatures.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	got := p.visit(t, p.server.URL+"/office", "-unsigned")
	if diff := cmp.Diff([]string{ruleAnswered}, got.broken); diff != "" || !slices.Contains(got.notChecked, ruleAccepted) {
		t.Errorf("not checked %q, broken (-want +got):\n%s", got.notChecked, diff)
	}
	if !strings.Contains(got.stdout, "HTTP 401") || !strings.Contains(got.stdout, "leave out -unsigned") {
		t.Errorf("the report does not ask about the signature:\n%s", got.stdout)
	}
}

// TestWhatCannotBeChecked is not called right.
func TestWhatCannotBeChecked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		make func(t *testing.T, p *patient)
		want []string // rules that are not checked, beside that of the public network
	}{
		"nothing is verified": {func(_ *testing.T, p *patient) { p.verify.off = true }, []string{rulePrefix, ruleEmptyMD5, ruleEmptyType, ruleScheme, ruleQuery, ruleUnsigned, ruleTarget, ruleDate}},
		"relative url":        {func(t *testing.T, p *patient) { t.Helper(); p.change(t, "download", `"url":"http:`, `"url":"`) }, []string{previewtest.RuleFetch, previewtest.RuleFetchSize, previewtest.RuleFetchDigest}},
		"users wrapped":       {func(t *testing.T, p *patient) { t.Helper(); p.change(t, "users", `[{users}]`, `{"users":[{users}]}`) }, []string{previewtest.RuleUserKnown, previewtest.RuleUserFields, previewtest.RuleUserAvatar, previewtest.RuleUsersAsked}},
		"no user_id":          {func(t *testing.T, p *patient) { t.Helper(); p.change(t, "permission", `"user_id":"ann",`, ``) }, []string{previewtest.RuleUserKnown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			tc.make(t, p)
			got := p.visit(t, p.server.URL+"/office")
			rest := slices.DeleteFunc(got.notChecked, func(rule string) bool { return rule == rulePublic })
			if diff := cmp.Diff(tc.want, rest); diff != "" || len(got.broken) == 0 || len(rest) == len(got.notChecked) {
				t.Errorf("broken %q, not checked (-want +got):\n%s", got.broken, diff)
			}
		})
	}
}

// TestTenMistakes makes them all at once. It finds each, and nothing else.
func TestTenMistakes(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	p.verify.path = func(r *http.Request) string { return strings.TrimPrefix(r.RequestURI, "/office") } // 2: the prefix is stripped
	p.verify.anyDate = true                                                                             // 3
	p.change(t, "permission", `"read":1,"update":1`, `"read":true,"update":true`)                       // 4
	p.change(t, "f1/download", `"headers":{"X-Key":"open"}`, `"headers":null`)                          // 5
	p.change(t, "f2", `1700000000`, `1700000000000`)                                                    // 6
	p.change(t, "f1", `"id":"f1"`, `"id":"1"`)                                                          // 7
	p.change(t, "f2", `"size":12`, `"size":13`)                                                         // 8
	p.change(t, "f2/download", `"digest":"`, `"digest":"00`)                                            // 9 digits too many
	p.missing = func(w http.ResponseWriter) { http.Error(w, "<h1>404</h1>", http.StatusNotFound) }      // 10
	got := p.visit(t, p.server.URL+"/office/v3/3rd")                                                    // 1
	want := []string{
		ruleGateway, rulePrefix, ruleDate, previewtest.RuleJSON, previewtest.RuleFileID, previewtest.RuleTimes,
		previewtest.RuleDigest, previewtest.RuleHeaders, previewtest.RuleFetchSize, previewtest.RuleFlags,
	}
	if diff := cmp.Diff(want, got.broken); got.code != exitFindings || diff != "" {
		t.Errorf("exit code %d, broken rules (-want +got):\n%s\n%s", got.code, diff, got.stdout)
	}
}

// TestOneMistake makes one at a time. It finds that one, and nothing else.
func TestOneMistake(t *testing.T) {
	t.Parallel()
	for name, tc := range mistakes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			base := p.server.URL + "/office"
			if tc.base != "" {
				base = tc.base
			}
			tc.make(t, p)
			got := p.visit(t, base, tc.args...)
			if diff := cmp.Diff(tc.want, got.broken); got.code != exitFindings || diff != "" {
				t.Errorf("exit code %d, broken rules (-want +got):\n%s\n%s", got.code, diff, got.stdout)
			}
			if !strings.Contains(got.stdout, tc.says) {
				t.Errorf("the report does not say %q:\n%s", tc.says, got.stdout)
			}
		})
	}
}

// TestRules has words for each rule.
func TestRules(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range ruleTable {
		if slices.Contains(names, r.name) {
			t.Errorf("%s is there twice", r.name)
		}
		if names = append(names, r.name); len(r.change) < 30 {
			t.Errorf("%s says to change %q", r.name, r.change)
		}
	}
	for _, name := range previewtest.Rules() {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// TestUsage is exit code 2, with words.
func TestUsage(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	for _, tc := range []struct {
		name string
		args []string
		env  func(string) string
		want string
	}{
		{"nothing", nil, environment, "-base and at least one -file"},
		{"no file", []string{"-base", "http://a.example"}, environment, "-file"},
		{"empty file", []string{"-base", "http://a.example", "-file", ""}, environment, "-file"},
		{"more", []string{"-base", "http://a.example", "-file", "f", "more"}, environment, `unexpected argument "more"`},
		{"unknown flag", []string{"-nonsense"}, environment, "nonsense"},
		{"no key", []string{"-base", "http://a.example", "-file", "f"}, func(string) string { return "" }, "WEBOFFICE_APP_KEY"},
		{"bad query", []string{"-base", "http://a.example", "-file", "f", "-user-query", "%"}, environment, "-user-query"},
		{"relative", []string{"-base", "/office", "-file", "f"}, environment, "-base must be a URL"},
		{"nothing answers", []string{"-base", down.URL, "-file", "f"}, environment, "refused"},
		{"too slow", []string{"-base", slow.URL, "-file", "f", "-timeout", "50ms"}, environment, "deadline"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			code := run(t.Context(), tc.args, tc.env, &stdout, &stderr, &http.Client{})
			if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), tc.want) || strings.Contains(stderr.String(), "CANARY") {
				t.Errorf("exit code %d, printed %q and %q, want %q", code, stdout.String(), stderr.String(), tc.want)
			}
		})
	}
}

// TestSave saves where it is allowed to, and misses nothing then.
func TestSave(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	got := p.visit(t, p.server.URL+"/office", "-save")
	if diff := cmp.Diff([]string{rulePublic, ruleRename}, got.notChecked); got.code != exitRight || len(got.broken) > 0 || diff != "" {
		t.Errorf("exit code %d, broken %q, not checked (-want +got):\n%s", got.code, got.broken, diff)
	}
}

// TestAnyRefusal of a signature starts the search for the mistake, however it is worded.
func TestAnyRefusal(t *testing.T) {
	t.Parallel()
	for _, refusal := range []struct {
		status int
		body   string
	}{
		{401, `{"code":40001,"message":"invalid signature"}`},
		{403, `{"code":40001,"message":"invalid signature"}`},
		{200, `{"code":40003,"message":"invalid signature"}`},
		{400, `{"code":40001,"message":"sign bad"}`},
		{200, `{"code":500,"message":"sign bad"}`},
		{401, `{"message":"who are you"}`},
	} {
		p := newPatient(t)
		p.verify.scheme = "WPS-2"
		p.refuse = func(w http.ResponseWriter) { text(refusal.status, "application/json", refusal.body)(w, nil) }
		got := p.visit(t, p.server.URL+"/office")
		if diff := cmp.Diff([]string{ruleScheme}, got.broken); diff != "" || !strings.Contains(got.stdout, "WPS-2 is accepted") {
			t.Errorf("%d %s: broken rules (-want +got):\n%s\n%s", refusal.status, refusal.body, diff, got.stdout)
		}
	}
}

// TestNothingServed calls nothing right when every answer is the 404 of a framework.
func TestNothingServed(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"JSON without code": text(404, "application/json", `{"message":"Route not found","error":"Not Found","statusCode":404}`),
		"HTML":              text(404, "text/html", "<h1>404"),
	} {
		p := newPatient(t)
		p.wrap = func(http.Handler) http.Handler { return answer }
		got := p.visit(t, p.server.URL+"/office")
		if diff := cmp.Diff([]string{ruleRoute}, got.broken); diff != "" || strings.Contains(got.stdout, "\nok ") {
			t.Errorf("%s: broken rules (-want +got):\n%s\n%s", name, diff, got.stdout)
		}
	}
}

// TestReport has what is wrong first, and what is not checked in one line.
func TestReport(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	p.change(t, "files/f1", `"id":"f1"`, `"id":"17"`)
	got := p.visit(t, p.server.URL+"/office")
	wrong, right := strings.Index(got.stdout, "WRONG "), strings.Index(got.stdout, "\nok ")
	if wrong < 0 || right < wrong || !strings.Contains(got.stdout[:wrong], "broken: 1, ") || strings.Count(got.stdout, "\nNot checked: ") != 1 || !strings.Contains(got.stdout, `WRONG  GET /v3/3rd/files/f1: id is "17"`) {
		t.Errorf("report:\n%s", got.stdout)
	}
}
