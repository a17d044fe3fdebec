package previewtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
)

// fileRules are about Store.File, and about what happens before it is asked.
var fileRules = []rule{
	documentRule("id-accepted", "Config.CheckID accepts the ids of existing documents (protocol 2.4)", func(_ context.Context, d *document) error { return d.s.Config.CheckID(d.id) }),
	documentRule("user-identified", "Config.Identify knows the users of existing documents", func(ctx context.Context, d *document) error {
		_, err := d.identified(ctx)
		return cmp.Or(d.s.has("Identify", d.s.Config.Identify != nil), err)
	}),
	answeredRule("file-answered", "File describes each existing document (protocol 4.2)", asks((*document).File)),
	fieldRule("file-id", "File.ID is the requested id, or empty (protocol 2.4)", asks((*document).File), "id"),
	fieldRule("file-name", "File.Name is a name that CheckName accepts (protocol 2.4)", asks((*document).File), "name"),
	fieldRule("file-version", "File.Version is from 1 on (protocol 2.4)", asks((*document).File), "version"),
	fieldRule("file-size", "File.Size is not negative (protocol 2.4)", asks((*document).File), "size"),
	fieldRule("file-times", "File.CreatedAt and File.ModifiedAt are set, after the start of 1970 and not in milliseconds (protocol 2.4)", asks((*document).File), "create_time", "modify_time"),
	fieldRule("file-users", "File.CreatorID and File.ModifierID are not empty, and UTF-8 (protocol 2.4)", asks((*document).File), "creator_id", "modifier_id"),
	documentRule("file-steady", "File.Version changes by a save, and not by being asked for (protocol 2.4)", steady),
}

// permissionRules are about Store.Permission.
var permissionRules = []rule{
	answeredRule("permission-answered", "Permission answers for each existing document (protocol 4.2)", asks((*document).Permission)),
	fieldRule("permission-user", "Permission.UserID, or what Identify found, is there with Update and with Print (protocol 2.6 rules 1 and 2)", asks((*document).Permission), "user_id"),
	fieldRule("permission-update", "with Update there are the callbacks of users and of saving (protocol 2.6 rule 1)", asks((*document).Permission), "update"),
	fieldRule("permission-print", "with Print there is the callback of users (protocol 2.6 rule 2)", asks((*document).Permission), "print"),
	fieldRule("permission-rename", "with Rename there is the callback of renaming (protocol 2.6 rule 3)", asks((*document).Permission), "rename"),
	fieldRule("permission-history", "with History there are the callbacks of history (protocol 2.6 rule 4)", asks((*document).Permission), "history"),
}

// downloadRules are about Store.Download, and the bytes behind it.
var downloadRules = []rule{
	answeredRule("download-answered", "Download answers for each document whose Permission has Read (protocol 4.2)", asks((*document).Download)),
	fieldRule("download-url", "Download.URL is absolute, http or https (protocol 2.5)", asks((*document).Download), "url"),
	fieldRule("download-digest", "Download.Digest is zero, or the lowercase hexadecimal form of an MD5 or a SHA-1 (protocol 2.5)", asks((*document).Download), "digest", "digest_type"),
	fieldRule("download-header", "Download.Header can be sent as headers (protocol 2.5)", asks((*document).Download), "headers"),
	documentRule("download-kept", "Download.Header is not changed after it was returned", kept),

	documentRule("bytes-fetched", "Download.URL gives the document, when it is fetched with Header (protocol 2.5)", asks((*document).Bytes)),
	documentRule("bytes-size", "File.Size is the size of what Download.URL gives (protocol 2.4)", func(ctx context.Context, d *document) error {
		got, err := d.Bytes(ctx)
		f, fileErr := d.File(ctx)
		if err != nil || fileErr != nil {
			return quiet(err)
		}
		return got.sized(f.Size)
	}),
	documentRule("bytes-digest", "Download.Digest is that of what Download.URL gives (protocol 2.5)", func(ctx context.Context, d *document) error {
		got, err := d.Bytes(ctx)
		if err != nil {
			return quiet(err)
		}
		return got.summed(d.download.value.Digest)
	}),
	documentRule("bytes-again", "Download gives an address that works each time it is asked (public reference 3.3)", again),
}

// steady asks two more times. One difference may be a save by another program.
func steady(ctx context.Context, d *document) error {
	first, err := d.File(ctx)
	if err != nil {
		return nil // another rule reports it
	}
	v := []uint32{first.Version}
	for range 2 {
		f, err := d.v.File(ctx, d.id)
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

// kept looks whether a second call changes what the first one returned. It asks the store
// itself, whose map it looks at.
func kept(ctx context.Context, d *document) error {
	if _, err := d.Download(ctx); err != nil {
		return quiet(err)
	}
	r, err := d.identified(ctx)
	first, firstErr := d.s.Config.Store.Download(ctx, r)
	before := maps.Clone(first.Header)
	_, secondErr := d.s.Config.Store.Download(ctx, r)
	if cmp.Or(err, firstErr, secondErr) == nil && !maps.Equal(before, first.Header) {
		return errors.New("the next call changes it")
	}
	return nil // another rule reports it
}

// again asks again and fetches, if the first address works.
func again(ctx context.Context, d *document) error {
	if _, err := d.Bytes(ctx); err != nil {
		return quiet(err)
	}
	second, err := d.v.Download(ctx, d.id)
	if err != nil {
		return fmt.Errorf("asked again: %w", err)
	}
	if _, err := fetch(ctx, d.s.Get, second, nil); err != nil {
		return fmt.Errorf("the second address: %w", err)
	}
	return nil
}
