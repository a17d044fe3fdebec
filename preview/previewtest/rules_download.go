package previewtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/weboffice-go/weboffice/preview"
)

// downloadRules are about what Store.Download says.
func downloadRules() []rule {
	return []rule{
		{"download-answered", "Download answers for each document whose Permission has Read (protocol 4.2)", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error {
				_, err := d.Download(ctx)
				return err
			})
		}},
		downloadRule("download-url", "Download.URL is absolute, http or https (protocol 2.5)", urlProblem),
		downloadRule("download-digest", "Download.Digest is zero, or the lowercase hexadecimal form of an MD5 or a SHA-1 (protocol 2.5)", sumProblem),
		downloadRule("download-header", "Download.Header can be sent as headers (protocol 2.5)", sendProblem),
		{"download-kept", "Download.Header is not changed after it was returned", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error { return d.kept(ctx) })
		}},
	}
}

func urlProblem(d preview.Download) string {
	if !absolute(d.URL) {
		return "URL is not absolute"
	}
	return ""
}

func sumProblem(d preview.Download) string {
	if problem := digestProblem(d.Digest, preview.MD5, preview.SHA1); problem != "" {
		return "Digest " + problem
	}
	return ""
}

func sendProblem(d preview.Download) string {
	if problem := headerProblem(d.Header); problem != "" {
		return "Header " + problem
	}
	return ""
}

// kept looks whether a second call changes what the first one returned.
func (d *document) kept(ctx context.Context) error {
	if _, err := d.Download(ctx); err != nil {
		return quiet(err)
	}
	first, err := d.newDownload(ctx)
	if err != nil {
		return nil // Another rule says it.
	}
	before := maps.Clone(first.Header)
	if _, err := d.newDownload(ctx); err == nil && !maps.Equal(before, first.Header) {
		return errors.New("the next call changes it")
	}
	return nil
}

// downloadRule looks at what Download gave.
func downloadRule(name, explain string, check func(d preview.Download) string) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		return s.each(func(d *document) error {
			download, err := d.Download(ctx)
			if err != nil {
				return quiet(err)
			}
			if problem := check(download); problem != "" {
				return errors.New(problem)
			}
			return nil
		})
	}}
}

// quiet passes on why something was skipped. Failures are said by the rule for them.
func quiet(err error) error {
	var reason skipped
	if errors.As(err, &reason) {
		return reason
	}
	return nil
}

// bytesRules are about what is behind Download.URL.
func bytesRules() []rule {
	return []rule{
		{"bytes-fetched", "Download.URL gives the document, when it is fetched with Header (protocol 2.5)", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error {
				_, err := d.Bytes(ctx)
				return err
			})
		}},
		{"bytes-size", "File.Size is the size of what Download.URL gives (protocol 2.4)", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error {
				f, err := d.File(ctx)
				if err != nil || f.Size < 0 {
					return nil // Other rules say it.
				}
				return d.compare(ctx, func(got fetched) string { return got.sizeDiffers(f.Size) })
			})
		}},
		{"bytes-digest", "Download.Digest is that of what Download.URL gives (protocol 2.5)", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error {
				download, err := d.Download(ctx)
				if err != nil || digestProblem(download.Digest, preview.MD5, preview.SHA1) != "" {
					return quiet(err)
				}
				return d.compare(ctx, func(got fetched) string { return got.digestDiffers(download.Digest) })
			})
		}},
		{"bytes-again", "Download gives an address that works each time it is asked (public reference 3.3)", false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error { return d.again(ctx) })
		}},
	}
}

func (d *document) compare(ctx context.Context, differ func(fetched) string) error {
	got, err := d.Bytes(ctx)
	if err != nil {
		return quiet(err)
	}
	if problem := differ(got); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// again asks anew and fetches, where the first address works.
func (d *document) again(ctx context.Context) error {
	if _, err := d.Bytes(ctx); err != nil {
		return quiet(err)
	}
	second, err := d.newDownload(ctx)
	if err != nil {
		return fmt.Errorf("asked again: %w", err)
	}
	if _, err := fetch(ctx, d.s.open, second, io.Discard); err != nil {
		return fmt.Errorf("the second address: %w", err)
	}
	return nil
}
