package previewtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// userRules are about UserStore.Users.
var userRules = []rule{
	userRule("users-permitted", "Users finds the user of each Permission (protocol 2.6 rule 6)", func(ctx context.Context, d *document) error {
		p, err := d.Permission(ctx)
		if err != nil || p.UserID == "" {
			return nil // another rule reports it
		}
		return d.finds(ctx, p.UserID)
	}),
	userRule("users-found", "Users gives those that exist of several ids (public reference 4)", func(ctx context.Context, d *document) error {
		if len(d.s.UserIDs) == 0 {
			return skipped("the fixture has no UserIDs")
		}
		return d.finds(ctx, d.s.UserIDs...)
	}),
	fieldRule("users-asked", "Users gives only users whose id was asked for, and each user once (public reference 4)", askUsers, "id"),
	fieldRule("users-fields", "a User has a Name, in UTF-8, and its AvatarURL is empty or https (public reference 4)", askUsers, "name", "avatar_url"),
	userRule("users-none", "Users of unknown ids gives an empty list, and is not an error (public reference 4)", func(ctx context.Context, d *document) error {
		users, err := d.v.Users(ctx, "nobody"+strings.ToLower(rand.Text()))
		if len(users) > 0 {
			return fmt.Errorf("it gives %q", users[0].ID)
		}
		return err
	}),
}

func userRule(name, explain string, check asking) rule {
	return documentRule(name, explain, func(ctx context.Context, d *document) error {
		if err := d.s.has("Users", d.s.Config.Users != nil); err != nil {
			return err
		}
		if _, err := d.identified(ctx); err != nil {
			return nil // another rule reports it
		}
		return check(ctx, d)
	})
}

// askUsers asks for the users that are known to exist.
func askUsers(ctx context.Context, d *document) error {
	p, _ := d.Permission(ctx)
	ids := append(slices.Clone(d.s.UserIDs), p.UserID)
	return cmp.Or(d.s.has("Users", d.s.Config.Users != nil), failure(d.v.Users(ctx, ids...)))
}

// finds reports users that are not found.
func (d *document) finds(ctx context.Context, ids ...string) error {
	users, err := d.v.Users(ctx, ids...)
	if err != nil {
		return other(err)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(users, func(u preview.User) bool { return u.ID == id }) {
			return fmt.Errorf("there is no user %q", id)
		}
	}
	return nil
}
