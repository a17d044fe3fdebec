package openapitest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

var quiet = slog.New(slog.DiscardHandler)

func verify(t *testing.T) func(*http.Request) (signing.Caller, error) {
	t.Helper()
	v, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	return v.VerifyRequest
}

// viewer has the fake viewer open and edit documents.
func viewer(t *testing.T, callbacks *document) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.docx"), []byte("the plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := dirstore.New(dirstore.Config{
		Root: dir, PublicURL: "https://files.example.com/files", LinkKey: signing.NewSecret("a key of sixteen bytes or more"), Editing: true,
		Users: []preview.User{{ID: "ada", Name: "Ada", AvatarURL: "https://files.example.com/ada.png"}},
		Allow: func(_ context.Context, r preview.Request) (preview.Permission, error) {
			switch r.WebOfficeToken.Reveal() {
			case "of ada":
				return preview.Permission{UserID: "ada", Read: true, Update: true, Download: true, Rename: true, History: true, Copy: true, Print: true}, nil
			case "of bob":
				return preview.Permission{}, preview.ErrForbidden
			default:
				return preview.Permission{}, preview.ErrUnauthorized
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	h, err := preview.NewHandler(preview.Config{
		Store: store, Users: store, Saver: store, Renamer: store, History: store, Auth: verify(t), Logger: quiet,
		Identify: func(_ context.Context, r preview.Request) (string, error) {
			return strings.TrimPrefix(r.WebOfficeToken.Reveal(), "of "), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := previewtest.ViewerConfig{
		Handler: callbacks.watch(t, h), HTTPClient: previewtest.HTTPClient(store),
		Credentials: signingtest.Credentials(), WebOfficeToken: signing.NewSecret("of ada"),
	}
	v, err := previewtest.NewViewer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, id := t.Context(), store.ID("plan.docx")
	if _, err := v.Edit(ctx, id, func(b []byte) []byte { return append(b, " grows"...) }, bytes.ToUpper); err != nil {
		t.Error(err)
	}
	if err := v.Rename(ctx, id, "Plan 2.docx"); err != nil {
		t.Error(err)
	}
	history, err := v.Versions(ctx, id, preview.Page{Limit: 2})
	if err != nil || len(history) != 2 {
		t.Errorf("Versions = %v, %v", history, err)
	}
	if _, err := v.Version(ctx, id, 1); err != nil {
		t.Error(err)
	}
	if _, err := v.DownloadVersion(ctx, id, 1); err != nil {
		t.Error(err)
	}
	refusals(t, v, id)

	// A store of literals, and a caller whose signature does not match.
	cfg.Credentials = signing.App("stranger", signing.NewSecret("its own key"))
	stranger, err := previewtest.NewViewer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.File(ctx, id); !errors.Is(err, preview.ErrUnauthorized) {
		t.Errorf("File of a stranger = %v", err)
	}
	literals := previewtest.MapStore{"plan": {Content: []byte("the plan")}}
	if h, err = preview.NewHandler(preview.Config{Store: literals, Auth: signing.Unsigned, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	reader, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: callbacks.watch(t, h), HTTPClient: previewtest.HTTPClient(literals)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Open(ctx, "plan", io.Discard); err != nil {
		t.Error(err)
	}
}

// refusals asks for what must be refused.
func refusals(t *testing.T, v *previewtest.Viewer, id string) {
	t.Helper()
	for _, user := range []string{"of ada", "of bob", "of nobody"} {
		for _, call := range []struct{ method, target, body string }{
			{http.MethodGet, "files/none", ""},
			{http.MethodGet, "files/" + strings.Repeat("a", 48), ""},
			{http.MethodGet, "files/none/download", ""},
			{http.MethodGet, "files/none/permission", ""},
			{http.MethodPut, "files/" + id + "/name", `{"name":"a/b"}`},
			{http.MethodPut, "files/" + id + "/name", `{}`},
			{http.MethodGet, "files/" + id + "/versions?limit=x", ""},
			{http.MethodGet, "files/" + id + "/versions/99", ""},
			{http.MethodGet, "files/" + id + "/versions/0", ""},
			{http.MethodGet, "files/" + id + "/versions/99/download", ""},
			{http.MethodGet, "files/none/upload/prepare", ""},
			{http.MethodPost, "files/" + id + "/upload/address", `{"name":"a.docx"}`},
			{http.MethodPost, "files/" + id + "/upload/address", `{"name":"a.docx","size":-1}`},
			{http.MethodPost, "files/" + id + "/upload/address", `{"name":"a.docx","size":1,"digest":{"md5":"short"}}`},
			{http.MethodPost, "files/" + id + "/upload/complete", `{"request":{"name":"a.docx","size":1},"response":{"status_code":500}}`},
			{http.MethodPost, "files/" + id + "/upload/complete", `[]`},
			{http.MethodGet, "files/" + id + "/watermark", ""},
			{http.MethodDelete, "files/" + id, ""},
		} {
			answer, err := v.As(signing.NewSecret(user)).Do(t.Context(), call.method, preview.PathPrefix+call.target, []byte(call.body))
			if err != nil {
				t.Error(err)
				continue
			}
			_ = answer.Body.Close()
			if answer.StatusCode < http.StatusBadRequest {
				t.Errorf("%s: %s %s %s is answered %d", user, call.method, call.target, call.body, answer.StatusCode)
			}
		}
	}
}

// plugin has the suite of package tokentest and the fake plugin ask for tokens.
func plugin(t *testing.T, callbacks *document) {
	t.Helper()
	app := signingtest.Credentials().Caller().AppID
	allowed := token.Request{AppID: app, FileID: "plan", WebOfficeToken: signing.NewSecret("token of ada")}
	connect := func(t *testing.T, source token.Source) http.Handler {
		t.Helper()
		h, err := token.NewHandler(token.Config{Auth: verify(t), Source: source, Logger: quiet, Authorize: func(_ context.Context, r token.Request) error {
			switch r.WebOfficeToken.Reveal() {
			case "token of ada":
				return nil
			case "token of bob":
				return token.ErrForbidden
			default:
				return token.ErrUnauthorized
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return callbacks.watch(t, h)
	}
	tokentest.Run(t, func(t *testing.T) tokentest.Fixture {
		t.Helper()
		denied, unknown, other := allowed, allowed, allowed
		denied.WebOfficeToken = signing.NewSecret("token of bob")
		unknown.WebOfficeToken = signing.NewSecret("token of nobody")
		other.AppID = "another-app"
		return tokentest.Fixture{
			Handler: connect(t, &tokentest.Source{Tokens: map[string]token.Token{
				app: {AccessToken: signing.NewSecret("an access token"), ExpiresAt: time.Now().Add(2 * time.Hour)},
			}}),
			Credentials: signingtest.Credentials(), Allowed: allowed, Denied: denied, UnknownUser: unknown, OtherApp: other,
		}
	})
	p, err := tokentest.NewPlugin(tokentest.PluginConfig{
		Handler: connect(t, &tokentest.Source{Err: errors.New("out of tokens")}), Credentials: signingtest.Credentials(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Token(t.Context(), allowed); err == nil {
		t.Error("a token from a source that fails")
	}
}

// mention has the fake chat call a receiver.
func mention(t *testing.T, callbacks *document) {
	t.Helper()
	const address = "https://backend.example/robot/callback"
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{webhooktest.TestKey()}, Logger: quiet,
		Handle: func(_ context.Context, e webhook.Event) error {
			if e.Content == "break" {
				return errors.New("as it was asked to")
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := callbacks.watch(t, receiver)
	s := webhooktest.NewServer(&webhooktest.Options{HTTPClient: webhooktest.HTTPClient(h)})
	ctx := t.Context()
	if err := s.Register(ctx, webhooktest.TestKey(), address); err != nil {
		t.Fatal(err)
	}
	if err := s.Mention(ctx, webhook.Event{}); err != nil {
		t.Error(err)
	}
	if err := s.Mention(ctx, webhook.Event{ChatID: 1 << 60, Content: "@robot and this?", Reply: &webhook.Quoted{Content: "that", SenderID: 7}}); err != nil {
		t.Error(err)
	}
	if err := s.Mention(ctx, webhook.Event{Content: "break"}); err == nil {
		t.Error("a mention whose handling fails was taken")
	}
	for _, body := range []string{``, `null`, `[]`, `{}`, `{"chatid":"1"}`, `{"chatid":1,"creator":2,"content":"x","robot_key":"of no robot","url":"u","ctime":3}`} {
		r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code < http.StatusBadRequest {
			t.Errorf("%s is answered %d %s", body, rec.Code, rec.Body)
		}
	}
	for _, method := range []string{http.MethodHead, http.MethodDelete} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, address, nil))
	}
}
