package previewtest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// Permission asks what the user may do (protocol 2.6). A missing flag is false.
func (v *Viewer) Permission(ctx context.Context, fileID string) (preview.Permission, error) {
	return get(ctx, v, http.MethodGet, filePath(fileID, "permission"), nil, RuleUserType, func(o object) preview.Permission {
		p := preview.Permission{
			UserID:   o.text("user_id", false),
			Read:     o.flag("read"),
			Update:   o.flag("update"),
			Download: o.flag("download"),
			Rename:   o.flag("rename"),
			History:  o.flag("history"),
			Copy:     o.flag("copy"),
			Print:    o.flag("print"),
			SaveAs:   o.flag("saveas"),
			Comment:  o.flag("comment"),
		}
		if (p.Update || p.Print) && slices.Contains([]string{"", "null", `""`}, string(o.fields["user_id"])) {
			o.broken(RuleUserID, "user_id", "is missing")
		}
		o.misnomers()
		return p
	})
}

// misnomers notes flags under the names that they have elsewhere, which would
// otherwise be passed over, and the right be denied in silence.
func (o object) misnomers() {
	names := map[string]string{"write": "update", "edit": "update", "view": "read", "save_as": "saveas"}
	for _, flag := range []string{"read", "update", "download", "rename", "history", "copy", "print", "saveas", "comment"} {
		names[flag] = flag
	}
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		right := names[strings.ToLower(name)]
		if _, there := o.fields[right]; right != "" && !there {
			o.broken(RuleFlags, name, "is there, and "+right+" is not")
		}
	}
}
