package previewtest_test

import (
	"context"
	"errors"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

var errInternal = errors.New("office: internal")

func brokenRefusals() map[string]breaking {
	return map[string]breaking{
		"missing-file": store(hooks{file: func(r preview.Request, f preview.File, err error) (preview.File, error) {
			if r.FileID == "nothing" {
				return f, errInternal
			}
			return f, err
		}}),
		"missing-download": store(hooks{download: func(r preview.Request, d preview.Download, err error) (preview.Download, error) {
			if r.FileID == "nothing" {
				return d, nil
			}
			return d, orForbidden(r, err)
		}}),
		"missing-permission": store(hooks{permission: func(r preview.Request, p preview.Permission, err error) (preview.Permission, error) {
			if r.FileID == "nothing" {
				return p, errInternal
			}
			return p, err
		}}),
		"missing-elsewhere": renaming(func(ctx context.Context, o *office, r preview.Request, name string) error {
			if r.FileID == "nothing" {
				return nil
			}
			return o.Rename(ctx, r, name)
		}),
		"missing-elsewhere: history": func(o *office, f *previewtest.Fixture) { f.Config.History = noSuchHistory{o} },
		"missing-elsewhere: save":    func(o *office, f *previewtest.Fixture) { f.Config.Saver = anySaver{o} },
		"denied-permission": store(hooks{permission: func(_ preview.Request, p preview.Permission, err error) (preview.Permission, error) {
			p.Read = err == nil
			return p, err
		}}),
		"denied-permission: update": store(hooks{permission: func(_ preview.Request, p preview.Permission, err error) (preview.Permission, error) {
			if err == nil && !p.Read {
				p.Update, p.UserID = true, "eve"
			}
			return p, err
		}}),
		"denied-download": store(hooks{download: func(r preview.Request, d preview.Download, err error) (preview.Download, error) {
			if r.UserID == "eve" {
				return preview.Download{URL: "https://office.example/plan/2"}, nil
			}
			return d, err
		}}),
		"nobody-permission": nobody(preview.ErrUnauthorized, preview.ErrForbidden),
		"nobody-download":   nobody(nil, preview.ErrUnauthorized),
	}
}

// nobody lets Identify pass everybody, and answers who is not known with these.
func nobody(download, permission error) breaking {
	return func(o *office, f *previewtest.Fixture) {
		f.Config.Identify = func(_ context.Context, r preview.Request) (string, error) { return r.WebOfficeToken.Reveal(), nil }
		f.Config.Store = hooks{
			office: o,
			download: func(r preview.Request, d preview.Download, err error) (preview.Download, error) {
				if r.UserID == "somebody" {
					return d, download
				}
				return d, orForbidden(r, err)
			},
			permission: func(r preview.Request, p preview.Permission, err error) (preview.Permission, error) {
				if r.UserID == "somebody" {
					return p, permission
				}
				return p, err
			},
		}
	}
}

// users is a preview.UserStore.
type users func(ids []string, right []preview.User) ([]preview.User, error)

func (u users) Users(ctx context.Context, r preview.Request, ids []string) ([]preview.User, error) {
	right, err := (*office)(nil).Users(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	return u(ids, right)
}

func lookup(u users) breaking {
	return func(_ *office, f *previewtest.Fixture) { f.Config.Users = u }
}

func brokenUsers() map[string]breaking {
	return map[string]breaking{
		"users-permitted": withoutHistory(permission(func(p *preview.Permission) { p.UserID = "staff:" + p.UserID })),
		"users-found":     lookup(func(_ []string, right []preview.User) ([]preview.User, error) { return right[:min(1, len(right))], nil }),
		"users-asked": lookup(func(_ []string, right []preview.User) ([]preview.User, error) {
			if len(right) > 0 {
				right = append(right, preview.User{ID: "root", Name: "Root"})
			}
			return right, nil
		}),
		"users-fields": lookup(func(_ []string, right []preview.User) ([]preview.User, error) {
			for i := range right {
				right[i].AvatarURL = "http://office.example/me.png"
			}
			return right, nil
		}),
		"users-none": lookup(func(_ []string, right []preview.User) ([]preview.User, error) {
			if len(right) == 0 {
				return nil, preview.ErrUserNotFound
			}
			return right, nil
		}),
		"users-none: everyone": lookup(func(ids []string, _ []preview.User) (all []preview.User, err error) {
			for _, id := range ids {
				all = append(all, preview.User{ID: id, Name: id})
			}
			return all, nil
		}),
		"users-fields: no text": lookup(func(_ []string, right []preview.User) ([]preview.User, error) {
			for i := range right {
				right[i].Name = "\xff"
			}
			return right, nil
		}),
	}
}

// noSuchHistory has an empty history of every document that does not exist.
type noSuchHistory struct{ *office }

func (h noSuchHistory) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	if r.FileID == "nothing" {
		return nil, nil
	}
	return h.office.Versions(ctx, r, p)
}

// anySaver lets documents be uploaded that do not exist.
type anySaver struct{ *office }

func (s anySaver) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	if r.FileID == "nothing" {
		return nil, nil
	}
	return s.office.PrepareUpload(ctx, r)
}

func (s anySaver) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	if r.FileID == "nothing" {
		r.FileID = "plan"
	}
	return s.office.UploadAddress(ctx, r, u)
}
