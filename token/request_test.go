package token_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/token"
)

func TestRequestBodyProtocol2_11(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	tests := []struct {
		name    string
		body    string
		message string // empty: granted
	}{
		{"as shown", goodBody, ""},
		{"spaces", " \t\r\n{ \"app_id\" : \"a\" , \"file_id\" : \"b\" , \"weboffice_token\" : \"c\" } \n", ""},
		{"escapes", `{"\u0061pp_id":"a\"\\","file_id":"\u0062","weboffice_token":"c"}`, ""},
		{"other members", `{"n":1.5e3,"b":true,"z":null,"o":{"app_id":[{"file_id":"}\"]"}]},"a":[],` + goodBody[1:], ""},
		{"other members last", goodBody[:len(goodBody)-1] + `,"n":-1}`, ""},

		{"empty", ``, "the body is not JSON"},
		{"HTML", `<html>`, "the body is not JSON"},
		{"cut", goodBody[:len(goodBody)-1], "the body is not JSON"},
		{"trailing data", goodBody + `x`, "the body is not JSON"},
		{"two objects", goodBody + goodBody, "the body is not JSON"},
		{"a comma too many", goodBody[:len(goodBody)-1] + `,}`, "the body is not JSON"},
		{"a byte order mark", "\ufeff" + goodBody, "the body is not JSON"},
		{"not UTF-8", strings.Replace(goodBody, "alice", "\xff", 1), "the body is not JSON"},
		{"null", `null`, "the body is not a JSON object"},
		{"array", `[` + goodBody + `]`, "the body is not a JSON object"},
		{"string", ` "app_id"`, "the body is not a JSON object"},
		{"form", `app_id=a`, "the body is not JSON"},

		{"no members", `{}`, "app_id is missing, file_id is missing, weboffice_token is missing"},
		{"all wrong", `{"app_id":"","weboffice_token":7}`, "app_id is empty, file_id is missing, weboffice_token must be a string"},
		{"app_id missing", `{"file_id":"b","weboffice_token":"c"}`, "app_id is missing"},
		{"file_id missing", `{"app_id":"a","weboffice_token":"c"}`, "file_id is missing"},
		{"weboffice_token missing", `{"app_id":"a","file_id":"b"}`, "weboffice_token is missing"},
		{"other case", `{"App_Id":"a","file_id":"b","weboffice_token":"c"}`, "app_id is missing"},
		{"nested", `{"data":` + goodBody + `}`, "app_id is missing, file_id is missing, weboffice_token is missing"},
		{"app_id empty", `{"app_id":"","file_id":"b","weboffice_token":"c"}`, "app_id is empty"},
		{"file_id empty", `{"app_id":"a","file_id":"","weboffice_token":"c"}`, "file_id is empty"},
		{"weboffice_token empty", `{"app_id":"a","file_id":"b","weboffice_token":""}`, "weboffice_token is empty"},
		{"number", `{"app_id":1,"file_id":"b","weboffice_token":"c"}`, "app_id must be a string"},
		{"null field", `{"app_id":"a","file_id":null,"weboffice_token":"c"}`, "file_id must be a string"},
		{"object field", `{"app_id":"a","file_id":"b","weboffice_token":{"x":"c"}}`, "weboffice_token must be a string"},
		{"array field", `{"app_id":["a"],"file_id":"b","weboffice_token":"c"}`, "app_id must be a string"},
		{"bool field", `{"app_id":"a","file_id":true,"weboffice_token":"c"}`, "file_id must be a string"},
		{"twice", `{"app_id":"a","app_id":"b","file_id":"b","weboffice_token":"c"}`, "app_id is given more than once"},
		{"twice, escaped", goodBody[:len(goodBody)-1] + `,"file\u005fid":"x"}`, "file_id is given more than once"},
		{"twice, empty", goodBody[:len(goodBody)-1] + `,"weboffice_token":""}`, "weboffice_token is given more than once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := post(h, tt.body)
			if tt.message == "" {
				if rec.Code != 200 {
					t.Errorf("HTTP status %d: %s", rec.Code, rec.Body)
				}
				return
			}
			want(t, rec, 400, `{"code":40005,"message":"`+tt.message+`"}`)
		})
	}
}

func TestRequestContentType(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for contentType, status := range map[string]int{
		"application/json":                   200,
		"application/json; charset=utf-8":    200,
		"Application/JSON;charset=\"UTF-8\"": 200,
		"":                                   415,
		"text/plain":                         415,
		"application/jsonp":                  415,
		"application/json, text/plain":       415,
		"application/x-www-form-urlencoded":  415,
	} {
		req := httptest.NewRequest(http.MethodPost, token.Path, strings.NewReader(goodBody))
		req.Header.Set("Content-Type", contentType)
		rec := serve(h, req)
		if rec.Code != status {
			t.Errorf("%q: HTTP status %d, want %d", contentType, rec.Code, status)
		}
		if status == 415 {
			want(t, rec, 415, `{"code":40005,"message":"Content-Type must be application/json"}`)
		}
	}
}

// TestRequestWithTwoContentTypes is one of which two readers see two requests.
func TestRequestWithTwoContentTypes(t *testing.T) {
	t.Parallel()
	for _, types := range [][]string{nil, {"application/json", "text/plain"}, {"application/json", "application/json"}} {
		req := httptest.NewRequest(http.MethodPost, token.Path, strings.NewReader(goodBody))
		req.Header["Content-Type"] = types
		want(t, serve(newHandler(t, nil), req), 415, `{"code":40005,"message":"Content-Type must be application/json"}`)
	}
}

// do sends body through a server, and returns status and text.
func do(t *testing.T, client *http.Client, url string, body io.Reader) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

const tooSlow = `{"code":40005,"message":"the body did not arrive in time"}`

func TestRequestThatTrickles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, func(cfg *token.Config) { cfg.Timeout = 3 * time.Second })
		r, w := io.Pipe()
		defer func() { _ = w.Close() }()
		go func() { _, _ = w.Write([]byte(goodBody[:10])) }()
		start := time.Now()
		status, text := do(t, memhttp.Client(h), "http://backend.test/", r)
		if status != 408 || text != tooSlow || time.Since(start) != 3*time.Second {
			t.Errorf("HTTP %d %s after %v, want 408 after 3s", status, text, time.Since(start))
		}
	})
}

func TestRequestThatTricklesIntoARealServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newHandler(t, func(cfg *token.Config) { cfg.Timeout = time.Second }))
	defer server.Close()
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	go func() { _, _ = w.Write([]byte(goodBody[:10])) }()
	if status, text := do(t, server.Client(), server.URL, r); status != 408 || text != tooSlow {
		t.Errorf("HTTP %d %s, want 408", status, text)
	}
	// A body in time is read as ever, on a connection that is used again.
	for range 3 {
		if status, text := do(t, server.Client(), server.URL, strings.NewReader(goodBody)); status != 200 {
			t.Errorf("HTTP %d %s, want 200", status, text)
		}
	}
}

// TestRequestDeadlineIsTakenBack: what comes after the body may take longer.
func TestRequestDeadlineIsTakenBack(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	var deadlines []time.Time
	rec := &deadlineRecorder{httptest.NewRecorder(), &deadlines}
	req := httptest.NewRequest(http.MethodPost, token.Path, strings.NewReader(goodBody))
	req.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(rec, req)
	if len(deadlines) != 2 || deadlines[0].IsZero() || !deadlines[1].IsZero() {
		t.Errorf("read deadlines %v, want one and then none", deadlines)
	}
}

type deadlineRecorder struct {
	*httptest.ResponseRecorder
	deadlines *[]time.Time
}

func (d *deadlineRecorder) SetReadDeadline(t time.Time) error {
	*d.deadlines = append(*d.deadlines, t)
	return nil
}

func TestRequestWhoseCallerHasGone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, func(cfg *token.Config) {
		cfg.Logger = textLogger(&log)
		cfg.Authorize = func(ctx context.Context, _ token.Request) error { return ctx.Err() }
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := httptest.NewRequest(http.MethodPost, token.Path, strings.NewReader(goodBody)).WithContext(ctx)
	req.Header.Set("Content-Type", "application/json")
	want(t, serve(h, req), 500, `{"code":50001,"message":"internal error"}`)
	if !strings.Contains(log.String(), "level=DEBUG") || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("a caller who left is no error:\n%s", &log)
	}
}

func TestRequestThatBreaksOff(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	req := httptest.NewRequest(http.MethodPost, token.Path, io.MultiReader(strings.NewReader(goodBody[:5]), broken{}))
	req.Header.Set("Content-Type", "application/json")
	want(t, serve(h, req), 400, `{"code":40005,"message":"the body could not be read"}`)
}

// TestRequestWhoseBodyIsGone: the log names the mistake, which is a middleware's.
func TestRequestWhoseBodyIsGone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, func(cfg *token.Config) { cfg.Logger = textLogger(&log) })
	req := httptest.NewRequest(http.MethodPost, token.Path, strings.NewReader(goodBody))
	req.Header.Set("Content-Type", "application/json")
	_, _ = io.Copy(io.Discard, req.Body)
	want(t, serve(h, req), 400, `{"code":40005,"message":"the body could not be read"}`)
	if !strings.Contains(log.String(), "such as a middleware") {
		t.Errorf("the log does not say what happened:\n%s", &log)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("secret reason") }

func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		goodBody, `{}`, `null`, `{"app_id":"a","file_id":"b","weboffice_token":"c","x":[{"y":"}"}]}`, `{"\u0061pp_id":"\ud800"}`,
		`{"app_id":"a" ,"file_id":1,"weboffice_token":null}`, "{\"a\":1e5 }", goodBody + " ",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got token.Request
		h := newHandler(t, func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error { got = r; return nil }
		})
		rec := post(h, string(body))
		if !json.Valid(rec.Body.Bytes()) {
			t.Fatalf("the answer is not JSON: %q", rec.Body)
		}
		if rec.Code != 200 {
			if !strings.HasPrefix(rec.Body.String(), `{"code":40005,`) {
				t.Errorf("%q: refused with %s", body, rec.Body)
			}
			return
		}
		var judge struct {
			AppID  string `json:"app_id"`
			FileID string `json:"file_id"`
			Token  string `json:"weboffice_token"`
		}
		var exact map[string]string
		if err := json.Unmarshal(body, &judge); err != nil {
			t.Fatalf("%q was accepted, and encoding/json says %v", body, err)
		}
		_ = json.Unmarshal(body, &exact) // fails on other members, after filling in what are strings
		if got.AppID != exact["app_id"] || got.FileID != exact["file_id"] || got.WebOfficeToken.Reveal() != exact["weboffice_token"] {
			t.Errorf("%q was read as %q %q, want %q", body, got.AppID, got.FileID, exact)
		}
		if got.AppID == "" || got.FileID == "" || got.WebOfficeToken.IsZero() {
			t.Errorf("%q was accepted with an empty field", body)
		}
	})
}
