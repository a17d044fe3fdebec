package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/netaddr"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// document opens a document, one callback after the other, whatever the one before
// said. What could not be read of an answer does not break another rule.
func (d *doctor) document(ctx context.Context, base, id string) {
	p, err := d.viewer.Permission(ctx, id)
	permitted := d.see(stepPermission, err) && (err == nil || p != preview.Permission{})
	readable := p.Read || err != nil
	f, err := d.viewer.File(ctx, id)
	if !d.see(stepFile, err) || f == (preview.File{}) {
		f.Size = -1 // not known
	}
	if breaks(err, previewtest.RuleVersion) {
		f.Version = 0 // nothing to compare with
	}
	if permitted && !readable {
		d.note(ruleAnswered, "GET "+filePath(id)+"/permission: read is 0, so that the document does not open")
		return
	}
	download, err := d.viewer.Download(ctx, id)
	switch excused := breaks(err, previewtest.RuleHeaders); {
	case !d.see(stepDownload, err):
	case !fetchable(download.URL):
		d.skipped[rulePublic] = true
	default:
		d.bytes(ctx, f, download, d.hidden(base, id, download) || excused)
	}
	if permitted {
		d.users(ctx, p, f)
	}
	if permitted && p.History {
		d.history(ctx, base, id, f)
	}
	if permitted && p.Update {
		d.prepare(ctx, id)
	}
	if permitted && p.Rename {
		d.rename(ctx, id)
	}
}

// prepare makes the first callback of a save, which changes nothing.
func (d *doctor) prepare(ctx context.Context, id string) {
	_, err := d.viewer.PrepareUpload(ctx, id)
	if !answers(err) {
		d.note(ruleSave, "GET "+filePath(id)+"/upload/prepare: "+firstLine(err)+", and the permission has update 1")
		return
	}
	d.see(stepPrepare, err)
	if d.editable == "" {
		d.editable = id
	}
}

// rename asks for the path of renaming by GET, which renames nothing. Whether it is there
// can be told if a path that is there is answered otherwise by a wrong method.
func (d *doctor) rename(ctx context.Context, id string) {
	path := filePath(id) + "/name"
	r, err := d.ask(ctx, path)
	wrong, wrongErr := d.viewer.Do(ctx, http.MethodPost, filePath(id)+"/permission", []byte("{}"))
	if wrongErr == nil {
		_ = wrong.Body.Close()
	}
	switch {
	case err != nil || wrongErr != nil:
	case r.status == http.StatusMethodNotAllowed:
		d.reached[stepRename] = true
	case r.status == http.StatusNotFound && wrong.StatusCode == http.StatusMethodNotAllowed:
		d.note(ruleRename, "GET "+path+": "+r.String()+" as for an unknown path, and the permission has rename 1")
	}
}

// save saves a document as it is.
func (d *doctor) save(ctx context.Context) {
	if d.editable == "" {
		return
	}
	var content bytes.Buffer
	f, err := d.viewer.Open(ctx, d.editable, &content)
	if err != nil {
		return // other rules say why
	}
	if _, err = d.viewer.SaveUpload(ctx, d.editable, preview.Upload{Name: f.Name, Manual: true, ContentType: "application/octet-stream"}, content.Bytes()); d.see(stepSaved, err) {
		d.reached[stepAddress] = true
	}
}

// hidden finds out whether the service could not reach what this machine may.
func (d *doctor) hidden(base, id string, download preview.Download) bool {
	switch {
	case !private(download.URL):
		return false
	case private(base): // a trial within one network
		d.skipped[rulePublic] = true
		return false
	default:
		d.note(rulePublic, "GET "+filePath(id)+"/download: url is at "+host(download.URL))
		return true
	}
}

// bytes fetches a document. That it cannot be had is excused where another finding
// says why.
func (d *doctor) bytes(ctx context.Context, f preview.File, download preview.Download, excused bool) {
	err := d.viewer.Fetch(ctx, f, download, io.Discard)
	if excused && breaks(err, previewtest.RuleFetch) {
		return
	}
	d.see(stepBytes, err)
}

// breaks reports whether err is about a rule.
func breaks(err error, rule string) bool {
	return slices.ContainsFunc(leaves(err), func(e error) bool {
		var broken *previewtest.AnswerError
		return errors.As(e, &broken) && broken.Rule == rule
	})
}

// users asks who the user of the permission is, together with an unknown id.
func (d *doctor) users(ctx context.Context, p preview.Permission, f preview.File) {
	needed := p.Update || p.Print
	ids := []string{"nobody" + strings.ToLower(rand.Text()[:8])}
	for _, id := range []string{p.UserID, f.CreatorID} {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var users []preview.User
	err := d.queried(preview.PathPrefix+"users", func() (err error) {
		users, err = d.viewer.Users(ctx, ids...)
		return err
	})
	if !answers(err) {
		if needed {
			d.note(previewtest.RuleUserKnown, "GET "+preview.PathPrefix+"users: "+firstLine(err))
		}
		return // without update and print it is not called
	}
	d.see(stepUsers, err)
	if breaks(err, previewtest.RuleUsersList) { // there is nothing to compare
		for _, name := range []string{previewtest.RuleUserFields, previewtest.RuleUserAvatar, previewtest.RuleUsersAsked, previewtest.RuleUserKnown} {
			d.skipped[name] = true
		}
		return
	}
	if p.UserID == "" {
		d.skipped[previewtest.RuleUserKnown] = true
	}
	known := slices.ContainsFunc(users, func(u preview.User) bool { return u.ID == p.UserID })
	if err == nil && p.UserID != "" && !known {
		d.note(previewtest.RuleUserKnown, fmt.Sprintf("GET %susers: there is no user %q", preview.PathPrefix, p.UserID))
	}
}

// answers reports whether a callback is there, right or wrong.
func answers(err error) bool {
	var broken *previewtest.AnswerError
	return err == nil || errors.As(err, &broken) && broken.Rule != "" && broken.StatusCode < 300
}

func firstLine(err error) string {
	var broken *previewtest.AnswerError
	if errors.As(err, &broken) && broken.Rule == "" {
		return refusal(broken)
	} else if broken != nil {
		return broken.Detail
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// history compares the first of the versions with the file info, and looks at the newest
// two.
func (d *doctor) history(ctx context.Context, base, id string, f preview.File) {
	var all []preview.File
	err := d.queried(filePath(id)+"/versions", func() (err error) {
		all, err = d.viewer.Versions(ctx, id, preview.Page{Limit: 2})
		return err
	})
	if !answers(err) {
		d.note(ruleHistory, "GET "+filePath(id)+"/versions: "+firstLine(err)+", and the permission has history 1")
		return
	}
	d.see(stepHistory, err)
	if err != nil {
		return
	}
	if f.Version > 0 && (len(all) == 0 || all[0].Version != f.Version) {
		d.note(ruleLatest, fmt.Sprintf("GET %s/versions: the first is not version %d, which file info has", filePath(id), f.Version))
		return
	}
	for _, listed := range all {
		d.version(ctx, base, id, listed)
	}
}

// version looks at one version and its bytes.
func (d *doctor) version(ctx context.Context, base, id string, listed preview.File) {
	path := fmt.Sprintf("%s/versions/%d", filePath(id), listed.Version)
	f, err := d.viewer.Version(ctx, id, listed.Version)
	if !answers(err) {
		d.note(ruleVersion, "GET "+path+": "+firstLine(err))
		return
	}
	d.see(stepVersion, err)
	download, err := d.viewer.DownloadVersion(ctx, id, listed.Version)
	switch {
	case !answers(err):
		d.note(ruleVersion, "GET "+path+"/download: "+firstLine(err))
	case !d.see(stepVersion, err) || !fetchable(download.URL):
	default:
		d.bytes(ctx, f, download, d.hidden(base, id, download) || breaks(err, previewtest.RuleHeaders))
	}
}

// missing asks for an unknown document.
func (d *doctor) missing(ctx context.Context) {
	id := "doctor" + strings.ToLower(rand.Text())
	if strings.Trim(d.opts.files[0], "0123456789") == "" { // routes may take nothing else
		id = "9" + strconv.FormatInt(time.Now().UnixNano()%1e9, 10)
	}
	_, err := d.viewer.File(ctx, id)
	if err == nil || served(err) {
		d.note(ruleMissing, "GET "+filePath(id)+": is answered with code 0, although there can be no such document")
		return
	}
	for _, e := range leaves(err) {
		var broken *previewtest.AnswerError
		switch {
		case !errors.As(e, &broken):
			d.note(ruleAnswered, e.Error())
		case broken.Rule != "":
			d.note(broken.Rule, describe(broken))
		case broken.Code == codeUnauthorized && d.answering == "":
			// Nothing is answered, which is another finding.
		case broken.Code == codeNotFound || broken.Code == codeForbidden:
			d.reached[stepMissing] = true
		default:
			d.note(ruleMissing, broken.Call+": "+refusal(broken))
		}
	}
}

// served reports whether err is about what is in a document, and not a refusal.
func served(err error) bool {
	return slices.ContainsFunc(leaves(err), func(e error) bool {
		var broken *previewtest.AnswerError
		envelope := []string{"", previewtest.RuleJSON, previewtest.RuleStatus, previewtest.RuleCode, previewtest.RuleMessage}
		return errors.As(e, &broken) && broken.Code == 0 && !slices.Contains(envelope, broken.Rule)
	})
}

// private reports whether an address is of a network that the service is not in.
func private(address string) bool { return netaddr.Private(host(address)) }

// fetchable reports whether it makes sense to fetch an address.
func fetchable(address string) bool {
	return host(address) != "" && (strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://"))
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
