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
	path   segments
	needs  Callbacks
	answer func(*call, *http.Request) error
}

// segments are those of a path after PathPrefix.
type segments [5]string

const (
	segmentID      = "{id}"
	segmentVersion = "{version}"
	uploadComplete = "preview.upload_complete"
)

// routes are those of protocol 4.2, and of public reference 4 and 5.
var routes = [...]route{
	{"preview.file", http.MethodGet, segments{"files", segmentID}, 0, (*call).file},
	{"preview.download", http.MethodGet, segments{"files", segmentID, "download"}, 0, (*call).download},
	{"preview.permission", http.MethodGet, segments{"files", segmentID, "permission"}, 0, (*call).permission},
	{"preview.users", http.MethodGet, segments{"users"}, UsersCallback, (*call).users},
	{"preview.rename", http.MethodPut, segments{"files", segmentID, "name"}, RenameCallback, (*call).rename},
	{"preview.versions", http.MethodGet, segments{"files", segmentID, "versions"}, HistoryCallback, (*call).versions},
	{"preview.version", http.MethodGet, segments{"files", segmentID, "versions", segmentVersion}, HistoryCallback, (*call).oneVersion},
	{"preview.version_download", http.MethodGet, segments{"files", segmentID, "versions", segmentVersion, "download"}, HistoryCallback, (*call).versionDownload},
	{"preview.upload_prepare", http.MethodGet, segments{"files", segmentID, "upload", "prepare"}, SaveCallback, (*call).prepareUpload},
	{"preview.upload_address", http.MethodPost, segments{"files", segmentID, "upload", "address"}, SaveCallback, (*call).uploadAddress},
	{uploadComplete, http.MethodPost, segments{"files", segmentID, "upload", "complete"}, SaveCallback, (*call).completeUpload},
}

var unknownRoute = route{name: "preview.unknown"}

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
	var got segments
	for i, more := 0, true; more; i++ {
		if i == len(got) {
			return &unknownRoute, "", ""
		}
		var segment string
		segment, path, more = strings.Cut(path, "/")
		switch {
		case i == 1 && got[0] == "files":
			id, segment = segment, segmentID
		case i == 3 && got[2] == "versions":
			version, segment = segment, segmentVersion
		case segment == "":
			segment = "/" // an empty one is not the end of the path
		}
		got[i] = segment
	}
	for i := range routes {
		if routes[i].path == got {
			return &routes[i], id, version
		}
	}
	return &unknownRoute, "", ""
}

// timeout is how long a callback may take.
func (h *Handler) timeout(r *route) time.Duration {
	if r.name == uploadComplete {
		return h.cfg.SaveTimeout
	}
	return h.cfg.Timeout
}
