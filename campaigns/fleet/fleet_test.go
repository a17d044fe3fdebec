package main

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSmallFleet keeps the program working, and the server: the campaign itself is run by
// hand.
func TestSmallFleet(t *testing.T) {
	t.Parallel()
	if os.Getenv("WEBOFFICE_LONG") == "" {
		t.Skip("set WEBOFFICE_LONG=1 to run it")
	}
	var out bytes.Buffer
	err := run(t.Context(), options{
		replicas: 3, conversions: 40, messages: 15, mentions: 20, saves: 12, kill: time.Second, mostKills: 6,
		calls: 20, perMinute: 60, tokenLife: time.Hour, out: &out,
	})
	if errors.Is(err, errMissing) {
		for _, engine := range []string{"redis-server", "postgresql"} {
			if strings.Contains(err.Error(), engine) && slices.Contains(strings.Split(os.Getenv("WEBOFFICE_REQUIRE"), ","), engine) {
				t.Fatalf("WEBOFFICE_REQUIRE has %s, and %v", engine, err)
			}
		}
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Log(out.String())
}
