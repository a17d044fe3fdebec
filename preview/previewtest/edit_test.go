package previewtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// TestViewerEdits goes through every optional callback of a Handler (public reference 5).
func TestViewerEdits(t *testing.T) {
	t.Parallel()
	o := newOffice()
	v, err := o.through(o.config(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	saved, err := v.Save(ctx, "plan", "Plan.docx", []byte("the best plan of all"))
	if err != nil {
		t.Fatal(err)
	}
	if saved.Version != 3 || saved.Size != 20 {
		t.Errorf("Save = %+v, want version 3 of 20 bytes", saved)
	}
	if err := v.Rename(ctx, "plan", "Best plan.docx"); err != nil {
		t.Error(err)
	}
	if err := v.Rename(ctx, "plan", "Budget 预算.xlsx"); !errors.Is(err, preview.ErrNameConflict) {
		t.Errorf("Rename to a name that is taken = %v", err)
	}
	all, err := v.Versions(ctx, "plan", preview.Page{})
	if err != nil || len(all) != 3 || all[0].Name != "Best plan.docx" {
		t.Errorf("Versions = %v, %v", all, err)
	}
	page, err := v.Versions(ctx, "plan", preview.Page{Offset: 1, Limit: 1})
	if err != nil || len(page) != 1 || page[0].Version != 2 {
		t.Errorf("Versions = %v, %v", page, err)
	}
	if f, err := v.Version(ctx, "plan", 1); err != nil || f.Version != 1 {
		t.Errorf("Version = %v, %v", f, err)
	}
	if _, err := v.Version(ctx, "plan", 9); !errors.Is(err, preview.ErrVersionNotFound) {
		t.Errorf("Version(9) = %v", err)
	}
	if d, err := v.DownloadVersion(ctx, "plan", 3); err != nil || !strings.Contains(d.URL, "/plan/3") {
		t.Errorf("DownloadVersion = %v, %v", d, err)
	}
	users, err := v.Users(ctx, "ann", "nobody")
	if diff := cmp.Diff([]preview.User{{ID: "ann", Name: "ANN", AvatarURL: "https://office.example/ann"}}, users); err != nil || diff != "" {
		t.Errorf("Users: %v (-want +got):\n%s", err, diff)
	}
}

// saveScript answers the three callbacks of a save.
func saveScript(address, complete string) script {
	return script{
		"files/f1/upload/prepare":  `{"code":0,"data":{"digest_types":["md5","sha256"]}}`,
		"files/f1/upload/address":  `{"code":0,"data":` + address + `}`,
		"files/f1/upload/complete": complete,
	}
}

// TestViewerSaveSends looks at what goes out in the three phases (public reference 5).
func TestViewerSaveSends(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, address, upload string }{
		{"put", `{"url":"http://up.example/u?s=1","method":"PUT","headers":{"X-Sign":"7"},"send_back_params":{"id":"42"}}`, `PUT /u?s=1 7 bytes`},
		{"put with params", `{"url":"http://up.example/u","method":"PUT","params":{"part":"1"},"send_back_params":{"id":"42"}}`, `PUT /u?part=1  bytes`},
		{"post", `{"url":"http://up.example/u","method":"POST","send_back_params":{"id":"42"}}`, `POST /u  bytes`},
		{"form", `{"url":"http://up.example/u","method":"POST","params":{"policy":"p"},"send_back_params":{"id":"42"}}`, `POST /u  policy=p file=bytes`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			answers := saveScript(tc.address, rightFile())
			callbacks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if len(body) > 0 {
					sent = append(sent, string(body))
				}
				answers.ServeHTTP(w, r)
			})
			uploads := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var got string
				if file, _, err := r.FormFile("file"); err == nil {
					content, _ := io.ReadAll(file)
					got = fmt.Sprintf("policy=%s file=%s", r.FormValue("policy"), content)
				} else {
					content, _ := io.ReadAll(r.Body)
					got = string(content)
				}
				if got = r.Method + " " + r.RequestURI + " " + r.Header.Get("X-Sign") + " " + got; got != tc.upload {
					t.Errorf("upload is %q, want %q", got, tc.upload)
				}
				w.Header().Set("Etag", `"e"`)
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, "thanks")
			})
			v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: callbacks, HTTPClient: previewtest.HTTPClient(uploads)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Save(t.Context(), "f1", "Plan.docx", []byte("bytes")); err != nil {
				t.Fatal(err)
			}
			announced := `{"file_id":"f1","name":"Plan.docx","size":5,"digest":{"md5":"4b3a6218bb3e3a7303e8a171a60fcf92","sha256":"277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9"},"is_manual":true}`
			if len(sent) != 2 || sent[0] != announced {
				t.Fatalf("announced %q, want %q", sent, announced)
			}
			var completed struct {
				Request  json.RawMessage
				Response struct {
					StatusCode int `json:"status_code"`
					Headers    map[string]string
					Body       []byte
				}
				SendBack map[string]string `json:"send_back_params"`
			}
			if err := json.Unmarshal([]byte(sent[1]), &completed); err != nil {
				t.Fatal(err)
			}
			response := completed.Response
			if string(completed.Request) != announced || response.StatusCode != 201 || response.Headers["Etag"] != `"e"` ||
				!bytes.Equal(response.Body, []byte("thanks")) || completed.SendBack["id"] != "42" {
				t.Errorf("completed %s", sent[1])
			}
		})
	}
}

// TestViewerSaveStrict finds what is wrong with each phase.
func TestViewerSaveStrict(t *testing.T) {
	t.Parallel()
	const put = `{"url":"http://up.example/u","method":"PUT"}`
	for _, tc := range []struct {
		name, address, complete string
		status                  int
		want                    string
	}{
		{"no url", `{"method":"PUT"}`, rightFile(), 200, previewtest.RuleAddress},
		{"relative url", `{"url":"/u","method":"PUT"}`, rightFile(), 200, previewtest.RuleAddress},
		{"no method", `{"url":"http://up.example/u"}`, rightFile(), 200, previewtest.RuleAddress},
		{"another method", `{"url":"http://up.example/u","method":"PATCH"}`, rightFile(), 200, previewtest.RuleAddress},
		{"headers null", `{"url":"http://up.example/u","method":"PUT","headers":null}`, rightFile(), 200, previewtest.RuleAddressMaps},
		{"send_back_params of numbers", `{"url":"http://up.example/u","method":"PUT","send_back_params":{"id":1}}`, rightFile(), 200, previewtest.RuleAddressMaps},
		{"upload refused", put, rightFile(), 403, previewtest.RuleUpload},
		{"another size", put, rightFile(`"size":5`, `"size":4`), 200, previewtest.RuleSaved},
		{"no file info", put, `{"code":0,"data":{}}`, 200, previewtest.RuleFileFields},
		{"not uploaded", put, `{"code":41001,"message":"no"}`, 200, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			uploads := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tc.status) })
			v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: saveScript(tc.address, tc.complete), HTTPClient: previewtest.HTTPClient(uploads)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = v.Save(t.Context(), "f1", "Plan.docx", []byte("bytes"))
			if diff := cmp.Diff([]string{tc.want}, rulesIn(err)); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
