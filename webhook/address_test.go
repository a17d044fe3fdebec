package webhook_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/webhook"
)

// Protocol 4.4: the address carries the robot key in its query.
func TestParseAddress(t *testing.T) {
	t.Parallel()
	const path = webhook.SendPath
	tests := []struct{ name, in, address, key string }{
		{"as shown", "https://chat.example.com" + path + "?key=k1", "https://chat.example.com" + path + "?key=k1", "k1"},
		{"path prefix", "https://chat.example.com/im/v2" + path + "?key=k1", "https://chat.example.com/im/v2" + path + "?key=k1", "k1"},
		{"more in the query", "https://h" + path + "?from=copy&key=k1&x=1#top", "https://h" + path + "?key=k1", "k1"},
		{"white space of copying", " \thttps://h" + path + "?key=k1\n", "https://h" + path + "?key=k1", "k1"},
		{"escaped key", "https://h/%2Fa" + path + "?key=a%26b%20c", "https://h/%2Fa" + path + "?key=a%26b+c", "a&b c"},
		{"port, not encrypted", "http://10.0.0.1:8080" + path + "?key=k1", "http://10.0.0.1:8080" + path + "?key=k1", "k1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address, key, err := webhook.ParseAddress(tt.in)
			if err != nil || address != tt.address || key != tt.key {
				t.Errorf("parseAddress = %q, %q, %v, want %q, %q", address, key, err, tt.address, tt.key)
			}
		})
	}
	for name, in := range map[string]string{
		"no key":         "https://h" + path,
		"empty key":      "https://h" + path + "?key=",
		"blank key":      "https://h" + path + "?key=%20",
		"two keys":       "https://h" + path + "?key=SECRET&key=SECRET2",
		"other scheme":   "ftp://h" + path + "?key=SECRET",
		"no scheme":      "h" + path + "?key=SECRET",
		"no host":        "https://?key=SECRET",
		"opaque":         "https:h?key=SECRET",
		"user":           "https://SECRET:SECRET@h" + path + "?key=SECRET",
		"broken escape":  "https://h" + path + "?key=SECRET%zz",
		"not an address": "https://h\x7f/?key=SECRET",
		"semicolon":      "https://h" + path + "?key=SECRET;x=1",
		"key alone":      "SECRET",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _, err := webhook.ParseAddress(in)
			if err == nil {
				t.Fatalf("parseAddress = %q, want an error", address)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %q holds the secret", err)
			}
		})
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"https://h/api?key=a", "http://[::1]:80/%2f?key=%26&x", "https://h?key", "//h", "https://h/;a?key=\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		address, key, err := webhook.ParseAddress(in)
		if err != nil {
			if len(in) > 12 && strings.Contains(err.Error(), in) {
				t.Errorf("error %q repeats the address", err)
			}
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Query().Get("key") != key || len(u.Query()) != 1 || key == "" || u.Host == "" || u.User != nil {
			t.Errorf("parseAddress(%q) = %q, %q", in, address, key)
		}
		again, key2, err := webhook.ParseAddress(address)
		if err != nil || again != address || key2 != key {
			t.Errorf("parseAddress(%q) = %q, %v, want the same again", address, again, err)
		}
	})
}
