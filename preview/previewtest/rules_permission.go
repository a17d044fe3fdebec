package previewtest

import (
	"context"
	"errors"

	"github.com/weboffice-go/weboffice/preview"
)

// permissionRules are about Store.Permission.
func permissionRules() []rule {
	return []rule{
		{"permission-answered", "Permission answers for each document that there is (protocol 4.2)", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error {
				if d.identified(ctx) != nil {
					return nil
				}
				_, err := d.Permission(ctx)
				return err
			})
		}},
		permissionRule("permission-user", "Permission.UserID, or what Identify found, is there with Update and with Print (protocol 2.6 rules 1 and 2)",
			func(_ *subject, p preview.Permission) error {
				if p.UserID == "" && (p.Update || p.Print) {
					return errors.New("UserID is empty")
				}
				return nil
			}),
		permissionRule("permission-update", "with Update there are the callbacks of users and of saving (protocol 2.6 rule 1)",
			func(s *subject, p preview.Permission) error {
				if p.Update && !(s.serves(preview.UsersCallback) && s.serves(preview.SaveCallback)) {
					return errors.New("Update is set: give Config.Users and Config.Saver, or name them in Config.Elsewhere")
				}
				return nil
			}),
		permissionRule("permission-print", "with Print there is the callback of users (protocol 2.6 rule 2)",
			func(s *subject, p preview.Permission) error {
				if p.Print && !s.serves(preview.UsersCallback) {
					return errors.New("Print is set: give Config.Users, or name it in Config.Elsewhere")
				}
				return nil
			}),
		permissionRule("permission-rename", "with Rename there is the callback of renaming (protocol 2.6 rule 3)",
			func(s *subject, p preview.Permission) error {
				if p.Rename && !s.serves(preview.RenameCallback) {
					return errors.New("Rename is set: give Config.Renamer, or name it in Config.Elsewhere")
				}
				return nil
			}),
		permissionRule("permission-history", "with History there are the callbacks of history (protocol 2.6 rule 4)",
			func(s *subject, p preview.Permission) error {
				if p.History && !s.serves(preview.HistoryCallback) {
					return errors.New("History is set: give Config.History, or name it in Config.Elsewhere")
				}
				return nil
			}),
	}
}

// permissionRule looks at what Permission gave.
func permissionRule(name, explain string, check func(s *subject, p preview.Permission) error) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		return s.each(func(d *document) error {
			if p, err := d.Permission(ctx); err == nil {
				return check(s, p)
			}
			return nil
		})
	}}
}

// serves reports whether a callback is there, or elsewhere.
func (s *subject) serves(c preview.Callbacks) bool {
	here := map[preview.Callbacks]bool{
		preview.UsersCallback:   s.Config.Users != nil,
		preview.SaveCallback:    s.Config.Saver != nil,
		preview.RenameCallback:  s.Config.Renamer != nil,
		preview.HistoryCallback: s.Config.History != nil,
	}
	return here[c] || s.Config.Elsewhere&c != 0
}
