package previewtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/weboffice-go/weboffice/preview"
)

// fileRules are about Store.File, and about what happens before it is asked.
var fileRules = []rule{
	documentRule("id-accepted", "Config.CheckID accepts the ids of existing documents (protocol 2.4)", func(_ context.Context, d *document) error { return d.s.Config.CheckID(d.r.FileID) }),
	{"user-identified", "Config.Identify knows the users of existing documents", false, func(ctx context.Context, s *subject) error {
		if err := s.has("Identify", s.Config.Identify != nil); err != nil {
			return err
		}
		return s.each(func(d *document) error { return d.identified(ctx) })
	}},
	documentRule("file-answered", "File describes each existing document (protocol 4.2)", func(ctx context.Context, d *document) error {
		if d.identified(ctx) != nil {
			return nil
		}
		_, err := d.File(ctx)
		return err
	}),
	fieldRule("file-id", "File.ID is the requested id, or empty (protocol 2.4)", askFile, "id"),
	fieldRule("file-name", "File.Name is a name that CheckName accepts (protocol 2.4)", askFile, "name"),
	fieldRule("file-version", "File.Version is from 1 on (protocol 2.4)", askFile, "version"),
	fieldRule("file-size", "File.Size is not negative (protocol 2.4)", askFile, "size"),
	fieldRule("file-times", "File.CreatedAt and File.ModifiedAt are set, after the start of 1970 and not in milliseconds (protocol 2.4)", askFile, "create_time", "modify_time"),
	fieldRule("file-users", "File.CreatorID and File.ModifierID are not empty, and UTF-8 (protocol 2.4)", askFile, "creator_id", "modifier_id"),
	documentRule("file-steady", "File.Version changes by a save, and not by being asked for (protocol 2.4)", steady),
}

// permissionRules are about Store.Permission.
var permissionRules = []rule{
	documentRule("permission-answered", "Permission answers for each existing document (protocol 4.2)", func(ctx context.Context, d *document) error {
		if d.identified(ctx) != nil {
			return nil
		}
		_, err := d.Permission(ctx)
		return err
	}),
	fieldRule("permission-user", "Permission.UserID, or what Identify found, is there with Update and with Print (protocol 2.6 rules 1 and 2)", askPermission, "user_id"),
	fieldRule("permission-update", "with Update there are the callbacks of users and of saving (protocol 2.6 rule 1)", askPermission, "update"),
	fieldRule("permission-print", "with Print there is the callback of users (protocol 2.6 rule 2)", askPermission, "print"),
	fieldRule("permission-rename", "with Rename there is the callback of renaming (protocol 2.6 rule 3)", askPermission, "rename"),
	fieldRule("permission-history", "with History there are the callbacks of history (protocol 2.6 rule 4)", askPermission, "history"),
}

// downloadRules are about Store.Download, and the bytes behind it.
var downloadRules = []rule{
	documentRule("download-answered", "Download answers for each document whose Permission has Read (protocol 4.2)", func(ctx context.Context, d *document) error {
		_, err := d.Download(ctx)
		return err
	}),
	fieldRule("download-url", "Download.URL is absolute, http or https (protocol 2.5)", askDownload, "url"),
	fieldRule("download-digest", "Download.Digest is zero, or the lowercase hexadecimal form of an MD5 or a SHA-1 (protocol 2.5)", askDownload, "digest", "digest_type"),
	fieldRule("download-header", "Download.Header can be sent as headers (protocol 2.5)", askDownload, "headers"),
	documentRule("download-kept", "Download.Header is not changed after it was returned", kept),

	documentRule("bytes-fetched", "Download.URL gives the document, when it is fetched with Header (protocol 2.5)", func(ctx context.Context, d *document) error {
		_, err := d.Bytes(ctx)
		return err
	}),
	bytesRule("bytes-size", "File.Size is the size of what Download.URL gives (protocol 2.4)", func(ctx context.Context, d *document, got fetched) string {
		if f, err := d.File(ctx); err == nil {
			return got.sizeDiffers(f.Size)
		}
		return "" // another rule reports it
	}),
	bytesRule("bytes-digest", "Download.Digest is that of what Download.URL gives (protocol 2.5)", func(_ context.Context, d *document, got fetched) string {
		if digestProblem(d.download.value.Digest) != "" {
			return "" // as above
		}
		return got.digestDiffers(d.download.value.Digest)
	}),
	documentRule("bytes-again", "Download gives an address that works each time it is asked (public reference 3.3)", again),
}

// bytesRule compares the bytes of each document.
func bytesRule(name, explain string, differ func(ctx context.Context, d *document, got fetched) string) rule {
	return documentRule(name, explain, func(ctx context.Context, d *document) error {
		got, err := d.Bytes(ctx)
		if err != nil {
			return quiet(err)
		}
		if problem := differ(ctx, d, got); problem != "" {
			return errors.New(problem)
		}
		return nil
	})
}

// identified reports why the user of d is not known, which is a rule of its own.
func (d *document) identified(ctx context.Context) error {
	_, err := d.user.once(func() (struct{}, error) {
		return struct{}{}, d.s.with(ctx, d.r, func(context.Context, preview.Request) error { return nil })
	})
	return err
}

// steady asks two more times. One difference may be a save by another program.
func steady(ctx context.Context, d *document) error {
	first, err := d.File(ctx)
	if err != nil {
		return nil // another rule reports it
	}
	v := []uint32{first.Version}
	for range 2 {
		f, err := (&document{s: d.s, r: d.r}).File(ctx)
		if err != nil {
			return fmt.Errorf("asked again: %w", err)
		}
		v = append(v, f.Version)
	}
	if v[0] != v[1] && v[1] != v[2] || v[1] < v[0] || v[2] < v[1] {
		return fmt.Errorf("Version was %d, then %d, then %d", v[0], v[1], v[2])
	}
	return nil
}

// kept looks whether a second call changes what the first one returned.
func kept(ctx context.Context, d *document) error {
	if _, err := d.Download(ctx); err != nil {
		return quiet(err)
	}
	first, err := d.newDownload(ctx)
	if err != nil {
		return nil // another rule reports it
	}
	before := maps.Clone(first.Header)
	if _, err := d.newDownload(ctx); err == nil && !maps.Equal(before, first.Header) {
		return errors.New("the next call changes it")
	}
	return nil
}

// again asks again and fetches, if the first address works.
func again(ctx context.Context, d *document) error {
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

// quiet passes on why something was skipped. The rules for failures report them.
func quiet(err error) error {
	var reason skipped
	if errors.As(err, &reason) {
		return reason
	}
	return nil
}
