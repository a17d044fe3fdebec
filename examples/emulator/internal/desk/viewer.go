package desk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// viewer plays the online viewer for the gateways of integrators.
type viewer struct {
	desk     *Desk
	sessions *ring[Session]
	steps    atomic.Int64 // Counted for their ids.
}

func newViewer(d *Desk) *viewer {
	v := &viewer{desk: d, sessions: newRing[Session]("s", maxSessions)}
	v.sessions.bytes, v.sessions.size = maxSessionBytes, Session.size
	return v
}

// newSession is what a session is made of.
type newSession struct {
	Gateway   string `json:"gateway"`
	FileID    string `json:"file_id"`
	User      string `json:"user"`
	Token     string `json:"token"`
	UserQuery string `json:"user_query"`
	AppID     string `json:"app_id"`
	Unsigned  bool   `json:"unsigned"`
}

// add begins a session. Nothing is called yet.
func (v *viewer) add(n newSession) (Session, error) {
	d := v.desk
	if safeURL(n.Gateway) == "" {
		return Session{}, problem{"gateway", "gateway must be an absolute http or https URL"}
	}
	if n.FileID == "" {
		return Session{}, problem{"file_id", "file_id is required"}
	}
	query, err := url.ParseQuery(n.UserQuery)
	if err != nil {
		return Session{}, problem{"user_query", "user_query must be a query such as a=1&b=2"}
	}
	app, err := d.app(n.AppID)
	if err != nil {
		return Session{}, err
	}
	cfg := previewtest.ViewerConfig{
		BaseURL: n.Gateway, WebOfficeToken: signing.NewSecret(n.Token), UserQuery: query, HTTPClient: d.client(areaViewer),
		Now: func() time.Time { return d.clock.dateNow().Add(d.faults.skew(areaViewer)) },
	}
	if !n.Unsigned {
		cfg.Credentials = d.credentials(app)
	}
	player, err := previewtest.NewViewer(cfg)
	if err != nil {
		return Session{}, problem{"gateway", strings.ReplaceAll(err.Error(), "previewtest: ", "")}
	}
	s := v.sessions.add(func(id string) Session {
		return Session{
			ID: id, At: d.clock.now().UTC(), Gateway: n.Gateway, FileID: n.FileID, User: cut(cmp.Or(n.User, nameOf(n.Token)), 100),
			Signed: !n.Unsigned, AppID: app.ID, Steps: []Step{}, viewer: player, secrets: []string{n.Token},
		}
	})
	d.journal.add(Event{Kind: kindSession, Area: areaViewer, Ref: s.ID, Text: s.User + " " + s.FileID})
	return s, nil
}

// nameOf is a name for the user of a token, which does not show it.
func nameOf(token string) string {
	if token == "" {
		return "nobody"
	}
	sum := sha256.Sum256([]byte(token))
	return "user " + hex.EncodeToString(sum[:2])
}

// play runs a step and keeps how it went.
func (v *viewer) play(ctx context.Context, s Session, kind string, run func(ctx context.Context, step *Step, t *trace) error) (Step, error) {
	d := v.desk
	if s.viewer == nil {
		return Step{}, notFound("session, since the emulator was started again")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	t := &trace{session: s.ID, secrets: s.secrets}
	step := Step{ID: "st" + strconv.FormatInt(v.steps.Add(1), 10), Session: s.ID, At: d.clock.now().UTC(), Kind: kind, Exchanges: []Exchange{}}
	started := d.cfg.Now()
	err := run(withTrace(ctx, t), &step, t)
	step.Took = milliseconds(d.cfg.Now().Sub(started))
	step.OK, step.Broken = err == nil, broken(err)
	for _, id := range t.ids() {
		if x, ok := d.exchanges.get(id); ok {
			step.Exchanges = append(step.Exchanges, v.blame(x, step.Broken))
		}
	}
	if err != nil {
		step.Summary = summaryOf(step)
	}
	v.sessions.change(s.ID, func(s *Session) {
		s.Steps = append([]Step{step}, s.Steps[:min(len(s.Steps), maxSteps-1)]...)
	})
	state := stateOK
	if !step.OK {
		state = stateFailed
	}
	d.journal.add(Event{Kind: kindSession, Area: areaViewer, State: state, Ref: s.ID, Text: s.User + " " + kind + ": " + step.Summary})
	return step, nil
}

// blame puts the rules that were broken to the exchange that broke them.
func (v *viewer) blame(x Exchange, rules []BrokenRule) Exchange {
	var here []BrokenRule
	for _, rule := range rules {
		method, target, ok := strings.Cut(rule.Call, " ")
		address, _, _ := strings.Cut(x.URL, "?")
		if ok && method == x.Method && strings.HasSuffix(address, target) {
			here = append(here, rule)
		}
	}
	if here == nil {
		return x
	}
	x, _ = v.desk.exchanges.change(x.ID, func(x *Exchange) {
		detail := *x.Detail
		detail.Broken = here
		x.Detail, x.Refused = &detail, true
		if x.Reason == "" {
			x.Reason = cmp.Or(here[0].Rule+" "+here[0].Detail, here[0].Message)
		}
	})
	return x
}

// summaryOf says what a step that failed came to.
func summaryOf(s Step) string {
	rules := 0
	for _, b := range s.Broken {
		if b.Rule != "" {
			rules++
		}
	}
	first := s.Broken[0]
	switch {
	case rules > 1:
		return fmt.Sprintf("%d rules are broken. The first: %s: %s", rules, first.Rule, strings.TrimSpace(first.Field+" "+first.Detail))
	case rules == 1:
		return fmt.Sprintf("A rule is broken: %s: %s", first.Rule, strings.TrimSpace(first.Field+" "+first.Detail))
	case first.Status != 0:
		return fmt.Sprintf("Refused: %s answered %s, code %d, %s", first.Call, statusLine(first.Status), first.Code, first.Message)
	default:
		return "It did not work: " + first.Detail
	}
}

// open opens the document as the viewer does.
func (v *viewer) open(ctx context.Context, s Session) (Step, error) {
	return v.play(ctx, s, "open", func(ctx context.Context, step *Step, t *trace) error {
		content := &bounded{}
		f, err := s.viewer.Open(ctx, s.FileID, content)
		step.File = fileOf(f, namesIn(t.body("users")))
		step.Permission = permissionIn(t.body("permission"))
		if err == nil {
			step.Summary = fmt.Sprintf("Opened %s, version %d, %d bytes.", f.Name, f.Version, f.Size)
		}
		v.sessions.change(s.ID, func(s *Session) {
			s.File, s.Permission, s.Toolbar = step.File, step.Permission, toolbar(step.Permission)
			if content.Len() > 0 {
				s.content, s.name = content.Bytes(), f.Name
			}
		})
		return err
	})
}

// history asks for the versions.
func (v *viewer) history(ctx context.Context, s Session) (Step, error) {
	return v.play(ctx, s, "history", func(ctx context.Context, step *Step, t *trace) error {
		files, err := s.viewer.Versions(ctx, s.FileID, preview.Page{})
		ids := map[string]bool{}
		var who []string
		for _, f := range files {
			if f.ModifierID != "" && !ids[f.ModifierID] && len(who) < 50 {
				ids[f.ModifierID] = true
				who = append(who, f.ModifierID)
			}
		}
		if err == nil && len(who) > 0 {
			_, err = s.viewer.Users(ctx, who...)
		}
		names := namesIn(t.body("users"))
		step.Versions = []File{}
		for _, f := range files {
			if shown := fileOf(f, names); shown != nil {
				step.Versions = append(step.Versions, *shown)
			}
		}
		step.Summary = fmt.Sprintf("The history has %d %s.", len(step.Versions), choice(len(step.Versions) == 1, "version", "versions"))
		return err
	})
}

// version opens an old version.
func (v *viewer) version(ctx context.Context, s Session, number uint32) (Step, error) {
	return v.play(ctx, s, "version", func(ctx context.Context, step *Step, _ *trace) error {
		content := &bounded{}
		f, err := s.viewer.Version(ctx, s.FileID, number)
		step.File = fileOf(f, nil)
		if err != nil {
			return err
		}
		download, err := s.viewer.DownloadVersion(ctx, s.FileID, number)
		if err == nil {
			err = s.viewer.Fetch(ctx, f, download, content)
		}
		if err == nil {
			step.Summary = fmt.Sprintf("Opened version %d, %d bytes.", f.Version, content.Len())
			v.sessions.change(s.ID, func(s *Session) { s.content, s.name = content.Bytes(), f.Name })
		}
		return err
	})
}

// rename gives the document another name.
func (v *viewer) rename(ctx context.Context, s Session, name string) (Step, error) {
	return v.play(ctx, s, "rename", func(ctx context.Context, step *Step, _ *trace) error {
		err := s.viewer.Rename(ctx, s.FileID, name)
		if err == nil {
			step.Summary = "Renamed to " + name + "."
			v.sessions.change(s.ID, func(s *Session) {
				if s.File != nil {
					renamed := *s.File
					renamed.Name = name
					s.File = &renamed
				}
			})
		}
		return err
	})
}

// save saves a file as a new version of the document, for each of the sessions at the
// same time.
func (v *viewer) save(ctx context.Context, sessions []Session, name string, automatic bool, body []byte) ([]Step, error) {
	steps, errs := make([]Step, len(sessions)), make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		wg.Go(func() {
			steps[i], errs[i] = v.play(ctx, s, "save", func(ctx context.Context, step *Step, _ *trace) error {
				as := name
				if as == "" && s.File != nil {
					as = s.File.Name
				}
				f, err := s.viewer.SaveUpload(ctx, s.FileID, preview.Upload{Name: cmp.Or(as, "document.docx"), Manual: !automatic}, body)
				step.File = fileOf(f, nil)
				if err == nil {
					step.Summary = fmt.Sprintf("Saved version %d, %d bytes.", f.Version, f.Size)
					v.sessions.change(s.ID, func(s *Session) { s.File, s.content, s.name = step.File, body, cmp.Or(path.Base(f.Name), as) })
				}
				return err
			})
		})
	}
	wg.Wait()
	return steps, errors.Join(errs...)
}

// bounded keeps the bytes of a document up to a limit.
type bounded struct{ bytes.Buffer }

// Write fails when it is too much.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxDocument {
		return 0, fmt.Errorf("the document is larger than %d bytes, which the emulator does not keep", maxDocument)
	}
	return b.Buffer.Write(p)
}
