package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weboffice-go/weboffice/signing"
)

// The folders and files of -data.
const (
	documentsFolder = "documents"
	resultsFolder   = "results"
	keysFolder      = "keys"
	queueFile       = "queue.db"
)

// prepare makes the folder of -data, and the secrets that are not set.
func (s *settings) prepare() (err error) {
	if s.data == "" {
		s.temporary = true
		if s.data, err = os.MkdirTemp("", "weboffice-server-"); err != nil {
			return err
		}
	}
	for _, folder := range []string{documentsFolder, resultsFolder, keysFolder} {
		if err := os.MkdirAll(filepath.Join(s.data, folder), 0o700); err != nil {
			return err
		}
	}
	for name, value := range map[string]*signing.Secret{"api-token": &s.apiToken, "link-key": &s.linkKey, "robot-path": &s.robotPath} {
		if !value.IsZero() {
			continue
		}
		if *value, err = storedKey(filepath.Join(s.data, keysFolder, name)); err != nil {
			return err
		}
		if name == "robot-path" {
			*value = signing.NewSecret("/robot/" + value.Reveal())
		}
	}
	return nil
}

// storedKey reads a key, and makes one the first time, so that links outlast a restart.
func storedKey(name string) (signing.Secret, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.WriteString(file, rand.Text()+"\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return signing.Secret{}, err
	}
	text, err := os.ReadFile(name)
	if err == nil && len(bytes.TrimSpace(text)) < minSecret { // such as nothing, after a crash
		err = fmt.Errorf("%s has less than %d bytes: remove it, and the next start makes another", name, minSecret)
	}
	return signing.NewSecret(string(bytes.TrimSpace(text))), err
}

// derive makes a key for one purpose out of another.
func derive(key signing.Secret, purpose string) []byte {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}
