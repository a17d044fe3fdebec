package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"strconv"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
)

// Save is [Viewer.SaveUpload] for a manual save.
func (v *Viewer) Save(ctx context.Context, fileID, name string, body []byte) (preview.File, error) {
	return v.SaveUpload(ctx, fileID, preview.Upload{Name: name, Manual: true}, body)
}

// SaveUpload saves body as a new version, by PrepareUpload, UploadAddress, Upload and
// CompleteUpload (public reference 5). It fills in Size and Digests of u.
func (v *Viewer) SaveUpload(ctx context.Context, fileID string, u preview.Upload, body []byte) (preview.File, error) {
	before, unknown := v.File(ctx, fileID)
	types, err := v.PrepareUpload(ctx, fileID)
	if err != nil {
		return preview.File{}, err
	}
	u = announced(u, body, types)
	address, err := v.UploadAddress(ctx, fileID, u)
	if err != nil {
		return preview.File{}, err
	}
	got, err := v.Upload(ctx, address, u, bytes.NewReader(body))
	if err != nil {
		return preview.File{}, err
	}
	f, err := v.CompleteUpload(ctx, fileID, u, got)
	if err == nil && unknown == nil && f.Version <= before.Version {
		err = unsaved(fileID, "version", "is %d, and was %d before the save", f.Version, before.Version)
	}
	return f, err
}

// Edit opens a document, saves what each edit makes of it, the last one manually, and opens
// it again: it must be the last save, unless another user saved since.
func (v *Viewer) Edit(ctx context.Context, fileID string, edits ...func(content []byte) []byte) (preview.File, error) {
	var opened bytes.Buffer
	f, err := v.Open(ctx, fileID, &opened)
	if err != nil {
		return f, err
	}
	content := opened.Bytes()
	for i, edit := range edits {
		content = edit(content)
		u := preview.Upload{Name: f.Name, Manual: i == len(edits)-1, ContentType: contentType}
		if f, err = v.SaveUpload(ctx, fileID, u, content); err != nil {
			return f, err
		}
	}
	var again bytes.Buffer
	now, err := v.Open(ctx, fileID, &again)
	if err != nil {
		return f, err
	}
	if now.Version < f.Version || now.Version == f.Version && !bytes.Equal(again.Bytes(), content) {
		return now, unsaved(fileID, "version", "%d was saved, and version %d opens with other bytes", f.Version, now.Version)
	}
	return f, nil
}

// PrepareUpload asks which digests the store can verify.
func (v *Viewer) PrepareUpload(ctx context.Context, fileID string) ([]preview.DigestType, error) {
	return get(ctx, v, http.MethodGet, filePath(fileID, "upload", "prepare"), nil, RuleDigestTypes, func(o object) (types []preview.DigestType) {
		raw := o.fields["digest_types"]
		if err := json.Unmarshal(raw, &types); err != nil || types == nil {
			o.broken(RuleDigestTypes, "digest_types", "is "+described(raw))
		}
		for _, t := range types {
			if hashes[t] == nil {
				o.broken(RuleDigestTypes, "digest_types", "holds "+strconv.Quote(string(t)))
			}
		}
		return types
	})
}

// UploadAddress announces u and asks where to upload it.
func (v *Viewer) UploadAddress(ctx context.Context, fileID string, u preview.Upload) (preview.UploadAddress, error) {
	path := filePath(fileID, "upload", "address")
	return get(ctx, v, http.MethodPost, path, uploadWire(fileID, u), RuleAddress, func(o object) preview.UploadAddress {
		address := preview.UploadAddress{
			URL:      o.address("url"),
			Method:   o.text("method", true),
			Header:   o.headers(RuleAddressMaps),
			Params:   o.texts("params", RuleAddressMaps),
			SendBack: o.texts("send_back_params", RuleAddressMaps),
		}
		if m := address.Method; m != "" && m != http.MethodPut && m != http.MethodPost {
			o.broken(RuleAddress, "method", "is "+strconv.Quote(m))
		}
		return address
	})
}

// contentType is that of the bytes of an upload that has no other.
const contentType = "application/octet-stream"

// Upload sends u.Size bytes of body to a. The params of an address become the fields of a
// form for POST, and a query for PUT: what they mean is not known.
func (v *Viewer) Upload(ctx context.Context, a preview.UploadAddress, u preview.Upload, body io.Reader) (preview.UploadResult, error) {
	call := "upload to " + redact.URL(a.URL)
	got, err := upload(ctx, v.bytes, a, u, body)
	if err != nil {
		return got, fmt.Errorf("previewtest: %s: %w", call, err)
	}
	if status := got.StatusCode; status < 200 || status > 299 {
		err = &AnswerError{Call: call, StatusCode: status, Rule: RuleUpload, Field: "url", Detail: "HTTP " + strconv.Itoa(status)}
	}
	return got, err
}

// CompleteUpload reports how the upload of u went.
func (v *Viewer) CompleteUpload(ctx context.Context, fileID string, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	f, err := v.complete(ctx, fileID, u, got)
	if err == nil && f.Size != u.Size {
		err = unsaved(fileID, "size", "is %d, and %d bytes were uploaded", f.Size, u.Size)
	}
	return f, err
}

func (v *Viewer) complete(ctx context.Context, fileID string, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	header := map[string]string{}
	for name := range got.Header {
		header[name] = got.Header.Get(name)
	}
	return v.file(ctx, http.MethodPost, filePath(fileID, "upload", "complete"), fileID, map[string]any{
		"request":          uploadWire(fileID, u),
		"response":         map[string]any{"status_code": got.StatusCode, "headers": header, "body": append([]byte{}, got.Body...)},
		"send_back_params": got.SendBack,
	})
}

// unsaved is the rule that the last callback of a save breaks.
func unsaved(fileID, field, format string, args ...any) error {
	return wrong(http.MethodPost+" "+filePath(fileID, "upload", "complete"), RuleSaved, field, fmt.Sprintf(format, args...))
}

// upload is Viewer.Upload without a verdict on the status.
func upload(ctx context.Context, client *http.Client, a preview.UploadAddress, u preview.Upload, body io.Reader) (preview.UploadResult, error) {
	method, size, kind := cmp.Or(a.Method, http.MethodPut), u.Size, cmp.Or(u.ContentType, contentType)
	isForm := method == http.MethodPost && len(a.Params) > 0
	if isForm {
		body, size, kind = form(a.Params, body, size)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.URL, body)
	if err != nil {
		return preview.UploadResult{}, errors.New("the upload address cannot be called")
	}
	if len(a.Params) > 0 && !isForm {
		query := req.URL.Query()
		for name, value := range a.Params {
			query.Set(name, value)
		}
		req.URL.RawQuery = query.Encode()
	}
	req.Header.Set("Content-Type", kind)
	if req.ContentLength = size; size == 0 {
		req.Body = http.NoBody
	}
	setHeader(req, a.Header)
	if isForm {
		req.Header.Set("Content-Type", kind) // whose boundary is needed
	}
	res, err := client.Do(req)
	if err != nil {
		return preview.UploadResult{}, redact.Error(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer))
	if err != nil {
		return preview.UploadResult{}, redact.Error(err)
	}
	sendBack := map[string]string{} // not null
	maps.Copy(sendBack, a.SendBack)
	return preview.UploadResult{StatusCode: res.StatusCode, Header: res.Header, Body: answer, SendBack: sendBack}, nil
}

// form writes params and then the file, the order that object stores want.
func form(params map[string]string, file io.Reader, size int64) (body io.Reader, total int64, contentType string) {
	var around bytes.Buffer // to which writing does not fail
	w := multipart.NewWriter(&around)
	for name, value := range params {
		_ = w.WriteField(name, value)
	}
	_, _ = w.CreateFormFile("file", "document")
	head := around.Len()
	_ = w.Close()
	total = int64(around.Len()) + size
	return io.MultiReader(io.LimitReader(&around, int64(head)), file, &around), total, w.FormDataContentType()
}

// wireUpload announces a save (public reference 5).
type wireUpload struct {
	FileID         string            `json:"file_id"`
	Name           string            `json:"name"`
	Size           int64             `json:"size"`
	Digest         map[string]string `json:"digest"`
	Manual         bool              `json:"is_manual"`
	AttachmentSize int64             `json:"attachment_size,omitempty"`
	ContentType    string            `json:"content_type,omitempty"`
}

func uploadWire(fileID string, u preview.Upload) wireUpload {
	digests := map[string]string{}
	for _, d := range u.Digests {
		digests[string(d.Type)] = d.Hex
	}
	return wireUpload{fileID, u.Name, u.Size, digests, u.Manual, u.AttachmentSize, u.ContentType}
}
