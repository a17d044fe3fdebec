package preview

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// users answers the lookup of users (public reference 4). Its data is a bare
// array.
func (c *call) users(r *http.Request) error {
	ids, asked, err := userIDs(r.URL.RawQuery)
	if err != nil {
		return err
	}
	users, err := c.h.cfg.Users.Users(r.Context(), c.req, ids)
	if err != nil {
		return err
	}
	if err := checkUsers(users, asked); err != nil {
		return err
	}
	c.out = append(appendList(append(c.out, success...), users, appendUser), '}')
	return nil
}

// userIDs reads the repeated parameter user_ids, each id once, as a list and as a set. Empty
// ones are ignored.
func userIDs(query string) (ids []string, asked map[string]bool, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, nil, invalid("the query cannot be read")
	}
	asked = make(map[string]bool)
	for _, id := range values["user_ids"] {
		if id == "" || asked[id] {
			continue
		}
		asked[id] = true
		ids = append(ids, id)
		if !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			return nil, nil, invalid("one of user_ids is not text")
		}
	}
	if len(ids) == 0 {
		return nil, nil, invalid("user_ids is missing (public reference 4)")
	}
	return ids, asked, nil
}

// checkUsers checks that users are some of those who were asked for, each once.
func checkUsers(users []User, asked map[string]bool) error {
	for i := range users {
		u := &users[i]
		err := u.check()
		if open, known := asked[u.ID]; err == nil && !open {
			err = broken("id", map[bool]string{true: ofUser + ": each user once", false: ofUser + ": one of user_ids"}[known], u.ID)
		}
		if err != nil {
			return within(i, err)
		}
		asked[u.ID] = false
	}
	return nil
}

const ofUser = "public reference 4"

// check checks u against public reference 4.
func (u *User) check() error {
	err := errors.Join(checkText("id", ofUser, u.ID), checkText("name", ofUser, u.Name))
	if err != nil || u.AvatarURL == "" {
		return err
	}
	const rule = ofUser + ": absolute https address"
	address, err := checkURL("avatar_url", rule, u.AvatarURL)
	if err == nil && address.Scheme != "https" {
		err = broken("avatar_url", rule, redact.URL(u.AvatarURL))
	}
	return err
}
