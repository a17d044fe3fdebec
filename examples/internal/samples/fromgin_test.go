package samples_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// provider answers the callbacks from a database.
type provider struct{ db database }

// database has documents by id.
type database map[string]document

type document struct {
	name              string
	version           uint32
	size              int64
	created, modified time.Time
	owner, editor     string
	url               string
}

func (db database) document(_ context.Context, id string) (document, error) {
	doc, ok := db[id]
	if !ok {
		return doc, preview.ErrNotFound
	}
	return doc, nil
}

func (p *provider) File(ctx context.Context, r preview.Request) (preview.File, error) {
	doc, err := p.db.document(ctx, r.FileID) // preview.ErrNotFound, or any other error
	if err != nil {
		return preview.File{}, err
	}
	return preview.File{
		Name: doc.name, Version: doc.version, Size: doc.size,
		CreatedAt: doc.created, ModifiedAt: doc.modified,
		CreatorID: doc.owner, ModifierID: doc.editor,
	}, nil
}

func (p *provider) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	doc, err := p.db.document(ctx, r.FileID)
	if err == nil && doc.owner != r.UserID {
		err = preview.ErrForbidden // Permission may not have been asked
	}
	return preview.Download{URL: doc.url}, err
}

func (p *provider) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	doc, err := p.db.document(ctx, r.FileID)
	if err == nil && doc.owner != r.UserID {
		err = preview.ErrForbidden
	}
	return preview.Permission{Read: true, Copy: true}, err // UserID is filled in
}

func register(engine *gin.Engine, p *provider, appID string, appKey signing.Secret) error {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{signing.AppWithScheme("WPS-2", appID, appKey)},
	})
	if err != nil {
		return err
	}
	handler, err := preview.NewHandler(preview.Config{
		Store: p, Auth: verifier.VerifyRequest, Identify: identify,
	})
	if err != nil {
		return err
	}
	engine.Any(preview.PathPrefix+"*path", gin.WrapH(handler))
	return nil
}

func TestFromGin(t *testing.T) {
	t.Parallel()
	files := httptest.NewServer(previewtest.MapStore{"plan": {Content: []byte("the plan")}})
	t.Cleanup(files.Close)
	now := time.Now()
	p := &provider{database{"plan": {"plan.docx", 1, 8, now, now, "ann", "ann", files.URL + "/plan"}}}
	engine := newEngine()
	if err := register(engine, p, "SX2024", signing.NewSecret("key")); err != nil {
		t.Fatal(err)
	}
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		Handler: engine, WebOfficeToken: signing.NewSecret("ann"),
		Credentials: signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viewer.Open(t.Context(), "plan", nil); err != nil {
		t.Error(err)
	}
	previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
		t.Helper()
		as := func(id, user string) preview.Request {
			return preview.Request{FileID: id, WebOfficeToken: signing.NewSecret(user)}
		}
		return previewtest.Fixture{
			Config:   preview.Config{Store: p, Identify: identify},
			Existing: []preview.Request{as("plan", "ann")},
			Missing:  as("nothing", "ann"), Denied: as("plan", "bob"), NoUser: as("plan", "guessed"),
		}
	})
}
