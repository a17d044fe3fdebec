package preview

import (
	"net/http"
	"unicode/utf8"
)

// check checks p against protocol 2.6 rules 1 to 4, if served are the callbacks that
// there are, here or elsewhere.
func (p *Permission) check(served Callbacks) error {
	var rules brokenRules
	for _, rule := range [...]struct {
		set         bool
		field, rule string
		holds       bool
	}{
		{p.Update, "user_id", "protocol 2.6 rule 1: returned when update is 1: set Permission.UserID, or Config.Identify", p.UserID != ""},
		{p.Update, "update", "protocol 2.6 rule 1: needs the users callback: set Config.Users, or Elsewhere, and switch the callback on in the console", served&UsersCallback != 0},
		{p.Update, "update", "protocol 2.6 rule 1: needs the save callbacks: set Config.Saver, or Elsewhere, and switch the callback on in the console", served&SaveCallback != 0},
		{p.Print, "user_id", "protocol 2.6 rule 2: returned when print is 1: set Permission.UserID, or Config.Identify", p.UserID != ""},
		{p.Print, "print", "protocol 2.6 rule 2: needs the users callback: set Config.Users, or Elsewhere, and switch the callback on in the console", served&UsersCallback != 0},
		{p.Rename, "rename", "protocol 2.6 rule 3: needs the rename callback: set Config.Renamer, or Elsewhere", served&RenameCallback != 0},
		{p.History, "history", "protocol 2.6 rule 4: needs the history callbacks: set Config.History, or Elsewhere (the console, or HeaderHistoryMenuBtn of the command bar, only hides the entry)", served&HistoryCallback != 0},
	} {
		if rule.set && !rule.holds {
			value := "1"
			if rule.field == "user_id" {
				value = ""
			}
			rules.add(broken(rule.field, rule.rule, value))
		}
	}
	if !utf8.ValidString(p.UserID) {
		rules.add(broken("user_id", notUTF8, p.UserID))
	}
	return rules.err()
}

// advisePermission gives the advice of protocol 2.6 rules 5 to 8, and more.
func (c *call) advisePermission(r *http.Request, p *Permission) {
	users := (c.h.served|c.h.cfg.Elsewhere)&UsersCallback != 0
	for _, a := range [...]struct {
		advice advice
		due    bool
	}{
		{adviceWithoutRead, !p.Read && *p != Permission{UserID: p.UserID}},
		{adviceCommentRead, p.Read && !p.Update && p.Comment},
		{adviceCommentUpdate, p.Update && !p.Comment},
		{adviceExportUser, p.Read && p.Download && p.UserID == ""},
		{adviceExportUsers, p.Read && p.Download && !users},
		{adviceHTML, p.Read && !p.Copy},
		{advicePainter, p.Update && !p.Copy},
		{adviceOtherUser, c.req.UserID != "" && p.UserID != c.req.UserID},
	} {
		if a.due {
			c.advise(r, a.advice, "")
		}
	}
}
