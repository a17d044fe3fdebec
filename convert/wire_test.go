package convert_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// md5Hex is the test's own digest.
func md5Hex(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestProtocol51SignsTheBytesThatAreSent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.docx", "<&>.docx", "年度报告 “终稿”.docx", "\u2028\u2029.docx", `"\'` + "\n\t.docx", "\U0001F4C4.docx", "é.docx"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &service{answers: []string{submitted}}
			req := text()
			req.Filename = name
			if _, err := newClient(t, service, nil).SubmitText(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			call := service.received()[0]
			var body struct{ Filename string }
			if err := json.Unmarshal([]byte(call.Body), &body); err != nil || body.Filename != name {
				t.Errorf("the service read the name %q, %v, want %q", body.Filename, err, name)
			}
			if got, want := call.Header.Get("Content-Md5"), md5Hex(call.Body); got != want {
				t.Errorf("Content-Md5 = %s, but the body that arrived has %s", got, want)
			}
			if got := call.Header["Content-Type"]; !cmp.Equal(got, []string{signing.ContentType}) {
				t.Errorf("Content-Type = %q, want exactly what is signed", got)
			}
			if got := call.Header.Get("Content-Length"); got != "" && got != strconv.Itoa(len(call.Body)) {
				t.Errorf("Content-Length = %s, of %d bytes", got, len(call.Body))
			}
		})
	}
}

// hostileIDs are task ids that some step of the way could change.
var hostileIDs = []string{
	"open:zqoxjlisj", "a/b", "a%2Fb", "100%", "a b", "a+b", "a?b=c", "a#b", "任务", "a;b,c=d&e@f$g!h'i(j)k*l", "..a", "a..", "~._-", "\x00\xff", `a\b`, "\"<>`{}|^", "%", "//", "a/../b", "é",
}

func TestProtocol51SignsTheTargetThatIsSent(t *testing.T) {
	t.Parallel()
	signer, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := signer.VerifyRequest(r)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
		body, _ := io.ReadAll(r.Body)
		if len(body) > 0 {
			t.Errorf("the query has the body %q", body)
		}
		mu.Lock()
		got = r
		mu.Unlock()
		_, _ = io.WriteString(w, running("1"))
	}))
	t.Cleanup(server.Close)
	client, err := convert.New(convert.Config{BaseURL: server.URL + "/office%2Fcn/%E5%89%8D", Credentials: signingtest.Credentials(), Limiter: free{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	for _, id := range hostileIDs {
		if _, err := client.Status(t.Context(), convert.Task{ID: id}); err != nil {
			t.Errorf("Status(%q) = %v", id, err)
			continue
		}
		mu.Lock()
		r := got
		mu.Unlock()
		const prefix = "/office%2Fcn/%E5%89%8D/api/developer/v1/tasks/"
		escaped, ok := strings.CutPrefix(r.RequestURI, prefix)
		if !ok {
			t.Errorf("Status(%q) asked for %s, want it below %s", id, r.RequestURI, prefix)
		}
		if arrived, err := url.PathUnescape(escaped); err != nil || arrived != id {
			t.Errorf("Status(%q) asked for %q, which reads %q, %v", id, escaped, arrived, err)
		}
		if strings.Contains(escaped, "/") || strings.Contains(id, ":") && !strings.Contains(escaped, ":") {
			t.Errorf("Status(%q) asked for %q: a slash must be escaped, a colon must not", id, escaped)
		}
		if got, want := r.Header.Get("Content-Md5"), md5Hex(r.RequestURI); got != want {
			t.Errorf("Status(%q): Content-Md5 = %s, but the target that arrived has %s", id, got, want)
		}
		if got := r.Header["Content-Type"]; !cmp.Equal(got, []string{signing.ContentType}) || r.ContentLength != 0 {
			t.Errorf("Status(%q): Content-Type = %q, length %d", id, got, r.ContentLength)
		}
	}
}

func FuzzTaskQuery(f *testing.F) {
	for _, id := range hostileIDs {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		service := &service{answers: []string{running("1")}}
		_, err := newClient(t, service, nil).Status(t.Context(), convert.Task{ID: id})
		if id == "" || id == "." || id == ".." {
			if !cmp.Equal(fields(err), []string{"ID"}) {
				t.Errorf("Status(%q) = %v, want a FieldError", id, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("Status(%q) = %v", id, err)
		}
		target := service.received()[0].Target
		if arrived, err := url.PathUnescape(strings.TrimPrefix(target, "/gateway/api/developer/v1/tasks/")); err != nil || arrived != id {
			t.Errorf("Status(%q) asked for %q", id, target)
		}
	})
}

func TestHeadersAreOurs(t *testing.T) {
	t.Parallel()
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		_, _ = io.WriteString(w, submitted)
	}))
	t.Cleanup(server.Close)
	client := newClient(t, nil, func(cfg *convert.Config) { cfg.BaseURL, cfg.HTTPClient = server.URL, nil })
	if _, err := client.SubmitPDF(t.Context(), pdf()); err != nil {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
	want := map[string]bool{
		"Accept": true, "Accept-Encoding": true, "Authorization": true, "Content-Length": true, "Content-Md5": true,
		"Content-Type": true, "Date": true, "User-Agent": true,
	}
	for name, values := range header {
		if !want[name] || len(values) != 1 {
			t.Errorf("the call has the header %s: %q", name, values)
		}
	}
	if header.Get("User-Agent") != "weboffice-go" {
		t.Errorf("User-Agent = %q", header.Get("User-Agent"))
	}
}

func TestNoRedirectOfASignedCallIsFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			reached := false
			mux := http.NewServeMux()
			mux.HandleFunc("elsewhere.example/", func(http.ResponseWriter, *http.Request) { reached = true })
			mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://elsewhere.example/?token=CANARY", status)
			})
			client := newClient(t, mux, func(cfg *convert.Config) {
				cfg.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return nil }
			})
			_, err := client.SubmitText(t.Context(), text())
			refused := apiError(t, err)
			if refused.StatusCode != status || reached {
				t.Errorf("SubmitText = %v, and another host was reached: %v", err, reached)
			}
			if strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the error has the address: %v", err)
			}
		})
	}
}

func TestParallelCallsShareNothing(t *testing.T) {
	t.Parallel()
	service := &service{answer: func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"code":0,"data":{"task_id":"`+r.Header.Get("Content-Md5")+`"}}`)
	}}
	client := newClient(t, service, nil)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			req := text()
			req.Filename = strconv.Itoa(i) + ".docx"
			task, err := client.SubmitText(t.Context(), req)
			want := md5Hex(`{"url":"` + req.URL + `","filename":"` + req.Filename + `"}`)
			if err != nil || task.ID != want {
				t.Errorf("SubmitText(%d) = %v, %v, want %s", i, task, err, want)
			}
		})
	}
	group.Wait()
}
