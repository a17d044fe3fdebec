package previewtest_test

import (
	"context"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// history changes the HistoryStore of the office.
type history struct {
	*office
	list     func(all []preview.File) []preview.File // all that there are
	page     func(p preview.Page) preview.Page       // what is asked of the office
	version  func(f preview.File, err error) (preview.File, error)
	download func(d preview.Download) preview.Download
	open     string // the method that asks nobody who they are
	err      error  // of Versions
}

func (h history) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	if h.page != nil {
		p = h.page(p)
	}
	if h.list == nil {
		all, err := h.office.Versions(ctx, h.as(r, "Versions"), p)
		return all, firstOf(err, h.err)
	}
	all, err := h.office.Versions(ctx, r, preview.Page{})
	if err != nil {
		return nil, err
	}
	all = h.list(all)
	all = all[min(p.Offset, len(all)):]
	if p.Limit > 0 {
		all = all[:min(p.Limit, len(all))]
	}
	return all, nil
}

func (h history) Version(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	f, err := h.office.Version(ctx, h.as(r, "Version"), version)
	if h.version != nil {
		return h.version(f, err)
	}
	return f, err
}

func (h history) DownloadVersion(ctx context.Context, r preview.Request, version uint32) (preview.Download, error) {
	d, err := h.office.DownloadVersion(ctx, h.as(r, "DownloadVersion"), version)
	if err == nil && h.download != nil {
		d = h.download(d)
	}
	return d, err
}

// as lets everybody through an open method.
func (h history) as(r preview.Request, method string) preview.Request {
	if h.open == method && r.UserID == "eve" {
		r.UserID = "ann"
	}
	return r
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func remember(h history) breaking {
	return func(o *office, f *previewtest.Fixture) {
		h.office = o
		f.Config.History = h
	}
}

func brokenHistories() map[string]breaking {
	return map[string]breaking{
		"history-answered": remember(history{err: errInternal}),
		"history-order": remember(history{list: func(all []preview.File) []preview.File {
			slices.Reverse(all)
			return all
		}}),
		"history-latest": remember(history{list: func(all []preview.File) []preview.File { return all[min(1, len(all)-1):] }}),
		"history-page": remember(history{page: func(p preview.Page) preview.Page {
			p.Limit *= 2
			return p
		}}),
		"history-page: no limit":  remember(history{page: func(p preview.Page) preview.Page { return preview.Page{Offset: p.Offset} }}),
		"history-page: no offset": remember(history{page: func(p preview.Page) preview.Page { return preview.Page{Limit: p.Limit} }}),
		"history-page: stops at the last": remember(history{page: func(p preview.Page) preview.Page {
			p.Offset = min(p.Offset, 1)
			return p
		}}),
		"history-file": remember(history{list: func(all []preview.File) []preview.File {
			all[len(all)-1].CreatorID = ""
			return all
		}}),
		"history-file: one": remember(history{version: func(f preview.File, err error) (preview.File, error) {
			f.ID = "another"
			return f, err
		}}),
		"history-version": remember(history{version: func(f preview.File, err error) (preview.File, error) {
			f.Size++
			return f, err
		}}),
		"history-version: another": remember(history{version: func(f preview.File, err error) (preview.File, error) {
			f.Version++
			return f, err
		}}),
		"history-download": remember(history{download: func(d preview.Download) preview.Download {
			d.URL = "https://office.example/plan/7"
			return d
		}}),
		"history-download: digest": remember(history{download: func(d preview.Download) preview.Download {
			d.Digest.Type = preview.SHA256
			return d
		}}),
		"history-missing": remember(history{version: func(f preview.File, err error) (preview.File, error) {
			if err == preview.ErrVersionNotFound { //nolint:errorlint // It is this very value.
				return f, preview.ErrNotFound
			}
			return f, err
		}}),
		"history-denied":                  remember(history{open: "Versions"}),
		"history-denied: Version":         remember(history{open: "Version"}),
		"history-denied: DownloadVersion": remember(history{open: "DownloadVersion"}),
	}
}
