package previewtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// userRules are about UserStore.Users.
var userRules = []rule{
	userRule("users-permitted", "Users finds the user of each Permission (protocol 2.6 rule 6)", usersPermitted),
	userRule("users-found", "Users gives those that exist of several ids (public reference 4)", usersFound),
	fieldRule("users-asked", "Users gives only users whose id was asked for, and each user once (public reference 4)", askUsers, "id"),
	fieldRule("users-fields", "a User has a Name, in UTF-8, and its AvatarURL is empty or https (public reference 4)", askUsers, "name", "avatar_url"),
	userRule("users-none", "Users of unknown ids gives an empty list, and is not an error (public reference 4)", func(ctx context.Context, s *subject) error {
		users, err := s.users(ctx, s.Existing[0], "nobody"+strings.ToLower(rand.Text()))
		if len(users) > 0 {
			return fmt.Errorf("it gives %q", users[0].ID)
		}
		return err
	}),
}

func userRule(name, explain string, check func(ctx context.Context, s *subject) error) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		if err := s.has("Users", s.Config.Users != nil); err != nil {
			return err
		}
		return check(ctx, s)
	}}
}

// users asks as the user of r, without a file.
func (s *subject) users(ctx context.Context, r preview.Request, ids ...string) ([]preview.User, error) {
	if len(ids) == 0 {
		return nil, errors.New("no user is known")
	}
	r.FileID = ""
	return ask(ctx, &document{s: s, r: r}, func(ctx context.Context, r preview.Request) ([]preview.User, error) {
		return s.Config.Users.Users(ctx, r, ids)
	})
}

// someUsers gives the ids of users that there are.
func (s *subject) someUsers(ctx context.Context) []string {
	ids := slices.Clone(s.UserIDs)
	for _, d := range s.docs {
		if p, err := d.Permission(ctx); err == nil && p.UserID != "" && !slices.Contains(ids, p.UserID) {
			ids = append(ids, p.UserID)
		}
	}
	return ids
}

func hasUser(users []preview.User, id string) bool {
	return slices.ContainsFunc(users, func(u preview.User) bool { return u.ID == id })
}

func usersPermitted(ctx context.Context, s *subject) error {
	return s.each(func(d *document) error {
		p, err := d.Permission(ctx)
		if err != nil || p.UserID == "" {
			return nil // another rule reports it
		}
		users, err := s.users(ctx, d.r, p.UserID)
		if err == nil && !hasUser(users, p.UserID) {
			return fmt.Errorf("there is no user %q", p.UserID)
		}
		return err
	})
}

func usersFound(ctx context.Context, s *subject) error {
	if len(s.UserIDs) == 0 {
		return skipped("the fixture has no UserIDs")
	}
	users, err := s.users(ctx, s.Existing[0], s.UserIDs...)
	if err != nil {
		return err
	}
	for _, id := range s.UserIDs {
		if !hasUser(users, id) {
			return fmt.Errorf("there is no user %q", id)
		}
	}
	return nil
}
