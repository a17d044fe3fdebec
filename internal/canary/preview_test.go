package canary_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/canary"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

var (
	previewToken = canary.Secret("user token")
	previewRole  = canary.Secret("user query")
	previewLink  = "https://user:" + canary.Secret("password") + "@files.example.com/a.docx?Signature=" + canary.Secret("link") + "#" + canary.Secret("fragment")
	previewValue = canary.Secret("header value")
)

// previewStore gives one error, or one set of answers, for everything.
type previewStore struct {
	err     error
	crash   any
	file    preview.File
	link    preview.Download
	address preview.UploadAddress
	users   []preview.User
}

func (s *previewStore) fail() error {
	if s.crash != nil {
		panic(s.crash)
	}
	return s.err
}

func (s *previewStore) File(context.Context, preview.Request) (preview.File, error) {
	return s.file, s.fail()
}

func (s *previewStore) Download(context.Context, preview.Request) (preview.Download, error) {
	return s.link, s.fail()
}

func (s *previewStore) Permission(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{Update: true}, s.fail()
}

func (s *previewStore) Users(context.Context, preview.Request, []string) ([]preview.User, error) {
	return s.users, s.fail()
}

func (s *previewStore) Rename(context.Context, preview.Request, string) error { return s.fail() }

func (s *previewStore) Versions(context.Context, preview.Request, preview.Page) ([]preview.File, error) {
	return []preview.File{s.file}, s.fail()
}

func (s *previewStore) Version(context.Context, preview.Request, uint32) (preview.File, error) {
	return s.file, s.fail()
}

func (s *previewStore) DownloadVersion(context.Context, preview.Request, uint32) (preview.Download, error) {
	return s.link, s.fail()
}

func (s *previewStore) PrepareUpload(context.Context, preview.Request) ([]preview.DigestType, error) {
	return []preview.DigestType{"none"}, s.fail()
}

func (s *previewStore) UploadAddress(context.Context, preview.Request, preview.Upload) (preview.UploadAddress, error) {
	return s.address, s.fail()
}

func (s *previewStore) CompleteUpload(context.Context, preview.Request, preview.Upload, preview.UploadResult) (preview.File, error) {
	return s.file, s.fail()
}

// previewFails calls every callback of a handler over s, as a user with secrets,
// and expects failures that show none of them.
func previewFails(t *testing.T, s *previewStore, change func(*preview.Config)) {
	t.Helper()
	cage := canary.New(t)
	cfg := preview.Config{Store: s, Users: s, Saver: s, Renamer: s, History: s, Auth: signing.Unsigned, Logger: cage.Logger}
	cfg.Observe = func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
		cage.Text("operation", fmt.Sprintf("%+v", op))
		return ctx, func(out weboffice.Outcome) { cage.Text("outcome of "+op.Name, fmt.Sprintf("%+v", out)) }
	}
	if change != nil {
		change(&cfg)
	}
	h, err := preview.NewHandler(cfg)
	if err != nil {
		t.Fatal(err)
	}
	const upload = `{"name":"a.docx","size":1}`
	for _, call := range []struct{ method, path, body string }{
		{"GET", "files/f1", ""},
		{"GET", "files/f1/download", ""},
		{"GET", "files/f1/permission", ""},
		{"GET", "users?user_ids=1", ""},
		{"PUT", "files/f1/name", `{"name":"a.docx"}`},
		{"GET", "files/f1/versions", ""},
		{"GET", "files/f1/versions/1", ""},
		{"GET", "files/f1/versions/1/download", ""},
		{"GET", "files/f1/upload/prepare", ""},
		{"POST", "files/f1/upload/address", upload},
		{"POST", "files/f1/upload/complete", `{"request":` + upload + `}`},
		{"PUT", "files/f1/name", `{"name":"` + canary.Secret("body")},
		{"GET", "nothing", ""},
	} {
		r := httptest.NewRequest(call.method, preview.PathPrefix+call.path, strings.NewReader(call.body))
		r.Header.Set("X-WebOffice-Token", previewToken)
		r.Header.Set("X-User-Query", "_w_appid=a&role="+url.QueryEscape(previewRole))
		r.Header.Set("Authorization", "SVC-2:app:"+canary.Secret("signature"))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		cage.Text("answer to "+call.path, w.Body.String())
		if w.Code == http.StatusOK && s.err == nil && s.crash == nil && call.method != "PUT" {
			t.Errorf("%s %s = %d %s, want a failure", call.method, call.path, w.Code, w.Body)
		}
	}
	if cage.Logged() == "" {
		t.Error("nothing was logged, so nothing was driven")
	}
}

// A store may put anything into its errors.
func TestPreviewErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"token":          errors.New("no session " + previewToken),
		"quoted token":   fmt.Errorf("no session %q", previewToken),
		"token in query": &url.Error{Op: "Get", URL: "https://id.example.com/?t=" + previewToken, Err: errors.New("no such host " + previewToken)},
		"user query":     errors.New("role=" + previewRole),
		"escaped query":  errors.New("role=" + url.QueryEscape(previewRole)),
		"link":           fmt.Errorf("fetch %s: EOF", previewLink),
		"link, wrapped":  fmt.Errorf("bucket: %w", &url.Error{Op: "Get", URL: previewLink, Err: context.DeadlineExceeded}),
		"known":          fmt.Errorf("%w: %s at %s", preview.ErrForbidden, previewToken, previewLink),
		"a rule":         &preview.RuleError{Field: "url", Rule: "mine", Value: previewLink},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			previewFails(t, &previewStore{err: err}, nil)
			previewFails(t, &previewStore{err: err}, func(cfg *preview.Config) {
				cfg.Identify = func(context.Context, preview.Request) (string, error) { return "", err }
			})
			previewFails(t, &previewStore{err: err}, func(cfg *preview.Config) {
				cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, err }
			})
		})
	}
	t.Run("what was signed", func(t *testing.T) {
		t.Parallel()
		previewFails(t, &previewStore{err: errors.New("never asked")}, func(cfg *preview.Config) {
			cfg.Auth = func(r *http.Request) (signing.Caller, error) {
				_, _, signature := strings.Cut(r.Header.Get("Authorization"), ":app:")
				return signing.Caller{}, fmt.Errorf("refused %s (%v, %s)", r.Header.Get("Authorization"), signature, strings.TrimPrefix(r.Header.Get("Authorization"), "SVC-2:app:"))
			}
		})
	})
}

// A panic may carry anything.
func TestPreviewPanics(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"text":  previewToken,
		"error": errors.New(previewToken),
		"link":  preview.Download{URL: previewLink},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			previewFails(t, &previewStore{crash: value}, nil)
			previewFails(t, &previewStore{err: errors.New(previewToken)}, func(cfg *preview.Config) {
				cfg.MapError = func(error) preview.Reply { panic(value) }
			})
		})
	}
}

// unprintable is an error with a method that panics, and says too much.
type unprintable struct{}

func (unprintable) Error() string { panic(previewToken + previewRole + previewValue) }

// The methods of an error are no safer than the rest of a store.
func TestPreviewErrorsThatPanic(t *testing.T) {
	t.Parallel()
	err := unprintable{}
	previewFails(t, &previewStore{err: err}, nil)
	previewFails(t, &previewStore{err: errors.New("never asked")}, func(cfg *preview.Config) {
		cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, err }
	})
	previewFails(t, &previewStore{err: errors.New("never asked")}, func(cfg *preview.Config) {
		cfg.CheckID = func(string) error { return err }
	})
	previewFails(t, &previewStore{err: err}, func(cfg *preview.Config) {
		cfg.MapError = func(err error) preview.Reply { panic(err) }
	})
}

// An answer that breaks a rule is described in the log.
func TestPreviewRules(t *testing.T) {
	t.Parallel()
	secret := map[string]string{"X-Key": previewValue + "\r\n"}
	for name, s := range map[string]*previewStore{
		"links": {
			link:    preview.Download{URL: "ftp" + strings.TrimPrefix(previewLink, "https")},
			address: preview.UploadAddress{URL: "/relative?" + canary.Secret("link")},
			users:   []preview.User{{ID: "1", Name: "A", AvatarURL: "http" + strings.TrimPrefix(previewLink, "https")}},
		},
		"no links": {
			link:    preview.Download{URL: canary.Secret("link")},
			address: preview.UploadAddress{URL: "https://%zz?" + canary.Secret("link")},
			users:   []preview.User{{ID: "1", Name: "A", AvatarURL: canary.Secret("link")}},
		},
		"headers": {
			link:    preview.Download{URL: previewLink, Header: secret},
			address: preview.UploadAddress{URL: previewLink, Header: secret},
			users:   []preview.User{{ID: "2", Name: "A"}},
		},
		"params": {
			link:    preview.Download{URL: previewLink, Digest: preview.Digest{Type: preview.MD5}},
			address: preview.UploadAddress{URL: previewLink, Params: map[string]string{"key": previewValue + "\xff"}},
			users:   []preview.User{{ID: "2", Name: "A"}},
		},
		"send back": {
			link:    preview.Download{URL: previewLink, Digest: preview.Digest{Type: preview.SHA256}},
			address: preview.UploadAddress{URL: previewLink, SendBack: map[string]string{"key": previewValue + "\xff"}},
			users:   []preview.User{{ID: "2", Name: "A"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			previewFails(t, s, nil)
		})
	}
}

// What a store is given and gives prints without secrets.
func TestPreviewValues(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	secret := map[string]string{"X-Key": previewValue}
	for name, v := range map[string]any{
		"Request":       preview.Request{FileID: "f1", WebOfficeToken: signing.NewSecret(previewToken), UserQuery: "role=" + previewRole},
		"Download":      preview.Download{URL: previewLink, Header: secret},
		"UploadAddress": preview.UploadAddress{URL: previewLink, Header: secret, Params: secret, SendBack: secret},
		"UploadResult":  preview.UploadResult{Header: http.Header{"X-Key": {previewValue}}, Body: []byte(previewValue), SendBack: secret},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			cage.Text(name+" by "+verb, fmt.Sprintf(verb, v))
			cage.Text(name+" in a slice by "+verb, fmt.Sprintf(verb, []any{v, &v}))
		}
		cage.Logger.Error(name, "value", v)
	}
	for _, err := range []error{preview.CheckName("?" + strings.Repeat("a", 300)), preview.DefaultCheckID("-")} {
		cage.Error("check", err)
	}
}
