package preview_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// A proxy in front takes the prefix /office away, which callers have signed; and
// the app's key is being exchanged, so that the old one still has to work.
func ExampleNewHandler_proxyAndKeyRotation() {
	const appID = "SX2024"
	oldKey, newKey := signing.NewSecret("the old key"), signing.NewSecret("the new key")

	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials:  []signing.Credentials{signing.App(appID, newKey), signing.App(appID, oldKey)},
		PublicPrefix: "/office",
	})
	if err != nil {
		panic(err)
	}
	handler, err := preview.NewHandler(preview.Config{
		Store:  previewtest.MapStore{"plan": {}},
		Auth:   verifier.VerifyRequest,
		Logger: slog.New(slog.DiscardHandler), // it would say why the last one is refused
	})
	if err != nil {
		panic(err)
	}

	for _, key := range []signing.Secret{oldKey, newKey, signing.NewSecret("a guess")} {
		viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
			BaseURL:     "https://example.com/office", // the gateway address
			Handler:     handler,
			ProxyStrips: "/office",
			Credentials: signing.App(appID, key),
		})
		if err != nil {
			panic(err)
		}
		file, err := viewer.File(context.Background(), "plan")
		fmt.Println(file.Name, err)
	}
	// Output:
	// plan.docx <nil>
	// plan.docx <nil>
	//  previewtest: GET /v3/3rd/files/plan: refused: HTTP 401, code 40002, message "unauthorized"
}

// personal is a Store in which each user sees what is theirs.
type personal struct {
	previewtest.MapStore
	owners map[string]string // by file id
}

func (s personal) Permission(_ context.Context, r preview.Request) (preview.Permission, error) {
	if s.owners[r.FileID] != r.UserID {
		return preview.Permission{}, preview.ErrForbidden
	}
	return preview.Permission{Read: true, Copy: true, Download: true}, nil // UserID is filled in
}

func (s personal) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	if s.owners[r.FileID] != r.UserID { // nobody asks Permission first
		return preview.Download{}, preview.ErrForbidden
	}
	return s.MapStore.Download(ctx, r)
}

// The token that your front end gave to the viewer says who the user is. Identify
// reads it once for every callback, and the Store gets the user.
func ExampleConfig_identify() {
	sessions := map[string]string{"ann's session": "ann", "bob's session": "bob"}
	store := personal{
		MapStore: previewtest.MapStore{"plan": {}},
		owners:   map[string]string{"plan": "ann"},
	}
	handler, err := preview.NewHandler(preview.Config{
		Store:     store,
		Auth:      signing.Unsigned,
		Elsewhere: preview.UsersCallback, // another service knows the names of users
		Identify: func(_ context.Context, r preview.Request) (string, error) {
			user, ok := sessions[r.WebOfficeToken.Reveal()]
			if !ok {
				return "", preview.ErrUnauthorized
			}
			return user, nil
		},
	})
	if err != nil {
		panic(err)
	}
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: handler})
	if err != nil {
		panic(err)
	}
	for _, token := range []string{"ann's session", "bob's session", "no session"} {
		p, err := viewer.As(signing.NewSecret(token)).Permission(context.Background(), "plan")
		fmt.Printf("%s: %q may read: %v, %v\n", token, p.UserID, p.Read, err)
	}
	// Output:
	// ann's session: "ann" may read: true, <nil>
	// bob's session: "" may read: false, previewtest: GET /v3/3rd/files/plan/permission: refused: HTTP 403, code 40003, message "forbidden"
	// no session: "" may read: false, previewtest: GET /v3/3rd/files/plan/permission: refused: HTTP 401, code 40002, message "unauthorized"
}
