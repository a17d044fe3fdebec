package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// call makes one callback. The status is 0 if there was no complete answer.
func call(ctx context.Context, addr, method, path string, in, out any) (int, error) {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return 0, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+"/v3/3rd"+path, &body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Code int
		Data json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return 0, err
	}
	if answer.Code != 0 {
		return resp.StatusCode, fmt.Errorf("code %d", answer.Code)
	}
	if out == nil {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(answer.Data, out)
}

func put(ctx context.Context, address string, header map[string]string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

// age makes every object older. The editors may be at work.
func age(folder string, by time.Duration) error {
	return walk(folder, func(path string, info os.FileInfo) error {
		err := os.Chtimes(path, time.Time{}, info.ModTime().Add(-by))
		if errors.Is(err, fs.ErrNotExist) { // It was a name for a moment.
			return nil
		}
		return err
	})
}

// count counts the objects by their kind.
func count(folder string) (map[string]int, error) {
	n := map[string]int{}
	return n, walk(folder, func(path string, _ os.FileInfo) error {
		switch kind := filepath.Base(filepath.Dir(path)); {
		case kind == "data", kind == "versions":
			n[kind]++
		case filepath.Base(path) == "name.json":
			n["names"]++
		default:
			n["other"]++
		}
		return nil
	})
}

func walk(folder string, visit func(string, os.FileInfo) error) error {
	return filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return visit(path, info)
	})
}
