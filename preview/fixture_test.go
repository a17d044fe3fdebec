package preview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// backend is a Store with every capability. What is nil answers well.
type backend struct {
	file       func(context.Context, preview.Request) (preview.File, error)
	download   func(context.Context, preview.Request) (preview.Download, error)
	permission func(context.Context, preview.Request) (preview.Permission, error)
	users      func(context.Context, preview.Request, []string) ([]preview.User, error)
	rename     func(context.Context, preview.Request, string) error
	versions   func(context.Context, preview.Request, preview.Page) ([]preview.File, error)
	version    func(context.Context, preview.Request, uint32) (preview.File, error)
	prepare    func(context.Context, preview.Request) ([]preview.DigestType, error)
	address    func(context.Context, preview.Request, preview.Upload) (preview.UploadAddress, error)
	complete   func(context.Context, preview.Request, preview.Upload, preview.UploadResult) (preview.File, error)

	mu   sync.Mutex
	seen []preview.Request // of every call
}

func (b *backend) see(r preview.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, r)
}

func goodFile() preview.File {
	return preview.File{
		Name: "Plan 2026.docx", Version: 7, Size: 20480,
		CreatedAt: time.Unix(1700000000, 999), ModifiedAt: time.Unix(1700086400, 0),
		CreatorID: "u1", ModifierID: "u2",
	}
}

func goodDownload() preview.Download {
	return preview.Download{
		URL:    "https://files.example.com/plan.docx?Expires=1&Signature=a%2Bb",
		Digest: preview.Digest{Type: preview.MD5, Hex: "0123456789abcdef0123456789abcdef"},
		Header: map[string]string{"Referer": "https://example.com/", "Authorization": "Bearer \"x\""},
	}
}

func goodPermission() preview.Permission {
	return preview.Permission{
		UserID: "u1", Read: true, Update: true, Download: true, Rename: true, History: true,
		Copy: true, Print: true, SaveAs: true, Comment: true,
	}
}

func goodAddress() preview.UploadAddress {
	return preview.UploadAddress{
		URL: "https://files.example.com/put?Signature=x", Method: http.MethodPost,
		Header: map[string]string{"X-Acl": "private"}, Params: map[string]string{"part": "1"},
		SendBack: map[string]string{"upload": "42"},
	}
}

func (b *backend) File(ctx context.Context, r preview.Request) (preview.File, error) {
	b.see(r)
	if b.file == nil {
		return goodFile(), nil
	}
	return b.file(ctx, r)
}

func (b *backend) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	b.see(r)
	if b.download == nil {
		return goodDownload(), nil
	}
	return b.download(ctx, r)
}

func (b *backend) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	b.see(r)
	if b.permission == nil {
		return goodPermission(), nil
	}
	return b.permission(ctx, r)
}

func (b *backend) Users(ctx context.Context, r preview.Request, ids []string) ([]preview.User, error) {
	b.see(r)
	if b.users == nil {
		var users []preview.User
		for _, id := range ids {
			users = append(users, preview.User{ID: id, Name: "User " + id})
		}
		return users, nil
	}
	return b.users(ctx, r, ids)
}

func (b *backend) Rename(ctx context.Context, r preview.Request, name string) error {
	b.see(r)
	if b.rename == nil {
		return nil
	}
	return b.rename(ctx, r, name)
}

func (b *backend) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	b.see(r)
	if b.versions == nil {
		newest, oldest := goodFile(), goodFile()
		oldest.Version = 6
		return []preview.File{newest, oldest}, nil
	}
	return b.versions(ctx, r, p)
}

func (b *backend) Version(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	b.see(r)
	if b.version == nil {
		f := goodFile()
		f.Version = version
		return f, nil
	}
	return b.version(ctx, r, version)
}

func (b *backend) DownloadVersion(ctx context.Context, r preview.Request, _ uint32) (preview.Download, error) {
	return b.Download(ctx, r)
}

func (b *backend) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	b.see(r)
	if b.prepare == nil {
		return []preview.DigestType{preview.SHA1, preview.SHA256}, nil
	}
	return b.prepare(ctx, r)
}

func (b *backend) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	b.see(r)
	if b.address == nil {
		return goodAddress(), nil
	}
	return b.address(ctx, r, u)
}

func (b *backend) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	b.see(r)
	if b.complete == nil {
		f := goodFile()
		f.Version, f.Size = 8, u.Size
		return f, nil
	}
	return b.complete(ctx, r, u, got)
}

// calls is how often the backend was called.
func (b *backend) calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.seen)
}

// all serves every capability of b, unsigned, with its log in the result.
func all(b *backend) (preview.Config, *logged) {
	l := &logged{}
	return preview.Config{
		Store: b, Users: b, Saver: b, Renamer: b, History: b,
		Auth:   trusted,
		Logger: slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, l
}

func newHandler(tb testing.TB, cfg preview.Config) *preview.Handler {
	tb.Helper()
	h, err := preview.NewHandler(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// serve calls h in memory, and checks what holds for every answer.
func serve(tb testing.TB, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	tb.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	checkEnvelope(tb, w.Code, w.Header(), w.Body.Bytes())
	return w
}

// get is a GET of a path below PathPrefix.
func get(tb testing.TB, h http.Handler, path string) *httptest.ResponseRecorder {
	tb.Helper()
	return serve(tb, h, httptest.NewRequest(http.MethodGet, preview.PathPrefix+path, nil))
}

// send is a request with a body to a path below PathPrefix.
func send(tb testing.TB, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	tb.Helper()
	return serve(tb, h, httptest.NewRequest(method, preview.PathPrefix+path, strings.NewReader(body)))
}

// checkEnvelope checks that an answer is the envelope and nothing else.
func checkEnvelope(tb testing.TB, status int, header http.Header, body []byte) {
	tb.Helper()
	if got := header.Get("Content-Type"); got != "application/json" {
		tb.Errorf("Content-Type = %q, want application/json", got)
	}
	var envelope struct {
		Code    *int
		Message *string
		Data    json.RawMessage
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&envelope); err != nil {
		tb.Fatalf("answer %q is no envelope: %v", body, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		tb.Errorf("answer %q has something behind the envelope", body)
	}
	switch {
	case envelope.Code == nil:
		tb.Errorf("answer %q has no code", body)
	case *envelope.Code == 0 && (envelope.Data == nil || status != http.StatusOK || bytes.Contains(body, []byte("null"))):
		tb.Errorf("success with status %d: %q, want 200 with data and without null", status, body)
	case *envelope.Code != 0 && (envelope.Data != nil || envelope.Message == nil):
		tb.Errorf("failure %q, want a message and no data", body)
	}
}

// logged is what a Logger wrote, as JSON.
type logged struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.String()
}

// lines gives the lines of a level and above.
func (l *logged) lines(tb testing.TB, level slog.Level) []map[string]any {
	tb.Helper()
	var lines []map[string]any
	for text := range strings.Lines(l.String()) {
		line := map[string]any{}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			tb.Fatalf("log line %q: %v", text, err)
		}
		var at slog.Level
		text, _ := line["level"].(string)
		if err := at.UnmarshalText([]byte(text)); err != nil {
			tb.Fatal(err)
		}
		if at >= level {
			lines = append(lines, line)
		}
	}
	return lines
}

// only gives the one line of a level and above.
func (l *logged) only(tb testing.TB, level slog.Level) map[string]any {
	tb.Helper()
	lines := l.lines(tb, level)
	if len(lines) != 1 {
		tb.Fatalf("%d lines at %v and above, want one:\n%s", len(lines), level, l)
	}
	return lines[0]
}

// answering always gives v.
func answering[T any](v T) func(context.Context, preview.Request) (T, error) {
	return func(context.Context, preview.Request) (T, error) { return v, nil }
}

// trusted is signing.Unsigned without its warning in the log.
func trusted(*http.Request) (signing.Caller, error) { return signing.Caller{}, nil }
