package previewtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/weboffice-go/weboffice/preview"
)

// fileFields are those of a File, apart from its version.
var fileFields = []string{"id", "name", "size", "create_time", "modify_time", "creator_id", "modifier_id"}

// historyRules are about HistoryStore, for the documents whose Permission has History.
var historyRules = []rule{
	answeredRule("history-answered", "Versions answers for each document whose Permission has History (public reference 5)", asks((*document).history)),
	fieldRule("history-order", "Versions come with the newest first (public reference 5)", asks((*document).history), "version"),
	historyRule("history-latest", "File describes the latest version, the first of Versions (protocol 2.4)", historyLatest),
	fieldRule("history-file", "Versions and Version describe files as File does (protocol 2.4)", askVersions, fileFields...),
	historyRule("history-page", "Versions keeps to Offset and Limit (public reference 5)", historyPage),
	historyRule("history-version", "Version describes what Versions lists: the two newest and the oldest (public reference 5)", historyVersion),
	historyRule("history-download", "DownloadVersion says where the bytes of what Versions lists are: the two newest and the oldest (public reference 5)", historyDownload),
	historyRule("history-missing", "Version of a version that does not exist is ErrVersionNotFound", func(ctx context.Context, d *document, _ []preview.File) error {
		return d.s.refused("it", failure(d.v.Version(ctx, d.id, math.MaxUint32)), preview.ErrVersionNotFound)
	}),
	{"history-denied", "each method of HistoryStore refuses a user who may not read, by itself, with ErrForbidden", historyDenied},
}

// historyRule looks at the versions of each document that has a history.
func historyRule(name, explain string, check func(ctx context.Context, d *document, all []preview.File) error) rule {
	return documentRule(name, explain, func(ctx context.Context, d *document) error {
		all, err := d.history(ctx)
		if err != nil {
			return quiet(err)
		}
		return check(ctx, d, all)
	})
}

// history gives all versions of a document whose user may see them.
func (d *document) history(ctx context.Context) ([]preview.File, error) {
	p, err := d.Permission(ctx)
	if err := cmp.Or(d.s.has("History", d.s.Config.History != nil), d.s.has("Permission of Existing with History", err == nil && p.History)); err != nil {
		return nil, err
	}
	return d.v.Versions(ctx, d.id, preview.Page{})
}

// askVersions asks for all versions, and for some of them alone.
func askVersions(ctx context.Context, d *document) error {
	all, err := d.history(ctx)
	for _, listed := range some(all) {
		err = cmp.Or(err, failure(d.v.Version(ctx, d.id, listed.Version)))
	}
	return err
}

func historyLatest(ctx context.Context, d *document, all []preview.File) error {
	f, err := d.File(ctx)
	if err == nil && (len(all) == 0 || all[0].Version != f.Version) {
		return fmt.Errorf("File has version %d, which is not the first of Versions", f.Version)
	}
	return nil
}

// some gives the two newest versions and the oldest: a history can be long, and each
// version a large document.
func some(all []preview.File) []preview.File {
	if len(all) <= 3 {
		return all
	}
	return []preview.File{all[0], all[1], all[len(all)-1]}
}

// historyPage asks for the first, the second and for what is after the last.
func historyPage(ctx context.Context, d *document, all []preview.File) error {
	for _, offset := range []int{0, 1, len(all)} {
		got, err := d.v.Versions(ctx, d.id, preview.Page{Offset: offset, Limit: 1})
		if err != nil {
			return fmt.Errorf("Offset %d and Limit 1: %w", offset, err)
		}
		want := all[min(offset, len(all)):min(offset+1, len(all))]
		if len(got) != len(want) || len(want) == 1 && got[0].Version != want[0].Version {
			return fmt.Errorf("Offset %d and Limit 1 give %d versions, and not the one at that place", offset, len(got))
		}
	}
	return nil
}

func historyVersion(ctx context.Context, d *document, all []preview.File) error {
	for _, listed := range some(all) {
		f, err := d.v.Version(ctx, d.id, listed.Version)
		if err := cmp.Or(about(err, "version"), other(err)); err != nil {
			return fmt.Errorf("version %d: %w", listed.Version, err)
		}
		if err == nil && f.Size != listed.Size {
			return fmt.Errorf("version %d of %d bytes is described as one of %d bytes", listed.Version, listed.Size, f.Size)
		}
	}
	return nil
}

func historyDownload(ctx context.Context, d *document, all []preview.File) error {
	for _, listed := range some(all) {
		download, err := d.v.DownloadVersion(ctx, d.id, listed.Version)
		if err == nil {
			var got fetched
			got, err = fetch(ctx, d.s.Get, download, nil)
			err = cmp.Or(err, got.sized(listed.Size), got.summed(download.Digest))
		}
		if err != nil {
			return fmt.Errorf("version %d: %w", listed.Version, err)
		}
	}
	return nil
}

func historyDenied(ctx context.Context, s *subject) error {
	return s.everyDenied(ctx, "History", s.Config.History != nil, mayRead, func(d *document) error {
		version := uint32(1)
		if twins := s.permitted(ctx, d.id, mayRead); len(twins) > 0 {
			version = twins[0].file.value.Version
		}
		return errors.Join(
			s.denied("Versions", failure(d.v.Versions(ctx, d.id, preview.Page{}))),
			s.denied("Version", failure(d.v.Version(ctx, d.id, version)), preview.ErrVersionNotFound),
			s.denied("DownloadVersion", failure(d.v.DownloadVersion(ctx, d.id, version)), preview.ErrVersionNotFound),
		)
	})
}
