package previewtest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/weboffice-go/weboffice/preview"
)

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

// DownloadVersion asks where the bytes of one version are.
func (v *Viewer) DownloadVersion(ctx context.Context, fileID string, version uint32) (preview.Download, error) {
	return v.download(ctx, filePath(fileID, "versions", strconv.FormatUint(uint64(version), 10), "download"))
}

// Rename gives a document another name.
func (v *Viewer) Rename(ctx context.Context, fileID, name string) error {
	_, err := get(ctx, v, http.MethodPut, filePath(fileID, "name"), map[string]string{"name": name}, RuleData, func(object) bool { return true })
	return err
}
