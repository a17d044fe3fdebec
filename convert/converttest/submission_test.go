package converttest_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert/converttest"
)

func TestSubmissionPrintsWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	submit(t, s, toText, `{"url":"https://files.example/a.docx?sign=CANARY","filename":"a.docx","password":"CANARY"}`)
	sub := s.Submissions()[0]
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, sub); strings.Contains(got, "CANARY") || !strings.Contains(got, "files.example") {
			t.Errorf("%s prints %s, want the document without its secrets", verb, got)
		}
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "submission", sub)
	if strings.Contains(log.String(), "CANARY") || !strings.Contains(log.String(), "files.example") {
		t.Errorf("slog writes %s, want the document without its secrets", &log)
	}
	if sub.Password.Reveal() != "CANARY" || !strings.Contains(string(sub.Body), "CANARY") {
		t.Error("the submission itself must be as the wire had it")
	}
}
