package s3test_test

import (
	"context"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

func TestMain(m *testing.M) { s3test.Main(m) }

// ann edits, rob reads, eve may not even read.
func allow(ctx context.Context, r preview.Request) (preview.Permission, error) {
	switch r.UserID {
	case "ann":
		return previews3.Edit(ctx, r)
	case "rob":
		return previews3.ReadOnly(ctx, r)
	}
	return preview.Permission{}, nil
}

func identify(_ context.Context, r preview.Request) (string, error) {
	switch token := r.WebOfficeToken.Reveal(); token {
	case "ann", "rob", "eve":
		return token, nil
	}
	return "", preview.ErrUnauthorized
}

type people map[string]string

func (p people) Users(_ context.Context, _ preview.Request, ids []string) (users []preview.User, err error) {
	for _, id := range ids {
		if p[id] != "" {
			users = append(users, preview.User{ID: id, Name: p[id]})
		}
	}
	return users, nil
}

func config(s *previews3.Store) preview.Config {
	return preview.Config{Store: s, Users: s, Saver: s, Renamer: s, History: s, Identify: identify, Auth: signing.Unsigned}
}

func TestRun(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(t *testing.T) previewtest.Fixture {
		t.Helper()
		s := s3test.NewBucket(t).NewStore(t, func(cfg *previews3.Config) {
			cfg.Allow, cfg.Users = allow, people{"ann": "Ann", "rob": "Rob"}
		})
		s3test.Fill(t, s)
		if err := s.Create(t.Context(), previews3.Document{ID: "budget", Name: "Budget 预算.xlsx", Version: 7, Body: strings.NewReader("1+1")}); err != nil {
			t.Fatal(err)
		}
		as := func(fileID, token string) preview.Request {
			return preview.Request{FileID: fileID, WebOfficeToken: signing.NewSecret(token)}
		}
		return previewtest.Fixture{
			Config:   config(s),
			Existing: []preview.Request{as("plan", "ann"), as("plan", "rob"), as("budget", "ann")},
			Missing:  as("nothing", "ann"), Denied: as("plan", "eve"), NoUser: as("plan", "nobody"),
			UserIDs: []string{"ann", "rob"},
		}
	})
}
