package desk

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// Session is a user who looks at a document of a gateway.
type Session struct {
	ID         string      `json:"id"`
	At         time.Time   `json:"at"`
	Gateway    string      `json:"gateway"`
	FileID     string      `json:"file_id"`
	User       string      `json:"user"`
	Signed     bool        `json:"signed"`
	AppID      string      `json:"app_id"`
	File       *File       `json:"file,omitempty"`
	Permission *Permission `json:"permission,omitempty"`
	Toolbar    []Button    `json:"toolbar,omitempty"`
	Steps      []Step      `json:"steps"`

	viewer  *previewtest.Viewer
	secrets []string
	content []byte // What was opened last.
	name    string // Of it.
}

func (s Session) size() int { return 5000 + len(s.content) }

// Step is something that the viewer did.
type Step struct {
	ID         string       `json:"id"`
	Session    string       `json:"session"`
	At         time.Time    `json:"at"`
	Kind       string       `json:"kind"` // open, history, version, rename or save
	OK         bool         `json:"ok"`
	Summary    string       `json:"summary"`
	Broken     []BrokenRule `json:"broken"`
	Exchanges  []Exchange   `json:"exchanges"`
	File       *File        `json:"file,omitempty"`
	Versions   []File       `json:"versions,omitempty"`
	Permission *Permission  `json:"permission,omitempty"`
	Took       float64      `json:"took"` // Milliseconds.
}

// File is what a gateway says of a document.
type File struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	Version      uint32     `json:"version"`
	Size         int64      `json:"size"`
	CreatedAt    *time.Time `json:"created_at,omitempty"`
	ModifiedAt   *time.Time `json:"modified_at,omitempty"`
	CreatorID    string     `json:"creator_id,omitempty"`
	ModifierID   string     `json:"modifier_id,omitempty"`
	ModifierName string     `json:"modifier_name,omitempty"`
}

func fileOf(f preview.File, names map[string]string) *File {
	if f.ID == "" && f.Version == 0 {
		return nil
	}
	shown := &File{ID: f.ID, Name: f.Name, Version: f.Version, Size: f.Size, CreatorID: f.CreatorID, ModifierID: f.ModifierID, ModifierName: names[f.ModifierID]}
	if !f.CreatedAt.IsZero() {
		at := f.CreatedAt.UTC()
		shown.CreatedAt = &at
	}
	if !f.ModifiedAt.IsZero() {
		at := f.ModifiedAt.UTC()
		shown.ModifiedAt = &at
	}
	return shown
}

// Permission is what the user may do.
type Permission struct {
	UserID   string `json:"user_id"`
	Read     bool   `json:"read"`
	Update   bool   `json:"update"`
	Download bool   `json:"download"`
	Rename   bool   `json:"rename"`
	History  bool   `json:"history"`
	Copy     bool   `json:"copy"`
	Print    bool   `json:"print"`
	SaveAs   bool   `json:"saveas"`
	Comment  bool   `json:"comment"`
}

// permissionIn reads the permission of an answer. What is not 1 is no.
func permissionIn(body []byte) *Permission {
	var answer struct {
		Data *struct {
			UserID   string `json:"user_id"`
			Read     int    `json:"read"`
			Update   int    `json:"update"`
			Download int    `json:"download"`
			Rename   int    `json:"rename"`
			History  int    `json:"history"`
			Copy     int    `json:"copy"`
			Print    int    `json:"print"`
			SaveAs   int    `json:"saveas"`
			Comment  int    `json:"comment"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Data == nil {
		return nil
	}
	d := answer.Data
	return &Permission{
		d.UserID, d.Read == 1, d.Update == 1, d.Download == 1, d.Rename == 1, d.History == 1,
		d.Copy == 1, d.Print == 1, d.SaveAs == 1, d.Comment == 1,
	}
}

// namesIn reads the names of users from an answer.
func namesIn(body []byte) map[string]string {
	var answer struct {
		Data []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"data"`
	}
	names := map[string]string{}
	if json.Unmarshal(body, &answer) == nil {
		for _, user := range answer.Data {
			names[user.ID] = user.Name
		}
	}
	return names
}

// Button is one of the viewer's toolbar.
type Button struct {
	Button string `json:"button"`
	Shown  bool   `json:"shown"`
	Why    string `json:"why"`
}

// toolbar is what the permission makes of the buttons (protocol 2.6).
func toolbar(p *Permission) []Button {
	if p == nil {
		return nil
	}
	flag := func(name string, is bool) string {
		return "The permission has " + name + "=" + choice(is, "1", "0") + "."
	}
	return []Button{
		{"read", p.Read, flag("read", p.Read)},
		{"edit", p.Update, flag("update", p.Update)},
		{"download", p.Download, flag("download", p.Download)},
		{"rename", p.Rename, flag("rename", p.Rename)},
		{"history", p.History, flag("history", p.History) + " A setting of the console can hide the entry, too."},
		{"copy", p.Copy, flag("copy", p.Copy) + " It is also needed to read the document as HTML, and for the format painter."},
		{"print", p.Print, flag("print", p.Print)},
		{"saveas", false, flag("saveas", p.SaveAs) + " The viewer has no entry for it."},
		{"comment", p.Update, flag("comment", p.Comment) + " Comments follow update, unless the console says otherwise."},
	}
}

// broken takes an error of the fakes apart.
func broken(err error) []BrokenRule {
	all := []BrokenRule{}
	for _, e := range flatten(err) {
		var viewer *previewtest.AnswerError
		var plugin *tokentest.AnswerError
		switch {
		case errors.As(e, &viewer):
			detail := viewer.Detail
			if viewer.Rule == "" {
				detail = "refused: HTTP " + statusLine(viewer.StatusCode)
			}
			all = append(all, BrokenRule{viewer.Call, viewer.Rule, viewer.Field, detail, viewer.StatusCode, viewer.Code, viewer.Message})
		case errors.As(e, &plugin):
			all = append(all, BrokenRule{
				Call: "POST " + token.Path, Rule: plugin.Rule, Detail: choice(plugin.Rule == "", "refused: HTTP ", "HTTP ") + statusLine(plugin.StatusCode),
				Status: plugin.StatusCode, Code: plugin.Code, Message: plugin.Message,
			})
		default:
			all = append(all, BrokenRule{Detail: plainError(e)})
		}
	}
	return all
}

// flatten gives the errors that are joined in err.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	return []error{err}
}

// plainError is an error without the URL that net/http puts before it.
func plainError(err error) string {
	var failed interface {
		error
		Timeout() bool
	}
	if errors.As(err, &failed) && failed.Timeout() {
		return "no answer in time"
	}
	return err.Error()
}
