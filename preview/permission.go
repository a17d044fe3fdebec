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

// permissionAdvice is that of protocol 2.6 rules 5 to 8, and more.
var permissionAdvice = [...]struct {
	advice
	due func(c *call, p Permission) bool
}{
	{"read: 0 beside flags that are 1, which are of no use to somebody who cannot open the document: set Permission.Read", func(_ *call, p Permission) bool { return !p.Read && p != (Permission{UserID: p.UserID}) }},
	{"comment: 1 has no effect with read=1 and update=0 (protocol 2.6 rule 5): switch on comments in read-only mode in the console", func(_ *call, p Permission) bool { return p.Read && !p.Update && p.Comment }},
	{"comment: 0 has no effect with update=1 (protocol 2.6 rule 5): switch comments off in the console", func(_ *call, p Permission) bool { return p.Update && !p.Comment }},
	{"user_id: without it, export as image ends in 'permission denied' although read=1 and download=1 (protocol 2.6 rule 6): set Permission.UserID, or Config.Identify", func(_ *call, p Permission) bool { return p.Read && p.Download && p.UserID == "" }},
	{"download: export as image needs the users callback, and ends in 'permission denied' without it (protocol 2.6 rule 6): set Config.Users, and switch the callback on in the console", func(c *call, p Permission) bool {
		return p.Read && p.Download && (c.h.served|c.h.cfg.Elsewhere)&UsersCallback == 0
	}},
	{"copy: with 0, reading the document as HTML ends in 'permission denied' (protocol 2.6 rule 7): set Permission.Copy where your front end does so", func(_ *call, p Permission) bool { return p.Read && !p.Copy }},
	{"copy: with 0 the format painter does not work (protocol 2.6 rule 8): set Permission.Copy if editors should have it", func(_ *call, p Permission) bool { return p.Update && !p.Copy }},
	{"user_id: it is not the user that Config.Identify found: leave Permission.UserID empty, or let both name the same user", func(c *call, p Permission) bool { return c.req.UserID != "" && p.UserID != c.req.UserID }},
}

func (c *call) advisePermission(r *http.Request, p Permission) {
	for i := range permissionAdvice {
		if a := &permissionAdvice[i]; a.due(c, p) {
			c.advise(r, &a.advice, "")
		}
	}
}
