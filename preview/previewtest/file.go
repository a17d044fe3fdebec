package previewtest

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/preview"
)

// File asks for file info (protocol 2.4).
func (v *Viewer) File(ctx context.Context, fileID string) (preview.File, error) {
	return v.file(ctx, http.MethodGet, filePath(fileID), fileID, nil)
}

// file makes a callback that is answered with file info.
func (v *Viewer) file(ctx context.Context, method, path, fileID string, body any) (preview.File, error) {
	return get(ctx, v, method, path, body, RuleFileFields, func(o object) preview.File { return o.file(fileID) })
}

// file reads file info and holds it to protocol 2.4.
func (o object) file(fileID string) preview.File {
	o.missing, o.kind = RuleFileFields, RuleFileTypes
	f := preview.File{
		ID:         o.text("id", true),
		Name:       o.text("name", true),
		CreatorID:  o.text("creator_id", true),
		ModifierID: o.text("modifier_id", true),
		CreatedAt:  o.time("create_time"),
		ModifiedAt: o.time("modify_time"),
	}
	if f.ID != "" && f.ID != fileID {
		o.broken(RuleFileID, "id", "is "+strconv.Quote(shown(f.ID)))
	} else if n := utf8.RuneCountInString(f.ID); n > preview.MaxFileIDLength {
		o.broken(RuleFileIDLength, "id", "has "+strconv.Itoa(n)+" characters")
	}
	if n := utf8.RuneCountInString(f.Name); n > preview.MaxFileNameLength {
		o.broken(RuleFileNameLength, "name", "has "+strconv.Itoa(n)+" characters")
	} else if f.Name != "" && preview.CheckName(f.Name) != nil {
		o.broken(RuleFileName, "name", "is "+strconv.Quote(shown(f.Name)))
	}
	if version, ok := o.integer("version"); ok {
		f.Version = uint32(min(max(version, 0), math.MaxUint32))
		if version < 1 || version > math.MaxUint32 {
			o.broken(RuleVersion, "version", "is "+strconv.FormatInt(version, 10))
		}
	}
	f.Size = -1 // until it is known
	if size, ok := o.integer("size"); ok {
		f.Size = size
		if size < 0 {
			o.broken(RuleSize, "size", "is "+strconv.FormatInt(size, 10))
		}
	}
	return f
}

// latest is from when on a number cannot be meant as epoch seconds: the year 5138.
// In milliseconds it is a day of 1973.
const latest = 100_000_000_000

func (o object) time(name string) time.Time {
	seconds, ok := o.integer(name)
	if !ok {
		return time.Time{}
	}
	switch {
	case seconds <= 0:
		o.broken(RuleTimes, name, "is "+strconv.FormatInt(seconds, 10))
	case seconds >= latest:
		o.broken(RuleTimes, name, "is "+strconv.FormatInt(seconds, 10)+", which is not a time in seconds, but may be one in milliseconds")
	}
	return time.Unix(seconds, 0).UTC()
}

// Versions asks for a page of the history.
func (v *Viewer) Versions(ctx context.Context, fileID string, p preview.Page) ([]preview.File, error) {
	query := url.Values{}
	if p.Offset != 0 {
		query.Set("offset", strconv.Itoa(p.Offset))
	}
	if p.Limit != 0 {
		query.Set("limit", strconv.Itoa(p.Limit))
	}
	path := filePath(fileID, "versions")
	files, a, err := getList(ctx, v, path, query, RuleVersionsList, RuleVersionsList, RuleFileFields, func(o object) preview.File { return o.file(fileID) })
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(files); i++ {
		if files[i].Version >= files[i-1].Version {
			a.broken(RuleVersionsOrder, "version", strconv.Itoa(int(files[i].Version))+" follows "+strconv.Itoa(int(files[i-1].Version)))
			break
		}
	}
	if p.Limit > 0 && len(files) > p.Limit {
		a.broken(RuleVersionsPage, "data", "has "+strconv.Itoa(len(files))+" items")
	}
	return files, a.err()
}

// Version asks for one version.
func (v *Viewer) Version(ctx context.Context, fileID string, version uint32) (preview.File, error) {
	path := filePath(fileID, "versions", strconv.FormatUint(uint64(version), 10))
	return get(ctx, v, http.MethodGet, path, nil, RuleFileFields, func(o object) preview.File {
		f := o.file(fileID)
		if f.Version != 0 && f.Version != version {
			o.broken(RuleVersionAsked, "version", "is "+strconv.FormatUint(uint64(f.Version), 10))
		}
		return f
	})
}

// DownloadVersion is Download for one version.
func (v *Viewer) DownloadVersion(ctx context.Context, fileID string, version uint32) (preview.Download, error) {
	return v.download(ctx, filePath(fileID, "versions", strconv.FormatUint(uint64(version), 10), "download"))
}

// Rename gives a document another name.
func (v *Viewer) Rename(ctx context.Context, fileID, name string) error {
	_, err := get(ctx, v, http.MethodPut, filePath(fileID, "name"), map[string]string{"name": name}, RuleData, func(object) bool { return true })
	return err
}
