package previewtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/weboffice-go/weboffice/preview"
)

// fileFields are those of a File, apart from its version.
var fileFields = []string{"id", "name", "size", "create_time", "modify_time", "creator_id", "modifier_id"}

// historyRules are about HistoryStore, for the documents whose Permission has History.
var historyRules = []rule{
	{"history-answered", "Versions answers for each document whose Permission has History (public reference 5)", false, func(ctx context.Context, s *subject) error {
		return s.eachHistory(ctx, func(_ *document, _ []preview.File, err error) error { return err })
	}},
	fieldRule("history-order", "Versions come with the newest first (public reference 5)", askVersions, "version"),
	historyRule("history-latest", "File describes the latest version, the first of Versions (protocol 2.4)", historyLatest),
	fieldRule("history-file", "Versions and Version describe files as File does (protocol 2.4)", askVersions, fileFields...),
	historyRule("history-page", "Versions keeps to Offset and Limit (public reference 5)", historyPage),
	historyRule("history-version", "Version describes what Versions lists: the two newest and the oldest (public reference 5)", historyVersion),
	historyRule("history-download", "DownloadVersion says where the bytes of what Versions lists are: the two newest and the oldest (public reference 5)", historyDownload),
	historyRule("history-missing", "Version of a version that does not exist is ErrVersionNotFound", historyMissing),
	{"history-denied", "each method of HistoryStore refuses a user who may not read, by itself, with ErrForbidden", false, historyDenied},
}

// historyRule looks at the versions of each document that has a history.
func historyRule(name, explain string, check func(ctx context.Context, d *document, all []preview.File) error) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		return s.eachHistory(ctx, func(d *document, all []preview.File, err error) error {
			if err != nil {
				return nil // another rule reports it
			}
			return check(ctx, d, all)
		})
	}}
}

func (s *subject) eachHistory(ctx context.Context, check func(d *document, all []preview.File, err error) error) error {
	return s.each(func(d *document) error {
		if err := hasHistory(ctx, d); err != nil {
			return err
		}
		all, err := d.versions(ctx, preview.Page{})
		return check(d, all, err)
	})
}

func hasHistory(ctx context.Context, d *document) error {
	if err := d.s.has("History", d.s.Config.History != nil); err != nil {
		return err
	}
	p, err := d.Permission(ctx)
	return d.s.has("Permission of Existing with History", err == nil && p.History)
}

func (d *document) versions(ctx context.Context, p preview.Page) ([]preview.File, error) {
	return ask(ctx, d, func(ctx context.Context, r preview.Request) ([]preview.File, error) {
		return d.s.Config.History.Versions(ctx, r, p)
	})
}

func (d *document) version(ctx context.Context, version uint32) (preview.File, error) {
	return ask(ctx, d, func(ctx context.Context, r preview.Request) (preview.File, error) {
		return d.s.Config.History.Version(ctx, r, version)
	})
}

func (d *document) downloadVersion(ctx context.Context, version uint32) (preview.Download, error) {
	return ask(ctx, d, func(ctx context.Context, r preview.Request) (preview.Download, error) {
		return d.s.Config.History.DownloadVersion(ctx, r, version)
	})
}

// historyLatest looks for the highest version: that it comes first is another rule.
func historyLatest(ctx context.Context, d *document, all []preview.File) error {
	f, err := d.File(ctx)
	if err != nil {
		return nil // another rule reports it
	}
	latest := uint32(0)
	for _, v := range all {
		latest = max(latest, v.Version)
	}
	if latest != f.Version {
		return fmt.Errorf("File has version %d, and the latest of Versions is %d", f.Version, latest)
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
		got, err := d.versions(ctx, preview.Page{Offset: offset, Limit: 1})
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
		f, err := d.version(ctx, listed.Version)
		if err != nil {
			return fmt.Errorf("version %d: %w", listed.Version, err)
		}
		if f.Version != listed.Version || f.Size != listed.Size {
			return fmt.Errorf("version %d of %d bytes is described as version %d of %d bytes", listed.Version, listed.Size, f.Version, f.Size)
		}
	}
	return nil
}

func historyMissing(ctx context.Context, d *document, _ []preview.File) error {
	_, err := d.version(ctx, math.MaxUint32)
	return d.s.refused("it", err, preview.ErrVersionNotFound)
}

func historyDownload(ctx context.Context, d *document, all []preview.File) error {
	for _, listed := range some(all) {
		err := d.fetchVersion(ctx, listed)
		if reason := quiet(err); reason != nil {
			return reason
		}
		if err != nil {
			return fmt.Errorf("version %d: %w", listed.Version, err)
		}
	}
	return nil
}

func (d *document) fetchVersion(ctx context.Context, listed preview.File) error {
	download, err := d.downloadVersion(ctx, listed.Version)
	if err != nil {
		return err
	}
	if problem := digestProblem(download.Digest); problem != "" {
		return errors.New("Digest " + problem)
	}
	got, err := fetch(ctx, d.s.open, download, io.Discard)
	if err != nil {
		return err
	}
	if problem := cmp.Or(got.sizeDiffers(listed.Size), got.digestDiffers(download.Digest)); problem != "" {
		return errors.New(problem)
	}
	return nil
}
