package previews3_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
)

func TestNewReportsEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := previews3.New(previews3.Config{
		Prefix: "/office", LinkLife: 8 * 24 * time.Hour, MaxSize: -1, CreateOnly: previews3.Header{Name: "x"},
	})
	for _, field := range []string{"Client", "Bucket", "Prefix", "LinkLife", "MaxSize", "CreateOnly"} {
		if err == nil || !strings.Contains(err.Error(), "previews3: config: "+field+" ") {
			t.Errorf("New = %v, which does not name %s", err, field)
		}
	}
	if _, err := previews3.New(previews3.Config{Client: s3.New(s3.Options{}), Bucket: "b", LinkLife: time.Millisecond}); err == nil {
		t.Error("a link life of a millisecond is accepted")
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	s, err := previews3.New(previews3.Config{Client: client(nil), Bucket: "documents"})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, s); got != "previews3.Store{documents}" {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}

// Update and Print without a user would break the rules of protocol 2.6.
func TestEdit(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"", "ann"} {
		p, err := previews3.Edit(t.Context(), preview.Request{UserID: user})
		if err != nil || !p.Read || p.Update != (user != "") || p.Print != (user != "") || p.UserID != user {
			t.Errorf("Edit for %q = %+v, %v", user, p, err)
		}
	}
}
