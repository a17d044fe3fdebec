package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
	"github.com/weboffice-go/weboffice/signing"
)

// sameMAC reports whether text is the HMAC-SHA256 of the parts, in hexadecimal digits.
func sameMAC(secret signing.Secret, text string, parts ...[]byte) bool {
	want := hmac.New(sha256.New, []byte(secret.Reveal()))
	for _, p := range parts {
		want.Write(p)
	}
	got, err := hex.DecodeString(text)
	return err == nil && hmac.Equal(got, want.Sum(nil))
}

func verifyGitHub(secret signing.Secret, h http.Header, body []byte) bool {
	sum, ok := strings.CutPrefix(h.Get("X-Hub-Signature-256"), "sha256=")
	return ok && sameMAC(secret, sum, body)
}

// readGitHub makes a message of a release that is published, also of one that was a
// draft before.
func readGitHub(h http.Header, body []byte) (message, error) {
	if strings.HasPrefix(h.Get("Content-Type"), "application/x-www-form-urlencoded") { // GitHub's default
		return message{}, errors.New("set the content type of the webhook to application/json")
	}
	if h.Get("X-Github-Event") != "release" {
		return message{}, nil // such as ping, when the webhook is made
	}
	var in struct {
		Action     string
		Repository struct {
			FullName string `json:"full_name"`
		}
		Release struct {
			TagName    string `json:"tag_name"`
			HTMLURL    string `json:"html_url"`
			Name       string
			Body       string
			Prerelease bool
			Author     struct{ Login string }
		}
	}
	if err := decode(body, &in); err != nil || in.Action != "published" {
		return message{}, err
	}
	r := in.Release
	return release{
		project: in.Repository.FullName, tag: r.TagName, name: r.Name, url: r.HTMLURL,
		author: r.Author.Login, notes: r.Body, early: r.Prerelease,
	}.message()
}

// verifyGitLab compares the token, which GitLab sends as it is: it is as secret as the
// way is.
func verifyGitLab(secret signing.Secret, h http.Header, _ []byte) bool {
	return secret.Equal(signing.NewSecret(h.Get("X-Gitlab-Token")))
}

// readGitLab makes a message of a new release.
func readGitLab(_ http.Header, body []byte) (message, error) {
	var in struct {
		Kind        string `json:"object_kind"`
		Action      string
		Tag         string
		Name        string
		Description string
		URL         string
		Project     struct {
			Path string `json:"path_with_namespace"`
		}
		Commit struct{ Author struct{ Name string } }
	}
	if err := decode(body, &in); err != nil || in.Kind != "release" || in.Action != "create" {
		return message{}, err
	}
	return release{
		project: in.Project.Path, tag: in.Tag, name: in.Name, url: in.URL,
		author: in.Commit.Author.Name, notes: in.Description,
	}.message()
}

func decode(body []byte, in any) error {
	if err := json.Unmarshal(body, in); err != nil {
		return fmt.Errorf("not a delivery: %w", err)
	}
	return nil
}

// release is one of either.
type release struct {
	project, tag, name, url, author, notes string
	early                                  bool
}

// message writes a release. Its notes are Markdown of others, who cannot mention anyone.
func (r release) message() (message, error) {
	if r.project == "" || r.tag == "" {
		return message{}, errors.New("not a delivery: a release has a project and a tag")
	}
	title := r.project + " " + r.tag
	var b markdown.Builder
	b.Heading(3, markdown.Link(title, r.url))
	if r.name != "" && r.name != r.tag {
		b.Paragraph(markdown.Bold(r.name))
	}
	by := []any{}
	if r.early {
		by = append(by, "Pre-release ")
	}
	if r.author != "" {
		by = append(by, "by ", r.author)
	}
	b.Paragraph(by...)
	b.Paragraph(markdown.Raw(commonmark.Convert(r.notes, &commonmark.Options{BaseURL: r.url})))
	return message{title, b.String()}, nil
}
