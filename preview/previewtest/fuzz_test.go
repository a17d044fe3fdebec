package previewtest_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// FuzzViewer reads any answer. It never panics, every error is an AnswerError, and
// what it finds nothing wrong with is right.
func FuzzViewer(f *testing.F) {
	for _, body := range []string{
		rightFile(), `{"code":0,"data":{"url":"https://a.example/x","headers":{"a":"b"}}}`, `{"code":0,"data":{"read":1,"user_id":"a"}}`,
		`{"code":0,"data":[{"id":"ann","name":"Ann"}]}`, `{"code":40004,"message":"m"}`, `null`, `[]`, ``, `{"code":1e3}`, `{"code":0,"data":{"size":1e9}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := previewtest.NewViewer(previewtest.ViewerConfig{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(body)
			}),
			HTTPClient: previewtest.HTTPClient(http.NotFoundHandler()),
		})
		if err != nil {
			t.Fatal(err)
		}
		file, fileErr := v.File(t.Context(), "f1")
		if fileErr == nil && (file.ID != "f1" || preview.CheckName(file.Name) != nil || file.Version == 0 || file.Size < 0 || file.CreatedAt.Unix() < 1) {
			t.Errorf("nothing is wrong with %+v", file)
		}
		_, downloadErr := v.Download(t.Context(), "f1")
		p, permissionErr := v.Permission(t.Context(), "f1")
		if permissionErr == nil && p.UserID == "" && (p.Update || p.Print) {
			t.Errorf("nothing is wrong with %+v", p)
		}
		users, usersErr := v.Users(t.Context(), "ann")
		if usersErr == nil && len(users) > 1 {
			t.Errorf("nothing is wrong with %+v", users)
		}
		_, versionsErr := v.Versions(t.Context(), "f1", preview.Page{})
		_, saveErr := v.Save(t.Context(), "f1", "Plan.docx", nil)
		_, openErr := v.Open(t.Context(), "nothing", io.Discard)
		for _, err := range []error{fileErr, downloadErr, permissionErr, usersErr, versionsErr, saveErr, openErr} {
			var e *previewtest.AnswerError
			if err != nil && !errors.As(err, &e) && !errors.Is(err, preview.ErrForbidden) {
				t.Errorf("err = %v, of type %T", err, err)
			}
		}
	})
}
