package preview

import (
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
	ids, err := userIDs(r.URL.RawQuery)
	if err != nil {
		return err
	}
	users, err := c.h.cfg.Users.Users(r.Context(), c.req, ids)
	if err != nil {
		return err
	}
	if err := checkUsers(users, ids); err != nil {
		return err
	}
	c.out = append(appendList(append(c.out, success...), users, appendUser), '}')
	return nil
}

// userIDs reads the repeated parameter user_ids, each id once. An empty one asks
// for nobody, and takes nothing from the others.
func userIDs(query string) ([]string, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, invalid("the query cannot be read")
	}
	var ids []string
	seen := make(map[string]bool)
	for _, id := range values["user_ids"] {
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		ids = append(ids, id)
		if !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			return nil, invalid("one of user_ids is not text")
		}
	}
	if len(ids) == 0 {
		return nil, invalid("user_ids is missing (public reference 4)")
	}
	return ids, nil
}

// checkUsers checks that users are some of ids, each once.
func checkUsers(users []User, ids []string) error {
	const open, answered = 1, 2
	asked := make(map[string]int, len(ids))
	for _, id := range ids {
		asked[id] = open
	}
	for i := range users {
		u := &users[i]
		if err := u.check(); err != nil {
			return within(i, err)
		}
		switch asked[u.ID] {
		case open:
			asked[u.ID] = answered
		case answered:
			return within(i, broken("id", ofUser+": each user once", u.ID))
		default:
			return within(i, broken("id", ofUser+": one of user_ids", u.ID))
		}
	}
	return nil
}

const ofUser = "public reference 4"

// check checks u against public reference 4.
func (u *User) check() error {
	if err := checkText("id", ofUser, u.ID); err != nil {
		return err
	}
	if err := checkText("name", ofUser, u.Name); err != nil {
		return err
	}
	if u.AvatarURL == "" {
		return nil
	}
	const rule = ofUser + ": absolute https address"
	address, err := checkURL("avatar_url", rule, u.AvatarURL)
	if err == nil && address.Scheme != "https" {
		err = broken("avatar_url", rule, redact.URL(u.AvatarURL))
	}
	return err
}
