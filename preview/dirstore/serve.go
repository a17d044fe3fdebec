package dirstore

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

const noStore = "private, no-store"

// ServeHTTP answers links, by GET and HEAD, on any path: only the query counts.
// Ranges and conditional requests are supported.
//
// A link that this Store did not sign, or that has expired, is answered with 403,
// a document that is gone with 404, and one of which there is a newer version
// with 410, so that nobody takes new bytes for an old version. If a file is
// written to while it is served, the answer breaks off.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", noStore)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed)
		return
	}
	id, number, err := s.verify(r.URL.RawQuery)
	if err != nil {
		refuse(w, http.StatusForbidden)
		return
	}
	d, err := s.find(r.Context(), id)
	switch {
	case errors.Is(err, preview.ErrNotFound):
		refuse(w, http.StatusNotFound)
	case err != nil:
		refuse(w, http.StatusInternalServerError)
	case d.number != number:
		refuse(w, http.StatusGone)
	default:
		s.serve(w, r, d)
	}
}

func refuse(w http.ResponseWriter, status int) { http.Error(w, http.StatusText(status), status) }

// serve sends the bytes of d.
func (s *Store) serve(w http.ResponseWriter, r *http.Request, d document) {
	f, err := s.root.Open(d.path)
	if err != nil {
		refuse(w, http.StatusNotFound)
		return
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() != d.size || !info.ModTime().Equal(d.modified) {
		refuse(w, http.StatusGone)
		return
	}
	name := preview.CleanName(path.Base(d.path))
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Content-Disposition", disposition(name))
	h.Set("Etag", `"`+hex.EncodeToString(d.sum[:])+`"`)
	http.ServeContent(private{w}, r, "", d.modified, steadyFile{f, info})
}

// private keeps the header that http.ServeContent takes from its errors.
type private struct{ http.ResponseWriter }

func (p private) WriteHeader(status int) {
	p.Header().Set("Cache-Control", noStore)
	p.ResponseWriter.WriteHeader(status)
}

// steadyFile is a file that cannot be read any more once it has changed, so that
// nobody gets the bytes of two versions. It has no more methods than it needs: by
// those of os.File the kernel would send the bytes past Read.
type steadyFile struct {
	file *os.File
	info fs.FileInfo
}

var errChanged = errors.New("dirstore: the file has changed")

func (f steadyFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	if !unchanged(f.file, f.info) {
		return 0, errChanged
	}
	return n, err
}

func (f steadyFile) Seek(offset int64, whence int) (int64, error) { return f.file.Seek(offset, whence) }

// contentTypes are the documents that the viewer opens. The tables of mime depend
// on the system.
var contentTypes = map[string]string{
	".doc":  "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".ppt":  "application/vnd.ms-powerpoint",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".xls":  "application/vnd.ms-excel",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pdf":  "application/pdf",
}

func contentType(name string) string {
	if t := contentTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "application/octet-stream"
}

// disposition names the file, in the form of RFC 8187 where it is not ASCII.
func disposition(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}
