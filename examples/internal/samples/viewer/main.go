// Lets the online viewer open and edit the documents of a folder.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

func main() {
	handler, err := newHandler()
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: ":8080", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func newHandler() (http.Handler, error) {
	appKey := signing.NewSecret(os.Getenv("WEBOFFICE_APP_KEY"))
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials:  []signing.Credentials{signing.AppWithScheme("WPS-2", os.Getenv("WEBOFFICE_APP_ID"), appKey)},
		PublicPrefix: os.Getenv("WEBOFFICE_PUBLIC_PREFIX"), // what a proxy in front removes, such as /office
	})
	if err != nil {
		return nil, err
	}
	store, err := dirstore.New(dirstore.Config{ // or your own: File, Download, Permission
		Root:      os.Getenv("DOCUMENTS"),
		PublicURL: os.Getenv("PUBLIC_URL") + "/files", // where the service reaches this program
		LinkKey:   signing.NewSecret(os.Getenv("LINK_KEY")),
		Allow:     allow,
		Editing:   true,
		Users:     []preview.User{{ID: "ann", Name: "Ann"}, {ID: "bob", Name: "Bob"}},
	})
	if err != nil {
		return nil, err
	}
	handler, err := preview.NewHandler(preview.Config{
		Store:    store,
		Auth:     verifier.VerifyRequest,                              // the service calls
		Identify: identify,                                            // for this user
		Users:    store, Saver: store, Renamer: store, History: store, // editing
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(preview.PathPrefix, handler)
	mux.Handle("/files", store)
	return mux, nil
}

// identify says who the user is. The token is what your front end gave to the viewer:
// look it up where your sessions are. The service does not check it.
func identify(_ context.Context, r preview.Request) (string, error) {
	sessions := map[string]string{"session-of-ann": "ann", "session-of-bob": "bob"}
	user, ok := sessions[r.WebOfficeToken.Reveal()]
	if !ok {
		return "", preview.ErrUnauthorized
	}
	return user, nil
}

// allow says what the user may do with the document r.FileID.
func allow(_ context.Context, r preview.Request) (preview.Permission, error) {
	may := preview.Permission{Read: true, Download: true, Print: true, Copy: true, History: true}
	if r.UserID == "ann" {
		may.Update, may.Rename, may.Comment = true, true, true
	}
	return may, nil
}
