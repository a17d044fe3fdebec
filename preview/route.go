package preview

import (
	"net/http"
	"strings"
	"time"
)

// route is a callback: a row holds all that differs from one to the next.
type route struct {
	name   string // of the Operation, and in the log
	method string
	path   string // after PathPrefix; {id} and {version} stand for one segment each
	needs  Callbacks
	answer func(*call, *http.Request) error
}

// routes are those of protocol 4.2, and of public reference 4 and 5.
var routes = [...]route{
	{"preview.file", http.MethodGet, "files/{id}", 0, (*call).file},
	{"preview.download", http.MethodGet, "files/{id}/download", 0, (*call).download},
	{"preview.permission", http.MethodGet, "files/{id}/permission", 0, (*call).permission},
	{"preview.users", http.MethodGet, pathUsers, UsersCallback, (*call).users},
	{"preview.rename", http.MethodPut, "files/{id}/name", RenameCallback, (*call).rename},
	{"preview.versions", http.MethodGet, "files/{id}/versions", HistoryCallback, (*call).versions},
	{"preview.version", http.MethodGet, "files/{id}/versions/{version}", HistoryCallback, (*call).oneVersion},
	{"preview.version_download", http.MethodGet, "files/{id}/versions/{version}/download", HistoryCallback, (*call).versionDownload},
	{"preview.upload_prepare", http.MethodGet, "files/{id}/upload/prepare", SaveCallback, (*call).prepareUpload},
	{"preview.upload_address", http.MethodPost, "files/{id}/upload/address", SaveCallback, (*call).uploadAddress},
	{uploadComplete, http.MethodPost, "files/{id}/upload/complete", SaveCallback, (*call).completeUpload},
	{name: "preview.unknown"}, // the last: any other path
}

const (
	pathUsers      = "users" // the one path without an id
	uploadComplete = "preview.upload_complete"
)

// findRoute finds the callback for an escaped path, and the parts of the path that
// belong to it, still escaped.
//
// PathPrefix counts at its last occurrence: a gateway address may contain it, and an
// id cannot, since a slash in an id is escaped. A path without it has been stripped
// by a router in front.
func findRoute(path string) (found *route, id, version string) {
	if i := strings.LastIndex(path, PathPrefix); i >= 0 {
		path = path[i+len(PathPrefix):]
	} else {
		path = strings.TrimPrefix(path, "/")
	}
	last := len(routes) - 1
	for i := range last {
		if id, version, ok := match(routes[i].path, path); ok {
			return &routes[i], id, version
		}
	}
	return &routes[last], "", ""
}

// match compares path with pattern, segment by segment.
func match(pattern, path string) (id, version string, ok bool) {
	for more := true; more; {
		var want, got string
		var moreGot bool
		want, pattern, more = strings.Cut(pattern, "/")
		got, path, moreGot = strings.Cut(path, "/")
		switch {
		case more != moreGot:
			return "", "", false
		case want == "{id}":
			id = got
		case want == "{version}":
			version = got
		case want != got:
			return "", "", false
		}
	}
	return id, version, true
}

// timeout is how long a callback may take.
func (h *Handler) timeout(r *route) time.Duration {
	if r.name == uploadComplete {
		return h.cfg.SaveTimeout
	}
	return h.cfg.Timeout
}
