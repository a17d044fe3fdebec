package converttest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// met is what a client saw of a fault.
type met struct {
	status int
	header http.Header
	body   string
	length int64
	err    error // of the call, or of reading the body
}

// meet sends a signed submit to base.
func meet(t *testing.T, hc *http.Client, base string) met {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+toText, strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", signing.ContentType)
	signer, err := signing.NewSigner(signingtest.Credentials())
	if err != nil {
		t.Fatal(err)
	}
	signer.Sign(req.Header, []byte(document), time.Now())
	resp, err := hc.Do(req)
	if err != nil {
		return met{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return met{resp.StatusCode, resp.Header, string(body), resp.ContentLength, err}
}

const submitted = `{"code":0,"data":{"task_id":"open:task-000001"},"result":"ok"}`

// faults are all of the package, with what a client sees of them and whether the
// service had taken the submit on.
var faults = map[string]struct {
	fault    converttest.Fault
	accepted bool
	check    func(met) bool
}{
	"TooManyRequests": {converttest.TooManyRequests(1500 * time.Millisecond), false, func(m met) bool {
		return m.status == 429 && m.header.Get("Retry-After") == "2" && m.body == `{"code":30002,"message":"RateLimiter"}`
	}},
	"TooManyRequests, no time": {converttest.TooManyRequests(0), false, func(m met) bool { return m.status == 429 && m.header.Get("Retry-After") == "" }},
	"Refused": {converttest.Refused(convert.CodeRateLimiter), false, func(m met) bool {
		return m.status == 200 && m.body == `{"code":30002,"message":"RateLimiter"}`
	}},
	"Replied": {converttest.Replied(502, "text/plain", "bad gateway"), false, func(m met) bool {
		return m.status == 502 && m.header.Get("Content-Type") == "text/plain" && m.body == "bad gateway"
	}},
	"Redirected": {converttest.Redirected("https://other.example/"), false, func(m met) bool {
		return m.status == 307 && m.header.Get("Location") == "https://other.example/"
	}},
	"Reset": {converttest.Reset, true, func(m met) bool { return m.status == 0 && m.err != nil }},
	"Truncated": {converttest.Truncated, true, func(m met) bool {
		return errors.Is(m.err, io.ErrUnexpectedEOF) && strings.HasPrefix(submitted, m.body) && m.body != ""
	}},
	"ShortLength": {converttest.ShortLength, true, func(m met) bool {
		return m.err == nil && m.body == submitted[:len(submitted)/2] && m.length == int64(len(m.body))
	}},
	"LongLength": {converttest.LongLength, true, func(m met) bool {
		return errors.Is(m.err, io.ErrUnexpectedEOF) && m.body == submitted && m.length == int64(len(m.body)+1)
	}},
	"HTML": {converttest.HTML, true, func(m met) bool {
		return m.status == 200 && strings.HasPrefix(m.header.Get("Content-Type"), "text/html") && strings.Contains(m.body, "<")
	}},
	"Empty":  {converttest.Empty, true, func(m met) bool { return m.status == 200 && m.body == "" && m.err == nil }},
	"Null":   {converttest.Null, true, func(m met) bool { return m.status == 200 && m.body == "null" }},
	"Array":  {converttest.Array, true, func(m met) bool { return m.status == 200 && m.body == "[]" }},
	"NoData": {converttest.NoData, true, func(m met) bool { return m.status == 200 && m.body == `{"code":0}` }},
	"Huge": {converttest.Huge(100_000), true, func(m met) bool {
		return m.status == 200 && len(m.body) == 100_000+len(submitted) && strings.TrimSpace(m.body) == submitted
	}},
	"Late": {converttest.Late(time.Millisecond), true, func(m met) bool {
		return m.status == 200 && m.body == submitted && m.header.Get("Content-Type") == "application/json"
	}},
	"Slow": {converttest.Slow(time.Millisecond), true, func(m met) bool { return m.status == 200 && m.body == submitted }},
}

// TestFaults meets each on a real connection and in memory.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range faults {
		for _, real := range []bool{true, false} {
			t.Run(name+map[bool]string{true: " on a socket", false: " in memory"}[real], func(t *testing.T) {
				t.Parallel()
				s := newServer(t, nil)
				hc, base := converttest.HTTPClient(s), "http://convert.test"
				if real {
					server := httptest.NewServer(s)
					t.Cleanup(server.Close)
					hc, base = server.Client(), server.URL
				}
				hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				s.Fail(converttest.Submits, 1, tt.fault)
				if got := meet(t, hc, base); !tt.check(got) {
					t.Errorf("a client saw %+v", got)
				}
				if got := len(s.Submissions()); got != map[bool]int{true: 1}[tt.accepted] {
					t.Errorf("%d submissions, want that the service took it on: %t", got, tt.accepted)
				}
				if got := meet(t, hc, base); got.status != http.StatusOK || got.err != nil {
					t.Errorf("the next request met %+v, want no fault", got)
				}
			})
		}
	}
}

func TestResetIsATCPReset(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	server := httptest.NewServer(s)
	defer server.Close()
	s.Fail(converttest.Everything, 1, converttest.Reset)
	if got := meet(t, server.Client(), server.URL); !errors.Is(got.err, syscall.ECONNRESET) && !errors.Is(got.err, io.EOF) {
		t.Errorf("error = %v, want a reset connection", got.err)
	}
}

func TestFailIsForItsRequestsInOrder(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	s.Fail(converttest.Queries, 2, converttest.Refused(1))
	s.Fail(converttest.Submits|converttest.Queries, 1, converttest.Refused(2))
	s.Fail(converttest.Queries, 1, nil)
	s.Fail(converttest.Calls, -1, converttest.Refused(3))
	s.Fail(converttest.Submits, 0, converttest.Refused(4))
	code := func(method, target, body string) int {
		return send(t, s, signingtest.Credentials(), method, target, body).Code
	}
	if got := code(http.MethodPost, toText, document); got != 2 {
		t.Errorf("submit met %d, want 2: the first is for queries", got)
	}
	for i, want := range []int{1, 1, convert.CodeFileNotExists, 3, 3} {
		if got := code(http.MethodGet, tasks+"x", ""); got != want {
			t.Errorf("query %d met %d, want %d", i, got, want)
		}
	}
	if got := send(t, s, signing.App("test-app", signing.NewSecret("wrong")), http.MethodPost, toText, document); got.Code != convert.CodeInvalidSignature {
		t.Errorf("a submit that is not signed met %d, want code 30003", got.Code)
	}
	s.Heal()
	if got := code(http.MethodPost, toText, document); got != 0 {
		t.Errorf("after Heal a submit met %d, want none", got)
	}
}

func TestFaultsOfDownloads(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	address := query(t, s, submit(t, s, toText, document)).Result.Texts[0].URL
	s.Fail(converttest.Calls, -1, converttest.Refused(1))
	s.Fail(converttest.Downloads, 1, converttest.ShortLength)
	if status, body := get(t, s, address); status != http.StatusOK || body != "conv" {
		t.Errorf("download = %d %q, want half of the file", status, body)
	}
	if status, body := get(t, s, address); status != http.StatusOK || body != "converted" {
		t.Errorf("next download = %d %q, want the file", status, body)
	}
}

// TestSlowFaultsTakeTheirTime in a bubble, where the client's patience is real.
func TestSlowFaultsTakeTheirTime(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]converttest.Fault{"Slow": converttest.Slow(8 * time.Second), "Late": converttest.Late(8 * time.Second)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, nil)
				s.Fail(converttest.Everything, -1, fault)
				start := time.Now()
				if got := meet(t, converttest.HTTPClient(s), "http://convert.test"); got.err != nil || time.Since(start) != 8*time.Second {
					t.Errorf("took %v with %+v, want 8s and an answer", time.Since(start), got)
				}
				hc := converttest.HTTPClient(s)
				hc.Timeout = 3 * time.Second
				if got := meet(t, hc, "http://convert.test"); got.err == nil {
					t.Errorf("with a timeout of 3s: %+v, want an error", got)
				}
			})
		})
	}
}
