package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/token"
)

func TestEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"WEBOFFICE_SERVICE": "office.example", "WEBOFFICE_API_TOKEN": "short-canary", "WEBOFFICE_LINK_KEY": "canary",
		"WEBOFFICE_LINK_KEY_FILE": "x", "WEBOFFICE_ROBOT_PATH": "canary/no-slash", "WEBOFFICE_DRAIN": "soon",
		"WEBOFFICE_BUCKET_PREFIX": "office/", "WEBOFFICE_LOG_FORMAT": "xml", "WEBOFFICE_APP_KEY_FILE": "/no/such/file",
		"WEBOFFICE_TOKEN_URL": "https://user:canary@", "WEBOFFICE_POLL": "-1s", "WEBOFFICE_CALLS_PER_SECOND": "0",
	}
	_, err := readSettings(nil, func(name string) string { return env[name] }, io.Discard)
	var usage *cli.UsageError
	if !errors.As(err, &usage) {
		t.Fatalf("readSettings = %v, want a mistake in the call", err)
	}
	for _, want := range []string{
		"-service: must", "WEBOFFICE_API_TOKEN must have", "WEBOFFICE_LINK_KEY and -link-key-file", "WEBOFFICE_ROBOT_PATH must",
		"WEBOFFICE_DRAIN: ", "-bucket is required", "-log-format must", "-app-key-file: ", "-token-url: must", "-poll must",
		"-calls-per-second", "-public is required", "-app-id is required", "WEBOFFICE_POSTGRES_URL or -data",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the problems do not name %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("the problems repeat a secret:\n%v", err)
	}
}

// What the libraries would say may repeat a password, or is not known before a request comes.
func TestSettingsThatCannotWork(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][]string{
		"WEBOFFICE_REDIS_URL":     {"127.0.0.1:6379", "redis://:canary@host:1/x", "redis://:canary%zz@host"},
		"WEBOFFICE_POSTGRES_URL":  {"password = 'canary", "postgres://u:canary@host:x/db", "canary@host/db"},
		"WEBOFFICE_ROBOT_PATH":    {"canary", "/canary/", "/", "//canary", "/canary/../x", "/./canary", "/canary%2Fx", "/a\tcanary", "/{canary}", "/canary?x", contentPath, token.Path},
		"WEBOFFICE_LINK_KEY_FILE": {empty},
		"WEBOFFICE_OTLP_URL":      {"http://u:canary@host", "http://host/?canary"},
	} {
		for _, value := range values {
			_, err := readSettings(nil, func(asked string) string { return map[string]string{name: value}[asked] }, io.Discard)
			flag := "-" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, environment), "_", "-"))
			if err == nil || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), flag) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%s %q: %v, want an error that names it, without the secret", name, value, err)
			}
		}
	}
	if s := settingsOf(t, map[string]string{"WEBOFFICE_ROBOT_PATH": "/robot/4fJq-_.~"}); s.robotPath.IsZero() {
		t.Error("a good path is not taken")
	}
}

// A key that was not written to its end, in a crash, is not used.
func TestHalfAKey(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "link-key")
	for _, text := range []string{"", "\n", "SHORT"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if key, err := storedKey(name); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "SHORT") {
			t.Errorf("%q: %q, %v, want an error that names the file", text, key.Reveal(), err)
		}
	}
}

func TestWithoutAServiceNothingOfItMayBeSet(t *testing.T) {
	t.Parallel()
	_, err := readSettings([]string{"-app-id", "x"}, func(name string) string {
		return map[string]string{"WEBOFFICE_ROBOT_URL": "https://chat.example/?key=k"}[name]
	}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "-app-id") || !strings.Contains(err.Error(), "WEBOFFICE_ROBOT_URL") {
		t.Errorf("readSettings = %v, want both settings", err)
	}
}

func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*settings{
		"flag":     settingsOf(t, nil, "-api-token-file", file),
		"variable": settingsOf(t, map[string]string{"WEBOFFICE_API_TOKEN_FILE": file}),
		"direct":   settingsOf(t, map[string]string{"WEBOFFICE_API_TOKEN": "0123456789abcdef"}),
	} {
		if got := s.apiToken.Reveal(); got != "0123456789abcdef" {
			t.Errorf("by %s the token is %q", name, got)
		}
	}
	if s := settingsOf(t, map[string]string{"WEBOFFICE_DRAIN": "5s"}, "-drain", "7s"); s.drain.Seconds() != 7 {
		t.Errorf("-drain is %v, want that of the flag", s.drain)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if _, err := readSettings([]string{"-h"}, func(string) string { return "" }, &out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h = %v", err)
	}
	for _, want := range []string{"-postgres-url-file", "WEBOFFICE_POSTGRES_URL", "-drain", "several replicas"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("-h does not say %q", want)
		}
	}
}
