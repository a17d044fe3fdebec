package previewtest

import (
	"context"
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
	seen := map[string]bool{}
	path := preview.PathPrefix + "users"
	users, a, err := getList(ctx, v, path, query, RuleUsersList, RuleUserFields, RuleUserFields, func(o object) preview.User {
		u := preview.User{ID: o.text("id", true), Name: o.text("name", true)}
		switch {
		case u.ID == "": // noted as a field that is missing
		case !slices.Contains(userIDs, u.ID):
			o.broken(RuleUsersAsked, "id", "is "+strconv.Quote(shown(u.ID))+", whom nobody asked for")
		case seen[u.ID]:
			o.broken(RuleUsersAsked, "id", "is "+strconv.Quote(shown(u.ID))+", as before")
		}
		seen[u.ID] = true
		o.kind = RuleUserAvatar
		u.AvatarURL = o.text("avatar_url", false)
		if u.AvatarURL != "" && !(absolute(u.AvatarURL) && strings.HasPrefix(u.AvatarURL, "https:")) {
			o.broken(RuleUserAvatar, "avatar_url", "is "+strconv.Quote(shown(redact.URL(u.AvatarURL))))
		}
		return u
	})
	if err != nil {
		return nil, err
	}
	return users, a.err()
}
