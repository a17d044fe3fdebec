package preview_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

type observedKey struct{}

// observed keeps what an Observer is told.
type observed struct {
	started []weboffice.Operation
	ended   []weboffice.Outcome
}

func (o *observed) observe(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
	o.started = append(o.started, op)
	return context.WithValue(ctx, observedKey{}, op.Name), func(out weboffice.Outcome) { o.ended = append(o.ended, out) }
}

// TestObserve names every callback, and hands the context of the Observer on.
func TestObserve(t *testing.T) {
	t.Parallel()
	names := map[string]string{"version-download": "version_download", "prepare-upload": "upload_prepare", "upload-address": "upload_address", "complete-upload": "upload_complete"}
	for route, good := range routes() {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			name := "preview." + route
			if other, renamed := names[route]; renamed {
				name = "preview." + other
			}
			var o observed
			cfg, _ := all(&backend{})
			cfg.Observe = o.observe
			cfg.Identify = func(ctx context.Context, _ preview.Request) (string, error) {
				if got := ctx.Value(observedKey{}); got != name {
					t.Errorf("the context is that of %v, want %s", got, name)
				}
				return "u1", nil
			}
			method := good.method
			if method == "" {
				method = http.MethodGet
			}
			r := httptest.NewRequest(method, preview.PathPrefix+good.path, strings.NewReader(good.body))
			r.Header.Set("X-App-Id", "app")
			r.Header.Set("X-Request-Id", "req-1")
			serve(t, newHandler(t, cfg), r)
			unexported := cmpopts.IgnoreUnexported(weboffice.Operation{}, weboffice.Outcome{})
			want := observed{[]weboffice.Operation{{Name: name, Callback: true, Attempt: 1}}, []weboffice.Outcome{{App: "app", Status: 200, RequestID: "req-1"}}}
			if diff := cmp.Diff(want.started, o.started, unexported) + cmp.Diff(want.ended, o.ended, unexported); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestObserveFailures gives each failure one of the kinds of weboffice.Outcome.
func TestObserveFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(cfg *preview.Config)
		path   string
		want   weboffice.Outcome
	}{
		"not a callback": {nil, "nothing", weboffice.Outcome{App: "app", Status: 404, Code: 40004, Error: "not_found"}},
		"bad id":         {nil, "files/a.b", weboffice.Outcome{App: "app", Status: 400, Code: 40005, Error: "invalid"}},
		"bad signature": {
			func(cfg *preview.Config) { cfg.Auth = authFails(&signing.Error{Check: signing.CheckSignature}) },
			"files/f1",
			weboffice.Outcome{Status: 401, Code: 40002, Error: "signature"},
		},
		"unknown user":  {fails(preview.ErrUnauthorized), "files/f1", weboffice.Outcome{App: "app", Status: 401, Code: 40002, Error: "unauthorized"}},
		"forbidden":     {fails(preview.ErrForbidden), "files/f1", weboffice.Outcome{App: "app", Status: 403, Code: 40003, Error: "forbidden"}},
		"no version":    {fails(preview.ErrVersionNotFound), "files/f1", weboffice.Outcome{App: "app", Status: 404, Code: 40009, Error: "not_found"}},
		"not uploaded":  {fails(preview.ErrNotUploaded), "files/f1", weboffice.Outcome{App: "app", Status: 400, Code: 41001, Error: "invalid"}},
		"storage full":  {fails(preview.ErrStorageFull), "files/f1", weboffice.Outcome{App: "app", Status: 403, Code: 40006, Error: "refused"}},
		"internal":      {fails(errors.New("inner")), "files/f1", weboffice.Outcome{App: "app", Status: 500, Code: 50001, Error: "failed"}},
		"deadline":      {fails(context.DeadlineExceeded), "files/f1", weboffice.Outcome{App: "app", Status: 500, Code: 50001, Error: "timeout"}},
		"a broken rule": {func(cfg *preview.Config) { cfg.Store = &backend{file: answering(preview.File{})} }, "files/f1", weboffice.Outcome{App: "app", Status: 500, Code: 50001, Error: "invalid"}},
		"a panic": {func(cfg *preview.Config) {
			cfg.Store = &backend{file: func(context.Context, preview.Request) (preview.File, error) { panic("inner") }}
		}, "files/f1", weboffice.Outcome{App: "app", Status: 500, Code: 50001, Error: "failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o observed
			cfg, _ := all(&backend{})
			cfg.Observe = o.observe
			if c.change != nil {
				c.change(&cfg)
			}
			r := httptest.NewRequest(http.MethodGet, preview.PathPrefix+c.path, nil)
			r.Header.Set("X-App-Id", "app")
			serve(t, newHandler(t, cfg), r)
			if diff := cmp.Diff([]weboffice.Outcome{c.want}, o.ended, cmpopts.IgnoreUnexported(weboffice.Outcome{})); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

func fails(err error) func(*preview.Config) {
	return func(cfg *preview.Config) { cfg.Store = failing(err) }
}

// TestSaveTimeout is for CompleteUpload alone.
func TestSaveTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &backend{
			file: func(ctx context.Context, _ preview.Request) (preview.File, error) {
				<-ctx.Done()
				return preview.File{}, ctx.Err()
			},
			complete: func(ctx context.Context, _ preview.Request, _ preview.Upload, _ preview.UploadResult) (preview.File, error) {
				<-ctx.Done()
				return preview.File{}, ctx.Err()
			},
		}
		cfg, log := all(b)
		cfg.SaveTimeout = time.Hour
		h := newHandler(t, cfg)
		for route, want := range map[string]time.Duration{"file": preview.DefaultTimeout, "complete-upload": time.Hour} {
			start := time.Now()
			good := routes()[route]
			send(t, h, map[bool]string{true: "GET", false: "POST"}[good.body == ""], good.path, good.body)
			if took := time.Since(start); took != want || !strings.Contains(log.String(), `"timeout":`+strconv.FormatInt(int64(want), 10)) {
				t.Errorf("%s took %v, want %v in the log:\n%s", route, took, want, log)
			}
		}
	})
}
