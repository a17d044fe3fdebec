package signing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"github.com/weboffice-go/weboffice/signing"
)

const hiddenWord = "hunter2"

// holder keeps a secret where fmt may not call its methods.
type holder struct{ secret signing.Secret }

type nested struct {
	Public  signing.Secret
	private signing.Secret
	inner   *holder
	list    []signing.Secret
	byName  map[string]signing.Secret
	creds   signing.Credentials
	caller  signing.Caller
}

func TestSecretDoesNotPrint(t *testing.T) {
	t.Parallel()
	s := signing.NewSecret(hiddenWord)
	app, robot := signing.App("SX1001", s), signing.Robot(s, s)
	signer, err := signing.NewSigner(robot)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{
		"secret":      s,
		"pointer":     &s,
		"holder":      holder{s},
		"nested":      nested{s, s, &holder{s}, []signing.Secret{s}, map[string]signing.Secret{"a": s}, robot, robot.Caller()},
		"app":         app,
		"robot":       robot,
		"caller":      robot.Caller(),
		"signer":      signer,
		"slice":       []signing.Credentials{app, robot},
		"error":       fmt.Errorf("with %v", s),
		"reflected":   reflect.ValueOf(holder{s}),
		"nested args": []any{s, map[string]any{"x": holder{s}}},
	}
	for name, v := range values {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, verb := range "vsqxXdobBOtTpUceEfFgGw" {
				for _, flags := range []string{"", "+", "#", "-", " ", "0", "20", ".3"} {
					checkHidden(t, "%"+flags+string(verb), fmt.Sprintf("%"+flags+string(verb), v))
				}
			}
			encoded, err := json.Marshal(v)
			if err == nil {
				checkHidden(t, "JSON", string(encoded))
			}
			var log bytes.Buffer
			slog.New(slog.NewTextHandler(&log, nil)).Error("m", "v", v)
			slog.New(slog.NewJSONHandler(&log, nil)).Error("m", "v", v)
			checkHidden(t, "slog", log.String())
			var page bytes.Buffer
			if err := template.Must(template.New("").Parse("{{.}}")).Execute(&page, v); err == nil {
				checkHidden(t, "template", page.String())
			}
		})
	}
}

func checkHidden(t *testing.T, how, got string) {
	t.Helper()
	hexadecimal := fmt.Sprintf("%x", hiddenWord)
	for _, form := range []string{hiddenWord, hexadecimal, strings.ToUpper(hexadecimal)} {
		if strings.Contains(got, form) {
			t.Errorf("%s prints the secret: %q", how, got)
		}
	}
}

func TestSecretForms(t *testing.T) {
	t.Parallel()
	s, zero := signing.NewSecret(hiddenWord), signing.NewSecret("")
	text, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, got, want string }{
		{"String", s.String(), "[secret]"},
		{"zero String", zero.String(), ""},
		{"%d", fmt.Sprintf("%d", s), "[secret]"},
		{"LogValue", s.LogValue().String(), "[secret]"},
		{"MarshalText", string(text), "[secret]"},
		{"Reveal", s.Reveal(), hiddenWord},
		{"zero Reveal", zero.Reveal(), ""},
		{"App", signing.App("SX1001", s).String(), "SVC-2:SX1001"},
		{"AppWithScheme", signing.AppWithScheme("X-1", "SX1001", s).String(), "X-1:SX1001"},
		{"Robot", signing.Robot(s, s).String(), "robot"},
		{"no Credentials", signing.Credentials{}.String(), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if s.IsZero() || !zero.IsZero() {
		t.Errorf("IsZero() = %t and %t, want false and true", s.IsZero(), zero.IsZero())
	}
	if (signing.Credentials{}).IsZero() == signing.App("a", s).IsZero() {
		t.Error("IsZero() is the same for no Credentials and for those of an app")
	}
}

func TestSecretEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"a", "a", true},
		{"a", "b", false},
		{"a", "", false},
		{"ab", "a", false},
		{strings.Repeat("x", 100), strings.Repeat("x", 99) + "y", false},
	} {
		if got := signing.NewSecret(tt.a).Equal(signing.NewSecret(tt.b)); got != tt.want {
			t.Errorf("NewSecret(%q).Equal(%q) = %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestSecretUnmarshalText(t *testing.T) {
	t.Parallel()
	var cfg struct{ Key signing.Secret }
	if err := json.Unmarshal([]byte(`{"Key":"hunter2"}`), &cfg); err != nil || cfg.Key.Reveal() != hiddenWord {
		t.Errorf("Unmarshal gives %q and %v, want %q", cfg.Key.Reveal(), err, hiddenWord)
	}
	stored, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(stored, &cfg); err == nil {
		t.Errorf("Unmarshal(%s) took what MarshalText wrote for a secret", stored)
	}
	if err := json.Unmarshal([]byte(`{"Key":""}`), &cfg); err != nil || !cfg.Key.IsZero() {
		t.Errorf("Unmarshal of the empty text gives %v and IsZero() = %t", err, cfg.Key.IsZero())
	}
}
