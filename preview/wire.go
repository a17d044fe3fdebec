package preview

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// wireUpload is the request of public reference 5, "upload/address".
type wireUpload struct {
	FileID         string            `json:"file_id"`
	Name           string            `json:"name"`
	Size           *int64            `json:"size"`
	Digest         map[string]string `json:"digest"`
	Manual         looseFlag         `json:"is_manual"`
	AttachmentSize int64             `json:"attachment_size"`
	ContentType    string            `json:"content_type"`
}

// upload checks w as a request about id. Digests of a type that is not known are
// passed over.
func (w *wireUpload) upload(id string) (Upload, error) {
	u := Upload{
		Name: w.Name, Manual: bool(w.Manual),
		AttachmentSize: w.AttachmentSize, ContentType: w.ContentType,
	}
	if w.FileID != "" && w.FileID != id {
		return u, invalid("file_id differs from that of the path")
	}
	if rule := nameProblem(w.Name); rule != "" {
		return u, invalid("name: " + rule)
	}
	switch {
	case w.Size == nil:
		return u, invalid("size is missing (public reference 5)")
	case *w.Size < 0 || w.AttachmentSize < 0:
		return u, invalid("a size is negative")
	}
	u.Size = *w.Size
	for _, t := range []DigestType{MD5, SHA1, SHA256} {
		digits, ok := w.Digest[string(t)]
		if !ok {
			continue
		}
		d := Digest{Type: t, Hex: digits}
		if d.checkHex() != nil {
			return u, invalid("the digest does not have the form of " + string(t))
		}
		u.Digests = append(u.Digests, d)
	}
	return u, nil
}

// wireResponse is what "upload/complete" says of the upload.
type wireResponse struct {
	StatusCode int         `json:"status_code"`
	Headers    looseHeader `json:"headers"`
	Body       string      `json:"body"`
}

// result reads the body as base64, or as it is where it is none: the form is not
// documented (public reference 5).
func (w *wireResponse) result(sendBack looseMap) UploadResult {
	body, err := base64.StdEncoding.DecodeString(w.Body)
	if err != nil {
		body = []byte(w.Body)
	}
	got := UploadResult{StatusCode: w.StatusCode, Header: http.Header(w.Headers), Body: body, SendBack: sendBack}
	if got.Header == nil {
		got.Header = http.Header{}
	}
	if got.SendBack == nil {
		got.SendBack = map[string]string{}
	}
	return got
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

// looseMap keeps values that are no strings as their JSON.
type looseMap map[string]string

func (m *looseMap) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*m = make(looseMap, len(raw))
	for key, value := range raw {
		(*m)[key] = looseText(value)
	}
	return nil
}

func looseText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text // of a string, or nothing of null
	}
	return string(bytes.TrimSpace(value))
}

// looseHeader has strings or lists of strings.
type looseHeader http.Header

func (h *looseHeader) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*h = make(looseHeader, len(raw))
	for key, value := range raw {
		var list []string
		if json.Unmarshal(value, &list) != nil {
			list = []string{looseText(value)}
		}
		for _, text := range list {
			http.Header(*h).Add(key, text)
		}
	}
	return nil
}
