package signing_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

func newVerifier(tb testing.TB, cfg signing.VerifierConfig) *signing.Verifier {
	tb.Helper()
	if cfg.Credentials == nil {
		cfg.Credentials = []signing.Credentials{signingtest.Credentials()}
	}
	v, err := signing.NewVerifier(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestNewVerifierReportsEveryProblem(t *testing.T) {
	t.Parallel()
	target := func(*http.Request) string { return "/" }
	for _, tt := range []struct {
		name  string
		cfg   signing.VerifierConfig
		wants []string
	}{
		{"empty", signing.VerifierConfig{}, []string{"Credentials is empty"}},
		{"all", signing.VerifierConfig{
			Credentials:  []signing.Credentials{signingtest.Credentials(), signing.App("", signing.Secret{})},
			PublicPrefix: "office", MaxBody: -1,
		}, []string{"Credentials[1]", "app id is empty", "app key is empty", "PublicPrefix", "MaxBody"}},
		{"empty secret", signing.VerifierConfig{Credentials: []signing.Credentials{signing.Robot(signing.NewSecret("k"), signing.Secret{})}}, []string{"signing secret is empty"}},
		{"prefix and target", signing.VerifierConfig{PublicPrefix: "/x", Target: target}, []string{"Credentials is empty", "PublicPrefix has no effect"}},
		{"query in prefix", signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}, PublicPrefix: "/x?y"}, []string{"PublicPrefix must be a path"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := signing.NewVerifier(tt.cfg)
			for _, want := range tt.wants {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("NewVerifier: %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestNewVerifierCopiesCredentials(t *testing.T) {
	t.Parallel()
	list := []signing.Credentials{signingtest.Credentials()}
	v := newVerifier(t, signing.VerifierConfig{Credentials: list})
	list[0] = signing.App("other", signing.NewSecret("other"))
	if _, err := v.VerifyRequest(signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/a", nil)); err != nil {
		t.Errorf("VerifyRequest after the caller changed its slice: %v", err)
	}
}

func TestVerifyRequestSaysWhoCalls(t *testing.T) {
	t.Parallel()
	robot := signing.Robot(signing.NewSecret("robot-key"), signing.NewSecret("s"))
	v := newVerifier(t, signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials(), robot}})
	caller, err := v.VerifyRequest(signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/a", nil))
	if err != nil || caller.AppID != "test-app" || !caller.RobotKey.IsZero() {
		t.Errorf("VerifyRequest of an app = %+v, %v", caller, err)
	}
	caller, err = v.VerifyRequest(signingtest.NewRequest(t, robot, "POST", "/a", []byte("x")))
	if err != nil || caller.AppID != "" || caller.RobotKey.Reveal() != "robot-key" {
		t.Errorf("VerifyRequest of a robot = %+v, %v", caller, err)
	}
	caller, err = signing.Unsigned(httptest.NewRequest(http.MethodGet, "/a", nil))
	if err != nil || caller.AppID != "" || !caller.RobotKey.IsZero() {
		t.Errorf("Unsigned = %+v, %v, want nobody", caller, err)
	}
}

func TestVerifyTakesThePayload(t *testing.T) {
	t.Parallel()
	v := newVerifier(t, signing.VerifierConfig{Now: func() time.Time { return at }})
	h := http.Header{"Content-Type": {signing.ContentType}}
	newSigner(t, signingtest.Credentials()).Sign(h, []byte("payload"), at)
	if caller, err := v.Verify(h, []byte("payload")); err != nil || caller.AppID != "test-app" {
		t.Errorf("Verify = %+v, %v, want test-app", caller, err)
	}
	var failed *signing.Error
	if _, err := v.Verify(h, []byte("other")); !errors.As(err, &failed) || failed.Check != signing.CheckDigest {
		t.Errorf("Verify of another payload = %v, want CheckDigest", err)
	}
	h.Del("Content-Type")
	if _, err := v.Verify(h, []byte("payload")); !errors.As(err, &failed) || failed.Check != signing.CheckSignature {
		t.Errorf("Verify without the Content-Type that was signed = %v, want CheckSignature", err)
	}
	newSigner(t, signingtest.Credentials()).Sign(h, []byte("payload"), at)
	h.Set("Content-Type", signing.ContentType)
	if _, err := v.Verify(h, []byte("payload")); !errors.As(err, &failed) || failed.Check != signing.CheckSignature {
		t.Errorf("Verify with a Content-Type that was not signed = %v, want CheckSignature", err)
	}
}

func TestVerifyRequestTarget(t *testing.T) {
	t.Parallel()
	req := signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/office/v3/x?y=1", nil)
	req.RequestURI, req.URL.Path = "/x?y=1", "/x"
	if _, err := newVerifier(t, signing.VerifierConfig{PublicPrefix: "/office/v3/"}).VerifyRequest(req); err != nil {
		t.Errorf("VerifyRequest with PublicPrefix: %v", err)
	}
	target := func(r *http.Request) string { return "/office/v3" + r.RequestURI }
	if _, err := newVerifier(t, signing.VerifierConfig{Target: target}).VerifyRequest(req); err != nil {
		t.Errorf("VerifyRequest with Target: %v", err)
	}
	_, err := newVerifier(t, signing.VerifierConfig{}).VerifyRequest(req)
	var failed *signing.Error
	if !errors.As(err, &failed) || failed.Target != "/x" || strings.Contains(err.Error(), "y=1") {
		t.Errorf("VerifyRequest = %v, want an error that shows the path /x and no query", err)
	}
	byHand := &http.Request{Method: "GET", URL: req.URL, Header: req.Header}
	if _, err := newVerifier(t, signing.VerifierConfig{PublicPrefix: "/office/v3"}).VerifyRequest(byHand); err != nil {
		t.Errorf("VerifyRequest of a request without RequestURI: %v", err)
	}
}

func TestVerifyRequestLeavesTheBodyReadable(t *testing.T) {
	t.Parallel()
	const body = `{"a":1}`
	for _, tt := range []struct {
		name    string
		maxBody int64
		ok      bool
	}{{"accepted", 0, true}, {"exactly as large as allowed", int64(len(body)), true}, {"too large", int64(len(body)) - 1, false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := newVerifier(t, signing.VerifierConfig{MaxBody: tt.maxBody})
			req := signingtest.NewRequest(t, signingtest.Credentials(), "POST", "/a", []byte(body))
			req.ContentLength = -1 // chunked
			_, err := v.VerifyRequest(req)
			var large *http.MaxBytesError
			if (err == nil) != tt.ok || !tt.ok && (!errors.As(err, &large) || !errors.Is(err, signing.ErrSignature)) {
				t.Errorf("VerifyRequest = %v", err)
			}
			if got, err := io.ReadAll(req.Body); string(got) != body || err != nil {
				t.Errorf("body = %q, %v afterwards, want %q", got, err, body)
			}
		})
	}
}

func TestVerifyRequestWithBrokenBody(t *testing.T) {
	t.Parallel()
	req := signingtest.NewRequest(t, signingtest.Credentials(), "POST", "/a", []byte("x"))
	broken := errors.New("reset")
	req.Body = io.NopCloser(iotest.ErrReader(broken))
	_, err := newVerifier(t, signing.VerifierConfig{}).VerifyRequest(req)
	if !errors.Is(err, broken) || !errors.Is(err, signing.ErrSignature) {
		t.Errorf("VerifyRequest = %v, want both %v and ErrSignature", err, broken)
	}
}

// An error must not help to forge: it shows neither what would have been right,
// nor which ids exist.
func TestErrorTellsNoSecret(t *testing.T) {
	t.Parallel()
	v := newVerifier(t, signing.VerifierConfig{Now: func() time.Time { return at }})
	texts := map[signing.Check]string{}
	for _, c := range []signing.Credentials{
		signing.App("test-app", signing.NewSecret("wrong")),
		signing.App("nobody-1", signing.NewSecret("wrong")),
		signing.AppWithScheme("OTHER", "test-app", signing.NewSecret("wrong")),
	} {
		h := http.Header{"Content-Type": {signing.ContentType}}
		newSigner(t, c).Sign(h, []byte("payload"), at)
		_, err := v.Verify(h, []byte("payload"))
		var failed *signing.Error
		if !errors.As(err, &failed) {
			t.Fatalf("Verify = %v, want an *Error", err)
		}
		texts[failed.Check] = strings.ReplaceAll(err.Error(), "nobody-1", "test-app")
		right := http.Header{"Content-Type": {signing.ContentType}}
		newSigner(t, signingtest.Credentials()).Sign(right, []byte("payload"), at)
		if _, sum, _ := strings.Cut(right.Get("Authorization"), "test-app:"); strings.Contains(err.Error(), sum) {
			t.Errorf("Verify: %v shows the right signature", err)
		}
	}
	if len(texts) != 3 || texts[signing.CheckCaller] != texts[signing.CheckSignature] || texts[signing.CheckShape] != texts[signing.CheckSignature] {
		t.Errorf("texts differ: %q", texts)
	}
}

// Whoever takes App for Robot sends the robot key where an app id belongs.
func TestErrorDoesNotTakeARobotKeyForAnAppID(t *testing.T) {
	t.Parallel()
	const key = "robot-key-canary"
	robot := signing.Robot(signing.NewSecret(key), signing.NewSecret("s"))
	v := newVerifier(t, signing.VerifierConfig{Credentials: []signing.Credentials{robot}})
	_, err := v.VerifyRequest(signingtest.NewRequest(t, signing.App(key, signing.NewSecret("s")), "GET", "/a", nil))
	var failed *signing.Error
	if !errors.As(err, &failed) || failed.Check != signing.CheckShape || failed.AppID != "" || strings.Contains(err.Error(), key) {
		t.Errorf("VerifyRequest = %v, want CheckShape without the key", err)
	}
}

// Something behind a robot's signature is one part too many (protocol 5.2 rule 3),
// and does not make an app id of that signature.
func TestErrorDoesNotTakeARobotSignatureForAnAppID(t *testing.T) {
	t.Parallel()
	robot := signing.Robot(signing.NewSecret("robot-key"), signing.NewSecret("s"))
	v := newVerifier(t, signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials(), robot}})
	req := signingtest.NewRequest(t, robot, "POST", "/a", []byte("x"))
	authorization := req.Header.Get("Authorization")
	req.Header.Set("Authorization", authorization+":x")
	_, err := v.VerifyRequest(req)
	_, sum, _ := strings.Cut(authorization, ":")
	var failed *signing.Error
	if !errors.As(err, &failed) || failed.Check != signing.CheckShape || failed.AppID != "" || strings.Contains(err.Error(), sum) {
		t.Errorf("VerifyRequest = %v, want CheckShape without the signature", err)
	}
}

// A request through a proxy may arrive with scheme and host in its target, which
// its sender has not signed.
func TestVerifyRequestWithAnAbsoluteTarget(t *testing.T) {
	t.Parallel()
	for target, prefix := range map[string]string{
		"http://office.example/v3/files/1?a=b":  "",
		"https://office.example/v3/files/1?a=b": "",
		"http://office.example":                 "",
		"http://office.example?a=b":             "",
		"http://office.example/files/1":         "/v3",
	} {
		req := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
		signed := req.Clone(t.Context())
		signed.URL.Path = prefix + signed.URL.Path
		if err := newSigner(t, signingtest.Credentials()).SignRequest(signed, time.Now()); err != nil {
			t.Fatal(err)
		}
		req.Header = signed.Header
		if _, err := newVerifier(t, signing.VerifierConfig{PublicPrefix: prefix}).VerifyRequest(req); err != nil {
			t.Errorf("VerifyRequest of %s below %q: %v", target, prefix, err)
		}
	}
}

func TestVerifyRequestOfNothing(t *testing.T) {
	t.Parallel()
	req := signingtest.NewRequest(t, signingtest.Credentials(), "GET", "/a", nil)
	_, err := newVerifier(t, signing.VerifierConfig{}).VerifyRequest(&http.Request{Method: "GET", Header: req.Header})
	if !errors.Is(err, signing.ErrSignature) {
		t.Errorf("VerifyRequest without RequestURI and URL = %v, want ErrSignature", err)
	}
}

func TestVerifyRefusesTwoContentTypes(t *testing.T) {
	t.Parallel()
	req := signingtest.NewRequest(t, signingtest.Credentials(), "POST", "/a", []byte("x"))
	req.Header.Add("Content-Type", "text/plain")
	if _, err := newVerifier(t, signing.VerifierConfig{}).VerifyRequest(req); !errors.Is(err, signing.ErrSignature) {
		t.Errorf("VerifyRequest with two Content-Types = %v, want ErrSignature", err)
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		err  *signing.Error
		want string
	}{
		{&signing.Error{Check: signing.CheckDate, Skew: 16 * time.Minute, Reason: "r"}, "signing: timestamp failure: date: r (Date is 16m0s behind)"},
		{&signing.Error{Check: signing.CheckDate, Skew: -time.Hour, Reason: "r"}, "signing: timestamp failure: date: r (Date is 1h0m0s ahead)"},
		{&signing.Error{Check: signing.CheckDigest, Target: "/a", Reason: "r"}, `signing: signature failure: digest: r (digested here: "/a", with and without its query)`},
		{&signing.Error{Check: signing.CheckShape}, "signing: signature failure: shape"},
		{&signing.Error{Check: signing.CheckSignature, AppID: "a\n", ContentType: "t"}, `signing: signature failure (app id "a\n", Content-Type "t")`},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("Error() = %q, want %q", got, tt.want)
		}
	}
	if got := (&signing.Error{Check: signing.CheckCaller, AppID: long, ContentType: long}).Error(); len(got) > 400 {
		t.Errorf("Error() of a long app id is %d bytes long", len(got))
	}
	if got := signing.Check(9).String(); got != "Check(9)" {
		t.Errorf("Check(9).String() = %q", got)
	}
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	v := newVerifier(t, signing.VerifierConfig{})
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	good := signingtest.NewRequest(t, signingtest.Credentials(), "POST", "/a", []byte("body"))
	rec := httptest.NewRecorder()
	v.Middleware(next, nil).ServeHTTP(rec, good)
	if rec.Code != http.StatusOK || rec.Body.String() != "body" {
		t.Errorf("a signed request gets %d %q, want 200 and its body", rec.Code, rec.Body)
	}
	bad := func() *http.Request {
		return signingtest.NewRequest(t, signing.Credentials{}, "POST", "/a", []byte("body"))
	}
	rec = httptest.NewRecorder()
	v.Middleware(next, nil).ServeHTTP(rec, bad())
	if rec.Code != http.StatusUnauthorized || strings.Contains(rec.Body.String(), "Date") {
		t.Errorf("an unsigned request gets %d %q, want 401 and no reason", rec.Code, rec.Body)
	}
	var reason error
	v.Middleware(next, func(_ http.ResponseWriter, _ *http.Request, err error) { reason = err }).ServeHTTP(rec, bad())
	if !errors.Is(reason, signing.ErrTimestamp) {
		t.Errorf("reject was given %v, want ErrTimestamp", reason)
	}
}

// The test runs itself in a process of FIPS 140-only mode, where both hashes panic.
func TestFIPSModeIsAnErrorOfTheConstructors(t *testing.T) {
	t.Parallel()
	if os.Getenv("SIGNING_TEST_FIPS") != "" {
		_, signerErr := signing.NewSigner(signingtest.Credentials())
		_, verifierErr := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
		for _, err := range []error{signerErr, verifierErr} {
			if err == nil || !strings.Contains(err.Error(), "FIPS") {
				t.Errorf("error = %v, want one that names FIPS", err)
			}
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFIPSModeIsAnErrorOfTheConstructors$")
	cmd.Env = append(os.Environ(), "SIGNING_TEST_FIPS=1", "GODEBUG=fips140=only")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("in FIPS 140-only mode: %v\n%s", err, out)
	}
}
