package pagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
)

// send sends a message, which may be refused.
func (s *Scene) send(ctx context.Context, url string, message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return do(req, nil)
}

// call sends JSON to the machine API.
func (s *Scene) call(ctx context.Context, method, path string, body, answer any) error {
	payload := []byte{}
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+"/_emulator"+path, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return s.must(req, answer)
}

// upload sends the document as a form.
func (s *Scene) upload(ctx context.Context, path string, fields map[string]string, answer any) error {
	document, err := os.ReadFile(s.Document)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", filepath.Base(s.Document))
	if err != nil {
		return err
	}
	if _, err := part.Write(document); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/_emulator"+path, &b)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return s.must(req, answer)
}

// must sends a request that has to succeed.
func (s *Scene) must(req *http.Request, answer any) error {
	status := 0
	text, err := send(req, &status)
	if err != nil {
		return err
	}
	if status >= http.StatusBadRequest {
		return fmt.Errorf("pagetest: %s %s: %d %s", req.Method, req.URL.Path, status, text)
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// do sends a request that may be refused.
func do(req *http.Request, status *int) error {
	_, err := send(req, status)
	return err
}

func send(req *http.Request, status *int) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if status != nil {
		*status = resp.StatusCode
	}
	return io.ReadAll(resp.Body)
}
