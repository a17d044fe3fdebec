package preview

import (
	"net/http"
	"strings"
)

// operation is one of the callbacks.
type operation uint8

const (
	opNone operation = iota
	opFile
	opDownload
	opPermission
	opUsers
	opRename
	opVersions
	opVersion
	opVersionDownload
	opPrepareUpload
	opUploadAddress
	opCompleteUpload
)

// operations says how each is called (protocol 4.2; public reference 4 and 5).
var operations = [...]struct {
	name   string // in the log
	method string
	needs  Callbacks
}{
	opNone:            {"none", "", 0},
	opFile:            {"file", http.MethodGet, 0},
	opDownload:        {"download", http.MethodGet, 0},
	opPermission:      {"permission", http.MethodGet, 0},
	opUsers:           {"users", http.MethodGet, UsersCallback},
	opRename:          {"rename", http.MethodPut, RenameCallback},
	opVersions:        {"versions", http.MethodGet, HistoryCallback},
	opVersion:         {"version", http.MethodGet, HistoryCallback},
	opVersionDownload: {"version download", http.MethodGet, HistoryCallback},
	opPrepareUpload:   {"prepare upload", http.MethodGet, SaveCallback},
	opUploadAddress:   {"upload address", http.MethodPost, SaveCallback},
	opCompleteUpload:  {"complete upload", http.MethodPost, SaveCallback},
}

// route finds the callback in an escaped path, and the parts of the path that
// belong to it, still escaped.
//
// PathPrefix counts where it occurs last: a gateway address may contain it, and
// an id cannot, since a slash within an id is escaped. A path without it has been
// stripped by somebody in front.
func route(path string) (op operation, id, version string) {
	if i := strings.LastIndex(path, PathPrefix); i >= 0 {
		path = path[i+len(PathPrefix):]
	} else {
		path = strings.TrimPrefix(path, "/")
	}
	if path == "users" {
		return opUsers, "", ""
	}
	path, ok := strings.CutPrefix(path, "files/")
	if !ok {
		return opNone, "", ""
	}
	id, rest, more := strings.Cut(path, "/")
	if !more {
		return opFile, id, ""
	}
	switch rest {
	case "download":
		op = opDownload
	case "permission":
		op = opPermission
	case "name":
		op = opRename
	case "versions":
		op = opVersions
	case "upload/prepare":
		op = opPrepareUpload
	case "upload/address":
		op = opUploadAddress
	case "upload/complete":
		op = opCompleteUpload
	default:
		op, version = routeVersion(rest)
	}
	return op, id, version
}

// routeVersion is route for what comes after the id.
func routeVersion(rest string) (op operation, version string) {
	rest, ok := strings.CutPrefix(rest, "versions/")
	if !ok {
		return opNone, ""
	}
	version, rest, more := strings.Cut(rest, "/")
	switch {
	case !more:
		return opVersion, version
	case rest == "download":
		return opVersionDownload, version
	default:
		return opNone, ""
	}
}
