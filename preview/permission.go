package preview

import (
	"errors"
	"net/http"
	"unicode/utf8"
)

// check checks p against protocol 2.6 rules 1 to 4, if served are the callbacks that
// there are, here or elsewhere.
func (p *Permission) check(served Callbacks) error {
	const identify = ": set Permission.UserID, or Config.Identify"
	const elsewhere, switchOn = ", or Elsewhere", ", and switch the callback on in the console"
	noUser, noUsers := p.UserID == "", served&UsersCallback == 0
	return errors.Join(
		when(p.Update && noUser, "user_id", "protocol 2.6 rule 1: returned when update is 1"+identify, ""),
		when(p.Update && noUsers, "update", "protocol 2.6 rule 1: needs the users callback: set Config.Users"+elsewhere+switchOn, "1"),
		when(p.Update && served&SaveCallback == 0, "update", "protocol 2.6 rule 1: needs the save callbacks: set Config.Saver"+elsewhere+switchOn, "1"),
		when(p.Print && noUser, "user_id", "protocol 2.6 rule 2: returned when print is 1"+identify, ""),
		when(p.Print && noUsers, "print", "protocol 2.6 rule 2: needs the users callback: set Config.Users"+elsewhere+switchOn, "1"),
		when(p.Rename && served&RenameCallback == 0, "rename", "protocol 2.6 rule 3: needs the rename callback: set Config.Renamer"+elsewhere, "1"),
		when(p.History && served&HistoryCallback == 0, "history", "protocol 2.6 rule 4: needs the history callbacks: set Config.History"+elsewhere+" (the console, or HeaderHistoryMenuBtn of the command bar, only hides the entry)", "1"),
		when(!utf8.ValidString(p.UserID), "user_id", notUTF8, p.UserID),
	)
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
