package main

import (
	"context"
	"crypto/md5" //nolint:gosec // What S3 checks.
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// handler serves the callbacks of an app.
func (s *store) handler(app signing.Credentials, prefix string, logger *slog.Logger) (http.Handler, error) {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{app}, PublicPrefix: prefix})
	if err != nil {
		return nil, err
	}
	return preview.NewHandler(s.config(verifier.VerifyRequest, logger))
}

// config is all that the store can do.
func (s *store) config(auth func(*http.Request) (signing.Caller, error), logger *slog.Logger) preview.Config {
	return preview.Config{
		Store: s, Users: s, Saver: s, Renamer: s, History: s,
		Auth: auth, Identify: s.identify, Logger: logger,
	}
}

// sweepAlways sweeps until ctx ends.
func (s *store) sweepAlways(ctx context.Context, every time.Duration, logger *slog.Logger) {
	for tick := time.NewTicker(every); ; {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "what is left of saves was not removed", "error", err)
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

// addUser makes a user who has the id as a name.
func (s *store) addUser(ctx context.Context, user string) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO users (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING`, user, user)
	return err
}

// add stores the first version of a document, which its user may edit.
func (s *store) add(ctx context.Context, user, path string, out io.Writer) error {
	name := filepath.Base(path)
	if err := preview.CheckName(name); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	hash := md5.New() //nolint:gosec // What S3 checks.
	size, err := io.Copy(hash, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	id, sum := strings.ToLower(rand.Text()), hex.EncodeToString(hash.Sum(nil))
	object := id + "/" + rand.Text()
	if err := s.bucket.put(ctx, object, file, size, sum); err != nil {
		return err
	}
	if err := s.addUser(ctx, user); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	now := time.Now().Unix()
	for _, insert := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO documents (id, name, creator, created) VALUES (?, ?, ?, ?)`, []any{id, name, user, now}},
		{`INSERT INTO grants (document, user_id, may_edit) VALUES (?, ?, 1)`, []any{id, user}},
		{`INSERT INTO versions (document, version, object, size, md5, modifier, modified) VALUES (?, 1, ?, ?, ?, ?, ?)`, []any{id, object, size, sum, user, now}},
	} {
		if _, err := tx.ExecContext(ctx, insert.sql, insert.args...); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	fmt.Fprintln(out, id)
	return nil
}

// share lets a user read a document.
func (s *store) share(ctx context.Context, user, document string) error {
	_, _, err := s.permission(ctx, preview.Request{FileID: document})
	if errors.Is(err, preview.ErrNotFound) {
		return fmt.Errorf("there is no document %q", document)
	}
	if err == nil {
		err = s.addUser(ctx, user)
	}
	if err == nil {
		_, err = s.db.ExecContext(ctx, `INSERT INTO grants (document, user_id, may_edit) VALUES (?, ?, 0) ON CONFLICT DO NOTHING`, document, user)
	}
	return err
}

// newSession prints a token of a user.
func (s *store) newSession(ctx context.Context, user string, life time.Duration, out io.Writer) error {
	if err := s.addUser(ctx, user); err != nil {
		return err
	}
	token := rand.Text()
	_, err := s.db.ExecContext(ctx, `INSERT INTO sessions (token_sha256, user_id, expires) VALUES (?, ?, ?)`, tokenHash(signing.NewSecret(token)), user, time.Now().Add(life).Unix())
	if err == nil {
		fmt.Fprintln(out, token)
	}
	return err
}
