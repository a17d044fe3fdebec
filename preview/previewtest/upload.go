package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
)

// upload sends body to a as the service does: as it is, or, where there are
// params for a POST, as the file of a form. The params of a PUT go into the query.
func upload(ctx context.Context, client *http.Client, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
	req, err := uploadRequest(ctx, a, body)
	if err != nil {
		return preview.UploadResult{}, err
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
	sendBack := a.SendBack
	if sendBack == nil {
		sendBack = map[string]string{}
	}
	return preview.UploadResult{StatusCode: res.StatusCode, Header: res.Header, Body: answer, SendBack: sendBack}, nil
}

func uploadRequest(ctx context.Context, a preview.UploadAddress, body []byte) (*http.Request, error) {
	u, err := url.Parse(a.URL)
	if err != nil {
		return nil, errors.New("the upload address cannot be read")
	}
	method := cmp.Or(a.Method, http.MethodPut)
	contentType := ""
	switch {
	case len(a.Params) == 0:
	case method == http.MethodPost:
		if body, contentType, err = form(a.Params, body); err != nil {
			return nil, err
		}
	default:
		query := u.Query()
		for name, value := range a.Params {
			query.Set(name, value)
		}
		u.RawQuery = query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the upload address cannot be called")
	}
	setHeader(req, a.Header)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return req, nil
}

// form writes params and then the file, the order that object stores want.
func form(params map[string]string, file []byte) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range params {
		err = errors.Join(err, w.WriteField(name, value))
	}
	part, partErr := w.CreateFormFile("file", "document")
	if err = errors.Join(err, partErr); err != nil {
		return nil, "", fmt.Errorf("write the form: %w", err)
	}
	_, err = part.Write(file)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, "", fmt.Errorf("write the form: %w", err)
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

// announced is the save of body as the service announces it to a store that can
// check digests of types.
func announced(name string, body []byte, types []preview.DigestType) preview.Upload {
	u := preview.Upload{Name: name, Size: int64(len(body)), Manual: true}
	for _, t := range []preview.DigestType{preview.MD5, preview.SHA1, preview.SHA256} {
		if slices.Contains(types, t) {
			u.Digests = append(u.Digests, preview.Digest{Type: t, Hex: sum(t, body)})
		}
	}
	return u
}

func sum(t preview.DigestType, body []byte) string {
	if t == preview.SHA256 {
		s := sha256.Sum256(body)
		return hex.EncodeToString(s[:])
	}
	h := newHash(t)
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
