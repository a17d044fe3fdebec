package preview_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// nowhere is a ResponseWriter that costs nothing.
type nowhere struct{ header http.Header }

func (w *nowhere) Header() http.Header         { return w.header }
func (w *nowhere) WriteHeader(int)             {}
func (w *nowhere) Write(p []byte) (int, error) { return len(p), nil }

// fixed is a Store in which nothing is looked up.
type fixed struct{}

func (fixed) File(context.Context, preview.Request) (preview.File, error) { return goodFile(), nil }

func (fixed) Download(context.Context, preview.Request) (preview.Download, error) {
	return preview.Download{URL: "https://files.example.com/plan.docx?Expires=1&Signature=x"}, nil
}

func (fixed) Permission(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{Read: true, Copy: true}, nil
}

// TestAllocations bounds what one callback allocates in the handler: the
// deadline, the request with it, the user's token, and the parsed address of a
// download.
func TestAllocations(t *testing.T) {
	for path, limit := range map[string]float64{"files/f1": 3, "files/f1/permission": 3, "files/f1/download": 4} {
		h, err := preview.NewHandler(preview.Config{Store: fixed{}, Auth: signing.Unsigned, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		r := benchRequest(path)
		w := &nowhere{http.Header{}}
		if got := testing.AllocsPerRun(200, func() { h.ServeHTTP(w, r) }); got > limit {
			t.Errorf("%s: %v allocations, want at most %v", path, got, limit)
		}
	}
}

func benchRequest(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, preview.PathPrefix+path, nil)
	r.Header.Set("X-App-Id", "test-app")
	r.Header.Set("X-WebOffice-Token", "tok")
	r.Header.Set("X-Request-Id", "req-1")
	r.Header.Set("X-User-Query", "_w_appid=test-app&file_id=f1")
	return r
}

// BenchmarkHandler is the handler beside a bare ServeMux, which writes fixed
// bytes, and beside one that encodes the same answer and checks nothing.
func BenchmarkHandler(b *testing.B) {
	bare := http.NewServeMux()
	body := []byte(`{"code":0,"data":{"id":"f1","name":"Plan 2026.docx","version":7,"size":20480,"create_time":1700000000,"modify_time":1700086400,"creator_id":"u1","modifier_id":"u2"}}`)
	bare.HandleFunc("GET /v3/3rd/files/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	bench(b, "mux-fixed", bare, benchRequest("files/f1"))

	encoding := http.NewServeMux()
	encoding.HandleFunc("GET /v3/3rd/files/{id}", func(w http.ResponseWriter, r *http.Request) {
		f := goodFile()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"code": 0, "data": wireFile{
			r.PathValue("id"), f.Name, f.Version, f.Size, f.CreatedAt.Unix(), f.ModifiedAt.Unix(), f.CreatorID, f.ModifierID,
		}})
	})
	bench(b, "mux-json", encoding, benchRequest("files/f1"))

	h := newHandler(b, preview.Config{Store: fixed{}, Auth: signing.Unsigned, Logger: slog.New(slog.DiscardHandler)})
	for _, path := range []string{"files/f1", "files/f1/download", "files/f1/permission"} {
		bench(b, path, h, benchRequest(path))
	}
	signed := newHandler(b, preview.Config{Store: fixed{}, Auth: newVerifier(b, signing.VerifierConfig{}).VerifyRequest, Logger: slog.New(slog.DiscardHandler)})
	bench(b, "files/f1-signed", signed, signingtest.NewRequest(b, signingtest.Credentials(), http.MethodGet, "/v3/3rd/files/f1", nil))
}

type wireFile struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Version    uint32 `json:"version"`
	Size       int64  `json:"size"`
	CreateTime int64  `json:"create_time"`
	ModifyTime int64  `json:"modify_time"`
	CreatorID  string `json:"creator_id"`
	ModifierID string `json:"modifier_id"`
}

func bench(b *testing.B, name string, h http.Handler, r *http.Request) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		w := &nowhere{http.Header{}}
		b.ReportAllocs()
		for b.Loop() {
			h.ServeHTTP(w, r)
		}
	})
}

// BenchmarkLoopback is the same over real connections, which are kept.
func BenchmarkLoopback(b *testing.B) {
	bare := http.NewServeMux()
	body := []byte(`{"code":0,"data":{"id":"f1","name":"Plan 2026.docx","version":7,"size":20480,"create_time":1700000000,"modify_time":1700086400,"creator_id":"u1","modifier_id":"u2"}}`)
	bare.HandleFunc("GET /v3/3rd/files/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	verify := newVerifier(b, signing.VerifierConfig{}).VerifyRequest
	for _, c := range []struct {
		name string
		h    http.Handler
	}{
		{"mux-fixed", bare},
		{"handler", newHandler(b, preview.Config{Store: fixed{}, Auth: signing.Unsigned, Logger: slog.New(slog.DiscardHandler)})},
		{"handler-signed", newHandler(b, preview.Config{Store: fixed{}, Auth: verify, Logger: slog.New(slog.DiscardHandler)})},
	} {
		b.Run(c.name, func(b *testing.B) {
			server := httptest.NewServer(c.h)
			b.Cleanup(server.Close)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			b.Cleanup(client.CloseIdleConnections)
			signed := signingtest.NewRequest(b, signingtest.Credentials(), http.MethodGet, "/v3/3rd/files/f1", nil)
			b.SetParallelism(16)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+"/v3/3rd/files/f1", nil)
					if err != nil {
						b.Error(err)
						return
					}
					req.Header = signed.Header
					resp, err := client.Do(req)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
					if resp.StatusCode != http.StatusOK {
						b.Error(resp.Status)
						return
					}
				}
			})
		})
	}
}
