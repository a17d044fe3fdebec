package previewtest

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
)

// Permission asks what the user may do (protocol 2.6). A missing flag is false.
func (v *Viewer) Permission(ctx context.Context, fileID string) (preview.Permission, error) {
	return get(ctx, v, http.MethodGet, filePath(fileID, "permission"), nil, RuleUserType, func(o object) preview.Permission {
		p := preview.Permission{UserID: o.text("user_id", false)}
		for _, flag := range flags {
			*flag.field(&p) = o.flag(flag.name)
		}
		if (p.Update || p.Print) && slices.Contains([]string{"", "null", `""`}, string(o.fields["user_id"])) {
			o.broken(RuleUserID, "user_id", "is missing")
		}
		o.misnomers()
		return p
	})
}

// flags are those of protocol 2.6.
var flags = []struct {
	name  string
	field func(*preview.Permission) *bool
}{
	{"read", func(p *preview.Permission) *bool { return &p.Read }},
	{"update", func(p *preview.Permission) *bool { return &p.Update }},
	{"download", func(p *preview.Permission) *bool { return &p.Download }},
	{"rename", func(p *preview.Permission) *bool { return &p.Rename }},
	{"history", func(p *preview.Permission) *bool { return &p.History }},
	{"copy", func(p *preview.Permission) *bool { return &p.Copy }},
	{"print", func(p *preview.Permission) *bool { return &p.Print }},
	{"saveas", func(p *preview.Permission) *bool { return &p.SaveAs }},
	{"comment", func(p *preview.Permission) *bool { return &p.Comment }},
}

// misnomers notes flags under the names that they have elsewhere, which would
// otherwise be passed over, and the right be denied in silence.
func (o object) misnomers() {
	names := map[string]string{"write": "update", "edit": "update", "view": "read", "save_as": "saveas"}
	for _, flag := range flags {
		names[flag.name] = flag.name
	}
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		right := names[strings.ToLower(name)]
		if _, there := o.fields[right]; right != "" && !there {
			o.broken(RuleFlags, name, "is there, and "+right+" is not")
		}
	}
}

// Users asks for users.
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
