package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// viewerLife is how long a document may stay open.
const viewerLife = 12 * time.Hour

// viewer is who has a document open. The product's back end asks for a token of one when
// it shows the document, and the product's page gives it to the viewer. It is signed, so
// every replica can read it, and nothing is stored.
type viewer struct {
	User    string `json:"user"`
	FileID  string `json:"file_id"`
	Edit    bool   `json:"edit"`
	Expires int64  `json:"expires"` // In seconds since 1970.
}

// viewers makes and reads the tokens of viewers.
type viewers struct{ key []byte }

func newViewers(key signing.Secret) viewers { return viewers{derive(key, "viewer token")} }

func (v viewers) sign(payload string) string {
	mac := hmac.New(sha256.New, v.key)
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// token is the weboffice_token of one viewer.
func (v viewers) token(who viewer) (signing.Secret, error) {
	text, err := json.Marshal(who)
	payload := base64.RawURLEncoding.EncodeToString(text)
	return signing.NewSecret(payload + "." + v.sign(payload)), err
}

// read proves that a token is ours and still valid.
func (v viewers) read(text signing.Secret) (who viewer, err error) {
	payload, signature, _ := strings.Cut(text.Reveal(), ".")
	if !hmac.Equal([]byte(signature), []byte(v.sign(payload))) {
		return viewer{}, preview.ErrUnauthorized
	}
	plain, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(plain, &who) != nil || time.Now().Unix() >= who.Expires {
		return viewer{}, preview.ErrUnauthorized
	}
	return who, nil
}

// identify is the Identify of the preview handler.
func (v viewers) identify(_ context.Context, r preview.Request) (string, error) {
	who, err := v.read(r.WebOfficeToken)
	return who.User, err
}

// allow is the Allow of a store: a token is for one document.
func (v viewers) allow(_ context.Context, r preview.Request) (preview.Permission, error) {
	who, err := v.read(r.WebOfficeToken)
	if err != nil {
		return preview.Permission{}, err
	}
	if who.FileID != r.FileID {
		return preview.Permission{}, preview.ErrForbidden
	}
	return preview.Permission{
		UserID: who.User, Read: true, Download: true, Copy: true, History: true,
		Update: who.Edit, Rename: who.Edit,
	}, nil
}

// authorize is the Authorize of the token handler.
func (v viewers) authorize(_ context.Context, r token.Request) error {
	who, err := v.read(r.WebOfficeToken)
	if err == nil && who.FileID != r.FileID {
		return token.ErrForbidden
	}
	return err
}

// request is how this program itself asks a store for a document, for a conversion.
func (v viewers) request(fileID string) (preview.Request, error) {
	own := viewer{User: "server", FileID: fileID, Expires: time.Now().Add(time.Hour).Unix()}
	text, err := v.token(own)
	return preview.Request{FileID: fileID, UserID: own.User, WebOfficeToken: text}, err
}

// Users implements preview.UserStore. A product looks them up; here the id is the name.
func (v viewers) Users(_ context.Context, _ preview.Request, ids []string) (users []preview.User, err error) {
	for _, id := range ids {
		users = append(users, preview.User{ID: id, Name: id})
	}
	return users, nil
}
