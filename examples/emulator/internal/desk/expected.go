package desk

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/weboffice-go/weboffice/signing"
)

// digest is the Content-Md5 that would be right.
func (s signature) digest() string {
	if len(s.body) > 0 {
		return signing.ContentMD5(s.body)
	}
	with := signing.ContentMD5([]byte(s.target))
	path, _, hasQuery := strings.Cut(s.target, "?")
	if without := signing.ContentMD5([]byte(path)); hasQuery && s.header.Get("Content-Md5") == without {
		return without
	}
	return with
}

func (s signature) digested() string {
	if len(s.body) > 0 {
		return fmt.Sprintf("the body, %d bytes", len(s.body))
	}
	return "the request target"
}

// whose says whether the request is that of an app or of a robot.
func (s signature) whose() string {
	if strings.Count(s.header.Get("Authorization"), ":") == 1 {
		return "a robot"
	}
	return "an app"
}

func (s signature) shape() string {
	if s.whose() == "a robot" {
		return "<robot key>:<signature>"
	}
	return s.scheme + ":<app id>:<signature>"
}

// sign is the signature that would be right for this Date and Content-Type, which may
// not be in the form in which a signer writes it.
func (s signature) sign(who identity) string {
	at, err := signing.ParseDate(s.header.Get("Date"))
	if err != nil || signing.FormatDate(at) != s.header.Get("Date") || s.header.Get("Content-Md5") != s.digest() {
		return ""
	}
	signer, err := signing.NewSigner(who.credentials())
	if err != nil {
		return ""
	}
	h := http.Header{}
	if t := s.signedType(who); t != "" {
		h.Set("Content-Type", t)
	}
	payload := s.body
	if len(payload) == 0 {
		payload = []byte(s.target)
		if path, _, ok := strings.Cut(s.target, "?"); ok && signing.ContentMD5([]byte(path)) == s.digest() {
			payload = []byte(path)
		}
	}
	signer.Sign(h, payload, at)
	return h.Get("Authorization")[strings.LastIndexByte(h.Get("Authorization"), ':')+1:]
}

// signedType is the Content-Type that is part of the signature: without a body it may be
// empty, though the header is there.
func (s signature) signedType(who identity) string {
	sent := s.header.Get("Content-Type")
	if len(s.body) == 0 && sent != "" {
		bare := s
		bare.header = s.header.Clone()
		bare.header.Del("Content-Type")
		if err := bare.verify(false, who.credentials()); err == nil {
			return ""
		}
	}
	return sent
}

// canonical is the text that is signed, with the secret hidden.
func (s signature) canonical() []Part {
	contentType := s.header.Get("Content-Type")
	if who, ok := s.identity(); ok {
		contentType = s.signedType(who)
	}
	return []Part{
		{"secret", hidden},
		{"content_md5", s.header.Get("Content-Md5")},
		{"content_type", contentType},
		{"date", s.header.Get("Date")},
	}
}
