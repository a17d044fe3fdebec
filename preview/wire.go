package preview

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// decode reads a JSON object. The text of json's errors is not repeated, since it may
// quote the body.
func (c *call) decode(into any) error {
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(c.body, into); {
	case err == nil && bytes.HasPrefix(bytes.TrimSpace(c.body), []byte("{")): // json takes null for an empty one
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		kind, _, _ := strings.Cut(wrong.Value, " ") // "number 1.5"
		return invalidField(wrong.Field, kind, "another type is expected (public reference 5)")
	}
	kind := "not JSON"
	switch {
	case len(c.body) == 0:
		kind = "empty"
	case json.Valid(c.body):
		kind = "other JSON"
	}
	return invalidField("body", kind, "a JSON object is expected (public reference 5)")
}

// wireUpload is the request of public reference 5, "upload/address".
type wireUpload struct {
	FileID string `json:"file_id"`
	Name   string `json:"name"`
	Size   *int64 `json:"size"`
	Digest struct {
		MD5    string `json:"md5"`
		SHA1   string `json:"sha1"`
		SHA256 string `json:"sha256"`
	} `json:"digest"`
	Manual         looseFlag `json:"is_manual"`
	AttachmentSize int64     `json:"attachment_size"`
	ContentType    string    `json:"content_type"`
}

// upload checks w as a request about id. It ignores digests of unknown types.
func (w *wireUpload) upload(id string) (Upload, error) {
	u := Upload{
		Name: w.Name, Manual: bool(w.Manual),
		AttachmentSize: w.AttachmentSize, ContentType: w.ContentType,
	}
	switch rule := nameProblem(w.Name); {
	case w.FileID != "" && w.FileID != id:
		return u, invalidField("file_id", "string", "differs from the id in the path")
	case rule != "":
		return u, invalidField("name", "string", rule)
	case w.Size == nil:
		return u, invalidField("size", "missing", "required (public reference 5)")
	case *w.Size < 0:
		return u, invalidField("size", "number", "must not be negative")
	case w.AttachmentSize < 0:
		return u, invalidField("attachment_size", "number", "must not be negative")
	}
	u.Size = *w.Size
	for _, d := range []Digest{{MD5, w.Digest.MD5}, {SHA1, w.Digest.SHA1}, {SHA256, w.Digest.SHA256}} {
		if d.Hex == "" {
			continue
		}
		if d.Hex = strings.ToLower(d.Hex); d.checkHex() != nil {
			return u, invalidField("digest."+string(d.Type), "string", "does not have the form of "+string(d.Type))
		}
		u.Digests = append(u.Digests, d)
	}
	return u, nil
}

// wireResponse is what "upload/complete" says of the upload.
type wireResponse struct {
	StatusCode int                        `json:"status_code"`
	Headers    map[string]json.RawMessage `json:"headers"` // of strings, or of lists of strings
	Body       string                     `json:"body"`
}

// result reads the body as base64, or as it is if it is not base64: the form is not
// documented (public reference 5).
func (w *wireResponse) result(sendBack map[string]json.RawMessage) UploadResult {
	body, err := base64.StdEncoding.DecodeString(w.Body)
	if err != nil {
		body = []byte(w.Body)
	}
	got := UploadResult{StatusCode: w.StatusCode, Header: http.Header{}, Body: body, SendBack: map[string]string{}}
	for name, value := range w.Headers {
		var list []string
		if json.Unmarshal(value, &list) != nil {
			list = []string{looseText(value)}
		}
		for _, text := range list {
			got.Header.Add(name, text)
		}
	}
	for name, value := range sendBack {
		got.SendBack[name] = looseText(value)
	}
	return got
}

// looseText keeps a value that is not a string as its JSON.
func looseText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text // of a string, or nothing of null
	}
	return string(value)
}

// looseFlag is true, false, or one of the numbers that this protocol prefers
// elsewhere.
type looseFlag bool

func (f *looseFlag) UnmarshalJSON(b []byte) error {
	var number float64
	if json.Unmarshal(b, &number) == nil {
		*f = number != 0
		return nil
	}
	return json.Unmarshal(b, (*bool)(f))
}
