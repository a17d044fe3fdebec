package previewtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/weboffice-go/weboffice/preview"
)

// Save saves body as a new version of a document, with the calls of public
// reference 5: it asks which digests the store can check, announces the document
// and asks where to upload it, uploads body, and reports how that went. The File
// describes the new version. A refusal is an [*AnswerError], and so is each rule
// that an answer breaks.
//
// What the params of an upload address mean is not known. With POST they are
// taken for the fields of a form, whose file is the document; with PUT they are
// added to the query.
func (v *Viewer) Save(ctx context.Context, fileID, name string, body []byte) (preview.File, error) {
	types, err := v.prepare(ctx, fileID)
	if err != nil {
		return preview.File{}, err
	}
	request := uploadWire(fileID, announced(name, body, types))
	address, err := v.address(ctx, fileID, request)
	if err != nil {
		return preview.File{}, err
	}
	a := &answer{call: "upload to the address of " + filePath(fileID, "upload", "address")}
	got, err := upload(ctx, v.bytes, address, body)
	if err != nil {
		return preview.File{}, fmt.Errorf("previewtest: %s: %w", a.call, err)
	}
	if a.status = got.StatusCode; a.status < 200 || a.status > 299 {
		a.broken(RuleUpload, "url", "HTTP "+strconv.Itoa(a.status))
		return preview.File{}, a.err()
	}
	f, err := v.file(ctx, http.MethodPost, filePath(fileID, "upload", "complete"), fileID, completeWire(request, got))
	if err == nil && f.Size != int64(len(body)) {
		a = &answer{call: http.MethodPost + " " + filePath(fileID, "upload", "complete"), status: http.StatusOK}
		a.broken(RuleSaved, "size", "is "+strconv.FormatInt(f.Size, 10)+", and "+strconv.Itoa(len(body))+" bytes were uploaded")
		err = a.err()
	}
	return f, err
}

func (v *Viewer) prepare(ctx context.Context, fileID string) ([]preview.DigestType, error) {
	a, err := v.ask(ctx, http.MethodGet, filePath(fileID, "upload", "prepare"), nil, nil)
	if err != nil {
		return nil, err
	}
	o, ok := a.object(RuleDigestTypes, RuleDigestTypes)
	if !ok {
		return nil, a.err()
	}
	var types []preview.DigestType
	raw := o.fields["digest_types"]
	if err := json.Unmarshal(raw, &types); err != nil || types == nil {
		a.broken(RuleDigestTypes, "digest_types", "is "+described(raw))
	}
	for _, t := range types {
		if !slices.Contains([]preview.DigestType{preview.MD5, preview.SHA1, preview.SHA256}, t) {
			a.broken(RuleDigestTypes, "digest_types", "holds "+strconv.Quote(string(t)))
		}
	}
	return types, a.err()
}

func (v *Viewer) address(ctx context.Context, fileID string, request wireUpload) (preview.UploadAddress, error) {
	a, err := v.ask(ctx, http.MethodPost, filePath(fileID, "upload", "address"), nil, request)
	if err != nil {
		return preview.UploadAddress{}, err
	}
	o, ok := a.object(RuleAddress, RuleAddress)
	if !ok {
		return preview.UploadAddress{}, a.err()
	}
	address := preview.UploadAddress{
		URL:      o.text("url", true),
		Method:   o.text("method", true),
		Header:   o.texts("headers", RuleAddressMaps),
		Params:   o.texts("params", RuleAddressMaps),
		SendBack: o.texts("send_back_params", RuleAddressMaps),
	}
	if address.URL != "" && !absolute(address.URL) {
		a.broken(RuleAddress, "url", "is not an absolute address")
	}
	if m := address.Method; m != "" && m != http.MethodPut && m != http.MethodPost {
		a.broken(RuleAddress, "method", "is "+strconv.Quote(m))
	}
	if problem := headerProblem(address.Header); problem != "" {
		a.broken(RuleAddressMaps, "headers", problem)
	}
	return address, a.err()
}

// wireUpload announces a save (public reference 5).
type wireUpload struct {
	FileID string            `json:"file_id"`
	Name   string            `json:"name"`
	Size   int64             `json:"size"`
	Digest map[string]string `json:"digest"`
	Manual bool              `json:"is_manual"`
}

func uploadWire(fileID string, u preview.Upload) wireUpload {
	digests := map[string]string{}
	for _, d := range u.Digests {
		digests[string(d.Type)] = d.Hex
	}
	return wireUpload{FileID: fileID, Name: u.Name, Size: u.Size, Digest: digests, Manual: u.Manual}
}

// wireComplete reports an upload.
type wireComplete struct {
	Request  wireUpload        `json:"request"`
	Response wireResponse      `json:"response"`
	SendBack map[string]string `json:"send_back_params"`
}

type wireResponse struct {
	StatusCode int               `json:"status_code"`
	Header     map[string]string `json:"headers"`
	Body       string            `json:"body"` // base64
}

func completeWire(request wireUpload, got preview.UploadResult) wireComplete {
	header := map[string]string{}
	for name := range got.Header {
		header[name] = got.Header.Get(name)
	}
	return wireComplete{
		Request:  request,
		Response: wireResponse{got.StatusCode, header, base64.StdEncoding.EncodeToString(got.Body)},
		SendBack: got.SendBack,
	}
}
