package previewtest

import (
	"context"
	"errors"
	"math"
	"net/http"
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
	} else if utf8.RuneCountInString(f.ID) > preview.MaxFileIDLength {
		o.broken(RuleFileIDLength, "id", "has "+strconv.Itoa(utf8.RuneCountInString(f.ID))+" characters")
	}
	if f.Name != "" {
		o.name(f.Name)
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

func (o object) name(name string) {
	if n := utf8.RuneCountInString(name); n > preview.MaxFileNameLength {
		o.broken(RuleFileNameLength, "name", "has "+strconv.Itoa(n)+" characters")
		return
	}
	var rule *preview.RuleError
	if errors.As(preview.CheckName(name), &rule) {
		o.broken(RuleFileName, "name", "is "+strconv.Quote(rule.Value))
	}
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
		o.broken(RuleTimes, name, "is "+strconv.FormatInt(seconds, 10)+", which is no time in seconds, but may be one in milliseconds")
	}
	return time.Unix(seconds, 0).UTC()
}
