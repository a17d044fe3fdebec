package dirstore

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

const noStore = "private, no-store"

// ServeHTTP answers links, on any path: only the query counts. Downloads are by GET and
// HEAD, with ranges and conditional requests; uploads are by PUT.
//
// A link that is wrong or has expired is answered with 403, a document that is gone with
// 404, and a version that is not kept with 410. If a file is written to while it is
// served, the answer breaks off. An upload is answered with 201 once its bytes are on the
// disk, 400 if its length is not the announced one, 409 if other bytes were uploaded
// before, and 507 if there is no room.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", noStore)
	values, err := url.ParseQuery(r.URL.RawQuery)
	upload := s.cfg.Editing && values.Has(paramUpload)
	switch {
	case upload && r.Method != http.MethodPut:
		h.Set("Allow", http.MethodPut)
		refuse(w, http.StatusMethodNotAllowed)
	case !upload && r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed)
	case err != nil:
		refuse(w, http.StatusForbidden)
	case upload:
		s.upload(w, r, values)
	default:
		s.download(w, r, values)
	}
}

func refuse(w http.ResponseWriter, status int) { http.Error(w, http.StatusText(status), status) }

// upload takes the bytes of a save.
func (s *Store) upload(w http.ResponseWriter, r *http.Request, values url.Values) {
	token := values.Get(paramUpload)
	size, err := strconv.ParseInt(values.Get(paramSize), 10, 64)
	until, isToken := tokenExpires(token)
	switch {
	case !s.verify(uploadLinks, values) || err != nil || !isToken || s.expired(until):
		refuse(w, http.StatusForbidden)
		return
	case r.ContentLength >= 0 && r.ContentLength != size:
		refuse(w, http.StatusBadRequest)
		return
	}
	switch err := s.receive(r.Context(), token, values.Get(paramFile), size, r.Body); {
	case err == nil:
		w.WriteHeader(http.StatusCreated)
	case errors.Is(err, errUploadSize), errors.Is(err, io.ErrUnexpectedEOF):
		refuse(w, http.StatusBadRequest)
	case errors.Is(err, errUploadedBefore):
		refuse(w, http.StatusConflict)
	case full(err):
		refuse(w, http.StatusInsufficientStorage)
	default:
		refuse(w, http.StatusInternalServerError)
	}
}

// download sends the bytes of one version.
func (s *Store) download(w http.ResponseWriter, r *http.Request, values url.Values) {
	number, numberErr := strconv.ParseUint(values.Get(paramVersion), 10, 32)
	until, untilErr := strconv.ParseInt(values.Get(paramExpires), 10, 64)
	if !s.verify(downloadLinks, values) || numberErr != nil || untilErr != nil || s.expired(time.Unix(until, 0)) {
		refuse(w, http.StatusForbidden)
		return
	}
	var f steadyFile
	var v version
	d, err := s.find(r.Context(), values.Get(paramFile))
	if err == nil {
		f, v, err = s.openVersion(d, uint32(number))
	}
	switch {
	case err == nil:
		defer func() { _ = f.file.Close() }()
		send(w, r, f, d, v)
	case errors.Is(err, preview.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		refuse(w, http.StatusNotFound)
	case errors.Is(err, errGone):
		refuse(w, http.StatusGone)
	default:
		refuse(w, http.StatusInternalServerError)
	}
}

// send sends f, which is v as long as it does not change.
func send(w http.ResponseWriter, r *http.Request, f steadyFile, d document, v version) {
	name := preview.CleanName(path.Base(d.path))
	h := w.Header()
	h.Set("Content-Type", cmp.Or(contentTypes[strings.ToLower(path.Ext(name))], "application/octet-stream"))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name})) // RFC 8187, if it is not ASCII
	h.Set("Etag", `"`+v.SHA1+`"`)
	http.ServeContent(private{w}, r, "", v.since(), f)
}

// private keeps the header that http.ServeContent takes from its errors.
type private struct{ http.ResponseWriter }

func (p private) WriteHeader(status int) {
	p.Header().Set("Cache-Control", noStore)
	p.ResponseWriter.WriteHeader(status)
}

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
