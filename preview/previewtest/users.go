package previewtest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
)

// Users asks for the users with these ids.
func (v *Viewer) Users(ctx context.Context, userIDs ...string) ([]preview.User, error) {
	var query url.Values
	if len(userIDs) > 0 {
		query = url.Values{"user_ids": userIDs}
	}
	a, err := v.ask(ctx, http.MethodGet, preview.PathPrefix+"users", query, nil)
	if err != nil {
		return nil, err
	}
	var users []preview.User
	seen := map[string]bool{}
	for i, raw := range a.list(RuleUsersList) {
		o, ok := a.item(i, raw, RuleUserFields, RuleUserFields)
		if !ok {
			continue
		}
		u := o.user()
		switch {
		case u.ID == "": // noted as a field that is missing
		case !slices.Contains(userIDs, u.ID):
			o.broken(RuleUsersAsked, "id", "is "+strconv.Quote(shown(u.ID))+", whom nobody asked for")
		case seen[u.ID]:
			o.broken(RuleUsersAsked, "id", "is "+strconv.Quote(shown(u.ID))+", as before")
		}
		seen[u.ID] = true
		users = append(users, u)
	}
	return users, a.err()
}

func (o object) user() preview.User {
	u := preview.User{ID: o.text("id", true), Name: o.text("name", true)}
	o.kind = RuleUserAvatar
	u.AvatarURL = o.text("avatar_url", false)
	if u.AvatarURL != "" && !(absolute(u.AvatarURL) && strings.HasPrefix(u.AvatarURL, "https:")) {
		o.broken(RuleUserAvatar, "avatar_url", "is "+strconv.Quote(shown(redact.URL(u.AvatarURL))))
	}
	return u
}
