package desk

import (
	"net/http"
	"strings"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/filehost"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
)

// The areas of the service, as the API names them.
const (
	areaConversion = "conversion"
	areaChat       = "chat"
	areaViewer     = "viewer"
	areaPlugin     = "plugin"
	areaToken      = "token"
)

// areas are all of them, in the order in which they are shown.
func areas() []string {
	return []string{areaConversion, areaChat, areaViewer, areaPlugin, areaToken}
}

// incoming says which operation of which area a request to the service is.
func incoming(r *http.Request) (area, operation string) {
	path := r.URL.EscapedPath()
	switch rest, conversion := strings.CutPrefix(path, converttest.PathPrefix); {
	case conversion && strings.HasPrefix(rest, "tasks/"):
		return areaConversion, "query"
	case conversion && strings.HasPrefix(rest, "results/"):
		return areaConversion, "download"
	case conversion:
		return areaConversion, "submit"
	case strings.HasPrefix(path, filehost.Prefix):
		return areaConversion, "document"
	case strings.HasPrefix(path, tokentest.EndpointPath):
		return areaToken, "grant"
	default:
		return areaChat, "send"
	}
}

// servicePaths are those that [Desk.Handler] gives to the service.
func servicePaths() []string {
	return []string{converttest.PathPrefix, filehost.Prefix, webhook.SendPath, tokentest.EndpointPath}
}

// outgoing says which callback a request of the service is.
func outgoing(area string, r *http.Request) (operation string) {
	switch area {
	case areaChat:
		if r.Method == http.MethodGet {
			return "register"
		}
		return "mention"
	case areaPlugin:
		return "token"
	}
	path := r.URL.EscapedPath()
	i := strings.LastIndex(path, preview.PathPrefix)
	if i < 0 {
		return "bytes"
	}
	parts := strings.Split(path[i+len(preview.PathPrefix):], "/")
	switch {
	case parts[0] == "users":
		return "users"
	case len(parts) == 2:
		return "file"
	case len(parts) >= 4 && parts[2] == "versions":
		return "version"
	default:
		return parts[len(parts)-1] // download, permission, versions, name, and the steps of a save
	}
}
