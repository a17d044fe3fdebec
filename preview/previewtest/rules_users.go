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
func userRules() []rule {
	return []rule{
		userRule("users-permitted", "Users finds the user of each Permission (protocol 2.6 rule 6)", usersPermitted),
		userRule("users-found", "Users gives those that exist of several ids (public reference 4)", usersFound),
		userRule("users-asked", "Users gives nobody whose id was not asked for, and each user once (public reference 4)", usersAsked),
		userRule("users-fields", "a User has a Name, in UTF-8, and its AvatarURL is empty or https (public reference 4)", usersFields),
		userRule("users-none", "Users of ids that nobody has gives nobody, and is no error (public reference 4)", func(ctx context.Context, s *subject) error {
			users, err := s.users(ctx, s.Existing[0], "nobody"+strings.ToLower(rand.Text()))
			if len(users) > 0 {
				return fmt.Errorf("it gives %q", users[0].ID)
			}
			return err
		}),
	}
}

func userRule(name, explain string, check func(ctx context.Context, s *subject) error) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		if s.Config.Users == nil {
			return skipped("there is no Users")
		}
		return check(ctx, s)
	}}
}

// users asks as the user of r, without a file.
func (s *subject) users(ctx context.Context, r preview.Request, ids ...string) (users []preview.User, err error) {
	if len(ids) == 0 {
		return nil, errors.New("no user is known")
	}
	r.FileID = ""
	err = s.with(ctx, r, func(ctx context.Context, r preview.Request) error {
		users, err = s.Config.Users.Users(ctx, r, ids)
		return err
	})
	return users, err
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
			return nil // Another rule says it.
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

func usersAsked(ctx context.Context, s *subject) error {
	ids := s.someUsers(ctx)
	users, err := s.users(ctx, s.Existing[0], ids...)
	if err != nil {
		return nil // Other rules say it.
	}
	for i, u := range users {
		if !slices.Contains(ids, u.ID) {
			return fmt.Errorf("nobody asked for user %q", u.ID)
		}
		if hasUser(users[:i], u.ID) {
			return fmt.Errorf("user %q is there twice", u.ID)
		}
	}
	return nil
}

func usersFields(ctx context.Context, s *subject) error {
	users, err := s.users(ctx, s.Existing[0], s.someUsers(ctx)...)
	if err != nil {
		return nil // Other rules say it.
	}
	for _, u := range users {
		if !isText(u.Name) {
			return fmt.Errorf("the Name of user %q is %q", u.ID, u.Name)
		}
		if u.AvatarURL != "" && !(absolute(u.AvatarURL) && strings.HasPrefix(u.AvatarURL, "https:")) {
			return fmt.Errorf("the AvatarURL of user %q is something else", u.ID)
		}
	}
	return nil
}
