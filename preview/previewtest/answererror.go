package previewtest

import (
	"fmt"
	"strings"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// MaxAnswer is the largest answer that a [Viewer] reads, in bytes.
const MaxAnswer = 1 << 20

// maxKept is how many bytes of an answer an AnswerError keeps.
const maxKept = 4 << 10

// shortest is the length from which on a token is a secret. What is shorter is the
// name of a user in a test, or a word, and stands in other places of a text as well.
const shortest = 8

// hidden gives what must not be in a text.
func hidden(secrets ...signing.Secret) (texts []string) {
	for _, secret := range secrets {
		if text := secret.Reveal(); len(text) >= shortest {
			texts = append(texts, text)
		}
	}
	return texts
}

// AnswerError reports a refusal, or a rule that an answer breaks.
type AnswerError struct {
	Call       string // Method and path, without the query.
	StatusCode int    // HTTP.
	Code       int    // Of the envelope, or 0.
	Message    string // Of the envelope.
	Rule       string // One of [Rules]. Empty: the answer is a well-formed refusal.
	Field      string // As on the wire: "size", or "data[1].name". Empty: the whole answer.
	Detail     string // What is there, in words.
	Body       []byte // Cut, and without the queries of URLs.
}

func (e *AnswerError) Error() string {
	text := "previewtest: " + e.Call + ": "
	if e.Rule == "" {
		return text + fmt.Sprintf("refused: HTTP %d, code %d, message %q", e.StatusCode, e.Code, e.Message)
	}
	text += e.Rule
	if found := strings.TrimSpace(e.Field + " " + e.Detail); found != "" {
		text += ": " + found
	}
	return text
}

// Is reports whether a refusal has the code of target, an error of package preview.
func (e *AnswerError) Is(target error) bool {
	known := preview.DefaultReply(target).Code
	return e.Rule == "" && e.Code == known && known != callback.CodeInternal
}
