package netaddr_test

import (
	"net/url"
	"testing"

	"github.com/weboffice-go/weboffice/internal/netaddr"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]struct{ loopback, private bool }{
		"127.0.0.1":              {true, true},
		"127.8.8.8":              {true, true},
		"::1":                    {true, true},
		"::ffff:127.0.0.1":       {true, true},
		"localhost":              {true, true},
		"LOCALHOST.":             {true, true},
		"app.localhost":          {true, true},
		"localhost.evil.example": {false, false},
		"127.0.0.1.evil.example": {false, false},
		"10.0.0.1":               {false, true},
		"192.168.1.1":            {false, true},
		"100.64.0.1":             {false, true},
		"169.254.0.1":            {false, true},
		"224.0.0.1":              {false, true},
		"255.255.255.255":        {false, true},
		"0.0.0.0":                {false, true},
		"fe80::1":                {false, true},
		"fd00::1":                {false, true},
		"8.8.8.8":                {false, false},
		"2001:4860::8888":        {false, false},
		"intranet":               {false, true},
		"office.internal.":       {false, true},
		"office.example":         {false, false},
		"1.office.example":       {false, false},
	} {
		if got := netaddr.Loopback(host); got != want.loopback {
			t.Errorf("Loopback(%q) = %v", host, got)
		}
		if got := netaddr.Private(host); got != want.private {
			t.Errorf("Private(%q) = %v", host, got)
		}
	}
}

func TestInsecure(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		"http://office.example": true, "HTTP://10.0.0.1:80": true, "http://127.0.0.1:8080": false,
		"http://[::1]": false, "http://localhost": false, "https://office.example": false,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := netaddr.Insecure(u); got != want {
			t.Errorf("Insecure(%q) = %v", raw, got)
		}
	}
}
