package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // The driver "sqlite", which needs no C compiler.

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

//go:embed schema.sql
var schema string

// store keeps what there is to know about documents in a database, and their bytes in a
// bucket.
type store struct {
	db     *sql.DB
	bucket bucket
}

// openDatabase opens or makes a database. A save that was acknowledged survives a loss of
// power; writers of other processes are waited for.
func openDatabase(ctx context.Context, file string) (*sql.DB, error) {
	settings := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "foreign_keys(1)"}}
	path := filepath.ToSlash(file)
	if filepath.VolumeName(file) != "" { // C:
		path = "/" + path
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+settings.Encode())
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("the database %s: %w", file, err), db.Close())
	}
	return db, nil
}

func tokenHash(token signing.Secret) string {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return hex.EncodeToString(sum[:])
}

// identify finds the user of a token.
func (s *store) identify(ctx context.Context, r preview.Request) (user string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT user_id FROM sessions WHERE token_sha256 = ? AND expires > ?`,
		tokenHash(r.WebOfficeToken), time.Now().Unix()).Scan(&user)
	if errors.Is(err, sql.ErrNoRows) {
		return "", preview.ErrUnauthorized
	}
	return user, err
}

// permission is what the user may do with a document, which is ErrNotFound if there is
// none.
func (s *store) permission(ctx context.Context, r preview.Request) (read, edit bool, err error) {
	var granted sql.NullBool
	err = s.db.QueryRowContext(ctx, `SELECT may_edit FROM documents LEFT JOIN grants ON document = id AND user_id = ? WHERE id = ?`,
		r.UserID, r.FileID).Scan(&granted)
	if errors.Is(err, sql.ErrNoRows) {
		err = preview.ErrNotFound
	}
	return granted.Valid, granted.Bool, err
}

// allow is ErrForbidden unless the user may read, or edit.
func (s *store) allow(ctx context.Context, r preview.Request, edit bool) error {
	mayRead, mayEdit, err := s.permission(ctx, r)
	if err == nil && (!mayRead || edit && !mayEdit) {
		err = preview.ErrForbidden
	}
	return err
}

// Permission implements [preview.Store].
func (s *store) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	read, edit, err := s.permission(ctx, r)
	return preview.Permission{
		Read: read, Download: read, Print: read, Copy: read, History: read,
		Update: edit, Rename: edit, Comment: edit,
	}, err
}

// File implements [preview.Store].
func (s *store) File(ctx context.Context, r preview.Request) (preview.File, error) {
	return first(s.Versions(ctx, r, preview.Page{Limit: 1}))
}

// Download implements [preview.Store].
func (s *store) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	f, err := s.File(ctx, r)
	if err != nil {
		return preview.Download{}, err
	}
	return s.DownloadVersion(ctx, r, f.Version)
}

// Versions implements [preview.HistoryStore].
func (s *store) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	if err := s.allow(ctx, r, false); err != nil {
		return nil, err
	}
	return s.files(ctx, selectFiles+`WHERE document = ? ORDER BY version DESC LIMIT ? OFFSET ?`, r.FileID, cmp.Or(p.Limit, math.MaxInt32), p.Offset)
}

// Version implements [preview.HistoryStore].
func (s *store) Version(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	if err := s.allow(ctx, r, false); err != nil {
		return preview.File{}, err
	}
	return first(s.files(ctx, selectFiles+`WHERE document = ? AND version = ?`, r.FileID, version))
}

// DownloadVersion implements [preview.HistoryStore].
func (s *store) DownloadVersion(ctx context.Context, r preview.Request, version uint32) (preview.Download, error) {
	if err := s.allow(ctx, r, false); err != nil {
		return preview.Download{}, err
	}
	var object, sum string
	err := s.db.QueryRowContext(ctx, `SELECT object, md5 FROM versions WHERE document = ? AND version = ?`, r.FileID, version).Scan(&object, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		err = preview.ErrVersionNotFound
	}
	if err != nil {
		return preview.Download{}, err
	}
	d, err := s.bucket.download(ctx, object)
	if sum != "" {
		d.Digest = preview.Digest{Type: preview.MD5, Hex: sum}
	}
	return d, err
}

// selectFiles begins a query for files. All versions have the name that the document has now.
const selectFiles = `SELECT name, version, size, created, modified, creator, modifier FROM versions JOIN documents ON document = id `

// files reads what a query finds.
func (s *store) files(ctx context.Context, query string, args ...any) (files []preview.File, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var f preview.File
		var created, modified int64
		if err := rows.Scan(&f.Name, &f.Version, &f.Size, &created, &modified, &f.CreatorID, &f.ModifierID); err != nil {
			return nil, err
		}
		f.CreatedAt, f.ModifiedAt = time.Unix(created, 0), time.Unix(modified, 0)
		files = append(files, f)
	}
	return files, rows.Err()
}

// first is the one version that was asked for.
func first(files []preview.File, err error) (preview.File, error) {
	if err == nil && len(files) == 0 {
		err = preview.ErrVersionNotFound
	}
	if err != nil {
		return preview.File{}, err
	}
	return files[0], nil
}

// Rename implements [preview.Renamer]. Several documents may have one name.
func (s *store) Rename(ctx context.Context, r preview.Request, name string) error {
	if err := s.allow(ctx, r, true); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `UPDATE documents SET name = ? WHERE id = ?`, name, r.FileID)
	return err
}

// Users implements [preview.UserStore].
func (s *store) Users(ctx context.Context, _ preview.Request, ids []string) (users []preview.User, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id, name FROM users WHERE id IN (SELECT value FROM json_each(?))`, string(list))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var u preview.User
		if err := rows.Scan(&u.ID, &u.Name); err != nil {
			return nil, err
		}
		users = append(users, u)
	}
	return users, rows.Err()
}
