package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// linksPath is where the bytes of documents are, below the gateway address.
const linksPath = "/files"

// site is all that the program serves: the callbacks, and the links to documents.
type site struct {
	options
	store   store
	handler http.Handler
}

// store is where the documents are.
type store interface { //nolint:interfacebloat // What a folder and a bucket have in common.
	preview.Store
	preview.Saver
	preview.Renamer
	preview.HistoryStore

	// documents lists them, until the first error.
	documents(ctx context.Context) iter.Seq2[document, error]

	// draft is a copy of a document, for a session that changes it. discard is never
	// nil, and removes what there is of the copy.
	draft(ctx context.Context, original document, content []byte) (id string, discard func() error, err error)

	Close() error
}

// document is one of a store. Its name is for people.
type document struct{ id, name string }

// allow says what users may do with any document.
func (o options) allow(_ context.Context, r preview.Request) (preview.Permission, error) {
	return preview.Permission{
		UserID: r.UserID, Read: true, Download: true, Copy: true,
		Update: o.edit, Rename: o.edit, History: o.edit,
	}, nil
}

// noDocuments says that there are none.
func (o options) noDocuments() error {
	if o.s3.bucket == "" {
		return errors.New("there are no documents in " + o.dir)
	}
	return fmt.Errorf("there are no documents in s3://%s/%s: add -dir with a folder to copy", o.s3.bucket, o.s3.prefix)
}

// first is the document that a session copies: an office document, if there is one
// among the first.
func (s *site) first(ctx context.Context) (document, error) {
	var first document
	n := 0
	for d, err := range s.store.documents(ctx) {
		if err != nil || office(d.name) {
			return d, err
		}
		if n++; n == 1 {
			first = d
		} else if n == maxListed {
			break
		}
	}
	if n == 0 {
		return first, s.noDocuments()
	}
	return first, nil
}

// office reports whether the name is that of a document which people edit.
func office(name string) bool {
	return slices.Contains([]string{".docx", ".doc", ".xlsx", ".xls", ".pptx", ".ppt"}, strings.ToLower(path.Ext(name)))
}

// opens reports whether the name is that of a document which the viewer opens. A folder
// has other files too.
func opens(name string) bool {
	return office(name) || strings.EqualFold(path.Ext(name), ".pdf")
}

// newStore opens the store. links serves its bytes, unless the storage does.
func newStore(ctx context.Context, o options, key signing.Secret, out io.Writer) (s store, links http.Handler, err error) {
	if o.s3.bucket != "" {
		s, err = newBucket(ctx, o, out)
		return s, http.NotFoundHandler(), err
	}
	f, err := newFolder(o, key) //nolint:contextcheck // New takes no context: it reads the state file once.
	return f, f, err
}

func newSite(ctx context.Context, o options, out io.Writer) (*site, error) {
	key, err := linkKey(filepath.Join(o.state, ".weboffice-link-key"))
	if err != nil {
		return nil, err
	}
	store, links, err := newStore(ctx, o, key, out)
	if err != nil {
		return nil, err
	}
	auth := signing.Unsigned
	if !o.credentials.IsZero() {
		verifier, err := signing.NewVerifier(signing.VerifierConfig{
			Credentials: []signing.Credentials{o.credentials}, PublicPrefix: o.proxyStrips,
		})
		if err != nil {
			return nil, errors.Join(err, store.Close())
		}
		auth = verifier.VerifyRequest
	}
	level := slog.LevelInfo
	if o.view { // which is on this machine, and needs no advice for others
		level = slog.LevelWarn
	}
	guests := guests{key: key}
	if o.view {
		guests.people = map[string]string{"ann": "Ann", "bob": "Bob"}
	}
	cfg := preview.Config{
		Store: store, Auth: auth, Users: guests, Identify: guests.identify,
		Logger: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})),
	}
	if o.edit {
		cfg.Saver, cfg.Renamer, cfg.History = store, store, store
	}
	callbacks, err := preview.NewHandler(cfg)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &site{options: o, store: store, handler: showCalls(out, route(callbacks, links))}, nil
}

// route tells callbacks from links, below whatever prefix.
func route(callbacks, links http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; strings.HasSuffix(p, linksPath) && !strings.Contains(p, preview.PathPrefix) {
			links.ServeHTTP(w, r)
			return
		}
		callbacks.ServeHTTP(w, r)
	})
}

// linkKey reads the key that signs links, and makes one the first time, so that
// links outlast a restart.
func linkKey(name string) (signing.Secret, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.WriteString(file, rand.Text()+rand.Text()+"\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return signing.Secret{}, err
	}
	text, err := os.ReadFile(name)
	return signing.NewSecret(strings.TrimSpace(string(text))), err
}

// guests are the users, of whom nothing is known: the same token is the same
// guest. A real integration asks its own sessions. Only the built-in viewer, which
// nobody else can be, says who its people are.
type guests struct {
	key    signing.Secret
	people map[string]string // names by id
}

func (g guests) identify(ctx context.Context, r preview.Request) (string, error) {
	user := "guest"
	if token := r.WebOfficeToken.Reveal(); g.people[token] != "" {
		user = token
	} else if token != "" {
		mac := hmac.New(sha256.New, []byte(g.key.Reveal()))
		mac.Write([]byte(token))
		user += "-" + hex.EncodeToString(mac.Sum(nil)[:4])
	}
	noteUser(ctx, user)
	return user, nil
}

// Users implements preview.UserStore.
func (g guests) Users(_ context.Context, _ preview.Request, ids []string) ([]preview.User, error) {
	var users []preview.User
	for _, id := range ids {
		if name := g.people[id]; name != "" {
			users = append(users, preview.User{ID: id, Name: name})
		} else if strings.HasPrefix(id, "guest") || id == dirstore.DefaultOwner {
			users = append(users, preview.User{ID: id, Name: id})
		}
	}
	return users, nil
}
