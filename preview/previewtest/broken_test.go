package previewtest_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// hooks are what a broken store does otherwise than the office below it.
type hooks struct {
	*office
	file       func(r preview.Request, f preview.File, err error) (preview.File, error)
	download   func(r preview.Request, d preview.Download, err error) (preview.Download, error)
	permission func(r preview.Request, p preview.Permission, err error) (preview.Permission, error)
	before     func(ctx context.Context) error
}

func (h hooks) File(ctx context.Context, r preview.Request) (preview.File, error) {
	if err := h.enter(ctx); err != nil {
		return preview.File{}, err
	}
	f, err := h.office.File(ctx, r)
	if h.file != nil {
		return h.file(r, f, err)
	}
	return f, err
}

func (h hooks) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	if r.UserID == "eve" && h.download == nil {
		return preview.Download{}, preview.ErrForbidden
	}
	d, err := h.office.Download(ctx, r)
	if h.download != nil {
		return h.download(r, d, err)
	}
	return d, err
}

func (h hooks) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	p, err := h.office.Permission(ctx, r)
	if h.permission != nil {
		return h.permission(r, p, err)
	}
	return p, err
}

func (h hooks) enter(ctx context.Context) error {
	if h.before != nil {
		return h.before(ctx)
	}
	return nil
}

// breaking is one way to break an office.
type breaking func(o *office, f *previewtest.Fixture)

// brokenOffices gives one way for each rule, by the name of the rule.
func brokenOffices() map[string]breaking {
	all := map[string]breaking{}
	for _, some := range []map[string]breaking{brokenRequests(), brokenFiles(), brokenPermissions(), brokenDownloads(), brokenRefusals(), brokenUsers(), brokenHistories(), brokenSaves(), brokenTogether(), brokenRenames()} {
		maps.Copy(all, some)
	}
	return all
}

func brokenRequests() map[string]breaking {
	return map[string]breaking{
		"id-accepted": func(_ *office, f *previewtest.Fixture) {
			f.Config.CheckID = func(string) error { return errors.New("only numbers") }
		},
		"user-identified": func(_ *office, f *previewtest.Fixture) {
			identify := f.Config.Identify
			f.Config.Identify = func(ctx context.Context, r preview.Request) (string, error) {
				if r.WebOfficeToken.Reveal() == "bob" {
					return "", preview.ErrUnauthorized
				}
				return identify(ctx, r)
			}
		},
		"context": store(hooks{before: func(ctx context.Context) error {
			if ctx.Err() != nil {
				time.Sleep(time.Minute)
			}
			return nil
		}}),
		"concurrent": func(o *office, f *previewtest.Fixture) {
			var inside atomic.Int32
			f.Config.Store = hooks{office: o, before: func(context.Context) error {
				defer inside.Add(-1)
				if inside.Add(1) > 1 {
					return errors.New("one at a time")
				}
				time.Sleep(time.Millisecond)
				return nil
			}}
		},
		"context: users":    func(_ *office, f *previewtest.Fixture) { f.Config.Users = deaf{} },
		"concurrent: users": func(_ *office, f *previewtest.Fixture) { f.Config.Users = &solo{} },
		"error-text": func(_ *office, f *previewtest.Fixture) {
			f.Config.MapError = func(err error) preview.Reply {
				reply := preview.DefaultReply(err)
				reply.Message = err.Error()
				return reply
			}
		},
	}
}

// deaf does not notice that its context has ended.
type deaf struct{ *office }

func (d deaf) Users(ctx context.Context, r preview.Request, ids []string) ([]preview.User, error) {
	if ctx.Err() != nil {
		time.Sleep(time.Minute)
	}
	return d.office.Users(ctx, r, ids)
}

// solo serves one at a time.
type solo struct {
	*office
	inside atomic.Int32
}

func (s *solo) Users(ctx context.Context, r preview.Request, ids []string) ([]preview.User, error) {
	defer s.inside.Add(-1)
	if s.inside.Add(1) > 1 {
		return nil, errors.New("one at a time")
	}
	time.Sleep(time.Millisecond)
	return s.office.Users(ctx, r, ids)
}

// store puts h over the office.
func store(h hooks) breaking {
	return func(o *office, f *previewtest.Fixture) {
		h.office = o
		f.Config.Store = h
	}
}

// file changes what File gives of a document.
func file(change func(f *preview.File)) breaking {
	return store(hooks{file: func(_ preview.Request, f preview.File, err error) (preview.File, error) {
		if err == nil {
			change(&f)
		}
		return f, err
	}})
}

func brokenFiles() map[string]breaking {
	return map[string]breaking{
		"file-answered": store(hooks{file: func(r preview.Request, f preview.File, err error) (preview.File, error) {
			if r.FileID == "budget" {
				return preview.File{}, errors.New("disk on fire")
			}
			return f, err
		}}),
		"file-id":      file(func(f *preview.File) { f.ID += "x" }),
		"file-name":    file(func(f *preview.File) { f.Name = strings.Replace(f.Name, "Plan", "a/b", 1) }),
		"file-version": withoutHistory(file(func(f *preview.File) { f.Version = 0 })),
		"file-size": func(o *office, f *previewtest.Fixture) {
			f.Get = nil // nothing to compare with
			file(func(f *preview.File) { f.Size = -1 })(o, f)
		},
		"file-times":          withoutHistory(file(func(f *preview.File) { f.CreatedAt = time.Unix(f.CreatedAt.UnixMilli(), 0) })),
		"file-users":          file(func(f *preview.File) { f.ModifierID = "" }),
		"file-times: unset":   file(func(f *preview.File) { f.ModifiedAt = time.Unix(0, 0) }),
		"file-users: no text": withoutHistory(file(func(f *preview.File) { f.CreatorID = "\xff" })),
		"file-steady": func(o *office, f *previewtest.Fixture) {
			var asked atomic.Uint32
			withoutHistory(file(func(f *preview.File) { f.Version += asked.Add(1) }))(o, f)
		},
	}
}

// withoutHistory leaves nothing to compare versions with, and nothing that counts them.
func withoutHistory(b breaking) breaking {
	return func(o *office, f *previewtest.Fixture) {
		b(o, f)
		f.Config.History, f.Config.Elsewhere = nil, preview.HistoryCallback|preview.SaveCallback
		f.Config.Saver = nil
	}
}

// permission changes what a reader may do.
func permission(change func(p *preview.Permission)) breaking {
	return store(hooks{permission: func(_ preview.Request, p preview.Permission, err error) (preview.Permission, error) {
		if err == nil && p.Read {
			change(&p)
		}
		return p, err
	}})
}

func brokenPermissions() map[string]breaking {
	return map[string]breaking{
		"permission-answered": store(hooks{permission: func(r preview.Request, p preview.Permission, err error) (preview.Permission, error) {
			if r.FileID == "budget" {
				panic("no permission")
			}
			return p, err
		}}),
		"permission-user": func(o *office, f *previewtest.Fixture) {
			f.Config.Identify = nil
			f.NoUser, f.Denied = preview.Request{}, preview.Request{}
		},
		"permission-update": func(_ *office, f *previewtest.Fixture) { f.Config.Saver = nil },
		"permission-print": func(o *office, f *previewtest.Fixture) {
			f.Config.Users, f.Config.Saver = nil, nil
			permission(func(p *preview.Permission) { p.Update = false })(o, f)
		},
		"permission-rename":  func(_ *office, f *previewtest.Fixture) { f.Config.Renamer = nil },
		"permission-history": func(_ *office, f *previewtest.Fixture) { f.Config.History = nil },
	}
}

// download changes what a reader is given.
func download(change func(d *preview.Download)) breaking {
	return store(hooks{download: func(r preview.Request, d preview.Download, err error) (preview.Download, error) {
		if r.UserID == "eve" {
			return preview.Download{}, preview.ErrForbidden
		}
		if err == nil {
			change(&d)
		}
		return d, err
	}})
}

func brokenDownloads() map[string]breaking {
	return map[string]breaking{
		"download-answered": store(hooks{download: func(r preview.Request, d preview.Download, err error) (preview.Download, error) {
			if r.UserID == "bob" {
				return preview.Download{}, preview.ErrForbidden
			}
			return d, orForbidden(r, err)
		}}),
		"download-url":           download(func(d *preview.Download) { d.URL = "/plan/2" }),
		"download-digest":        download(func(d *preview.Download) { d.Digest.Type = preview.MD5 }),
		"download-header":        download(func(d *preview.Download) { d.Header = map[string]string{"Referer": "a\r\nb"} }),
		"download-header: twice": download(func(d *preview.Download) { d.Header = map[string]string{"Referer": "a", "referer": "a"} }),
		"download-kept": func(o *office, f *previewtest.Fixture) {
			shared := map[string]string{}
			var mu sync.Mutex
			calls, active := 0, 0
			f.Config.Observe = func(ctx context.Context, _ weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
				add := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					active += n
				}
				add(1)
				return ctx, func(weboffice.Outcome) { add(-1) }
			}
			download(func(d *preview.Download) {
				mu.Lock()
				defer mu.Unlock()
				if calls++; active <= 1 { // beside other callers it would be a race
					shared["X-Call"] = strconv.Itoa(calls)
				}
				d.Header = shared
			})(o, f)
		},
		"bytes-fetched": download(func(d *preview.Download) { d.URL = "https://office.example/plan/99?signature=CANARY" }),
		"bytes-size":    file(func(f *preview.File) { f.Size++ }),
		"bytes-digest":  download(func(d *preview.Download) { d.Digest = preview.SHA1Sum([20]byte{1}) }),
		"bytes-again": func(o *office, f *previewtest.Fixture) {
			used := map[string]bool{}
			get := f.Get
			f.Get = func(ctx context.Context, d preview.Download) (io.ReadCloser, error) {
				if used[d.URL] {
					return nil, errors.New("gone")
				}
				used[d.URL] = true
				return get(ctx, d)
			}
			withoutHistory(func(*office, *previewtest.Fixture) {})(o, f)
		},
	}
}

func orForbidden(r preview.Request, err error) error {
	if r.UserID == "eve" {
		return preview.ErrForbidden
	}
	return err
}
