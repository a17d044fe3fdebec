package previewtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// TestViewerEdits goes through every optional callback of a Handler (public reference 5).
func TestViewerEdits(t *testing.T) {
	t.Parallel()
	o := newOffice()
	v, err := o.through(o.config())
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

// TestViewerSession plays one, of which the last save is manual.
func TestViewerSession(t *testing.T) {
	t.Parallel()
	o := newOffice()
	var manual []bool
	cfg := o.config()
	cfg.Saver = noting{o, &manual}
	v, err := o.through(cfg)
	if err != nil {
		t.Fatal(err)
	}
	more := func(content []byte) []byte { return append(content, '!') }
	f, err := v.Edit(t.Context(), "plan", more, more)
	if err != nil || f.Version != 4 || f.ModifierID != "ann" || string(o.docs["plan"].contents[3]) != "a better plan!!" {
		t.Errorf("Edit = %+v, %v, saved %q", f, err, o.docs["plan"].contents)
	}
	if diff := cmp.Diff([]bool{false, true}, manual); diff != "" {
		t.Errorf("manual saves (-want +got):\n%s", diff)
	}
	lost := lostSave{o}
	cfg.Saver = lost
	if v, err = o.through(cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Edit(t.Context(), "plan", more); !slices.Contains(rulesIn(err), previewtest.RuleSaved) {
		t.Errorf("Edit of a store that keeps nothing = %v", err)
	}
}

// noting keeps which saves were manual.
type noting struct {
	*office
	manual *[]bool
}

func (s noting) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	*s.manual = append(*s.manual, u.Manual)
	return s.office.UploadAddress(ctx, r, u)
}

// lostSave acknowledges each save and keeps none.
type lostSave struct{ *office }

func (s lostSave) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, _ preview.UploadResult) (preview.File, error) {
	f, err := s.File(ctx, r)
	f.Version, f.Size = f.Version+1, u.Size
	return f, err
}

// TestViewerSteps are single calls: what is announced, and what is sent.
func TestViewerSteps(t *testing.T) {
	t.Parallel()
	const put = `{"url":"http://up.example/u","method":"PUT","headers":{"content-type":"text/x"}}`
	for name, tc := range map[string]struct {
		upload          preview.Upload
		address         string
		announced, kind string
	}{
		"all":            {preview.Upload{Name: "a.md", Size: 5, AttachmentSize: 7, ContentType: "text/markdown"}, `{"url":"http://up.example/u","method":"PUT"}`, `"is_manual":false,"attachment_size":7,"content_type":"text/markdown"}`, "text/markdown"},
		"no type":        {preview.Upload{Name: "a.md", Size: 5}, `{"url":"http://up.example/u","method":"POST"}`, `"is_manual":false}`, "application/octet-stream"},
		"type by header": {preview.Upload{Name: "a.md", Size: 5, Manual: true}, put, `"is_manual":true}`, "text/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := saveScript(tc.address, rightFile())
			callbacks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); r.URL.Path == "/v3/3rd/files/f1/upload/address" && !strings.HasSuffix(string(body), tc.announced) {
					t.Errorf("announced %s, want …%s", body, tc.announced)
				}
				answers.ServeHTTP(w, r)
			})
			uploads := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); r.Header.Get("Content-Type") != tc.kind || string(body) != "bytes" || r.ContentLength != 5 {
					t.Errorf("upload of %q, type %q, length %d, want type %q", body, r.Header.Get("Content-Type"), r.ContentLength, tc.kind)
				}
			})
			v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: callbacks, HTTPClient: previewtest.HTTPClient(uploads)})
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			types, err := v.PrepareUpload(ctx, "f1")
			if diff := cmp.Diff([]preview.DigestType{preview.MD5, preview.SHA256}, types); err != nil || diff != "" {
				t.Errorf("PrepareUpload: %v (-want +got):\n%s", err, diff)
			}
			address, err := v.UploadAddress(ctx, "f1", tc.upload)
			if err != nil {
				t.Fatal(err)
			}
			got, err := v.Upload(ctx, address, tc.upload, strings.NewReader("bytes"))
			if err != nil || got.StatusCode != 200 {
				t.Fatalf("Upload = %v, %v", got, err)
			}
			if f, err := v.CompleteUpload(ctx, "f1", tc.upload, got); err != nil || f.Size != 5 {
				t.Errorf("CompleteUpload = %+v, %v", f, err)
			}
		})
	}
}

// TestViewerSaveGrows wants a version that is higher than before.
func TestViewerSaveGrows(t *testing.T) {
	t.Parallel()
	o := newOffice()
	cfg := o.config()
	cfg.Saver = saver{office: o, calls: new(atomic.Int32), complete: func(f preview.File, _ int) preview.File {
		f.Version--
		return f
	}}
	v, err := o.through(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Save(t.Context(), "plan", "Plan.docx", []byte("a plan"))
	if diff := cmp.Diff([]string{previewtest.RuleSaved}, rulesIn(err)); diff != "" || !strings.Contains(err.Error(), "version is 2, and was 2") {
		t.Errorf("Save = %v", err)
	}
}

// TestOpenBesideSaves by another user, between the callbacks of Open.
func TestOpenBesideSaves(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before string // the callback before which somebody saves
		saved  string
		gone   bool // the address of an old version is gone
		want   string
	}{
		"before the download": {"Download", "the new plan", false, "the new plan"},
		"same size":           {"Download", "a wiser  plan", false, "a wiser  plan"},
		"old address gone":    {"Get", "the new plan", true, "the new plan"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice()
			saved := false
			save := func(at string) {
				o.mu.Lock()
				defer o.mu.Unlock()
				if at == tc.before && !saved {
					saved = true
					o.docs["plan"].save([]byte(tc.saved), "bob")
				}
			}
			cfg := o.config()
			cfg.Store = hooks{office: o, file: func(_ preview.Request, f preview.File, err error) (preview.File, error) {
				defer save("Download")
				return f, err
			}}
			h, err := preview.NewHandler(cfg)
			if err != nil {
				t.Fatal(err)
			}
			files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				save("Get")
				if o.mu.Lock(); tc.gone && !strings.HasSuffix(r.URL.Path, fmt.Sprint("/", len(o.docs["plan"].contents))) {
					o.mu.Unlock()
					w.WriteHeader(http.StatusGone)
					return
				}
				o.mu.Unlock()
				o.ServeHTTP(w, r)
			})
			v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: h, WebOfficeToken: signing.NewSecret("ann"), HTTPClient: previewtest.HTTPClient(files)})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			f, err := v.Open(t.Context(), "plan", &got)
			if err != nil || got.String() != tc.want {
				t.Errorf("Open = %+v, %v, with %q, want %q", f, err, got.String(), tc.want)
			}
		})
	}
}

// TestOpenBesideManySaves of other sizes, before and after each file info: no version is
// that of the bytes.
func TestOpenBesideManySaves(t *testing.T) {
	t.Parallel()
	o := newOffice()
	save := func() preview.File {
		d := o.docs["plan"]
		d.save(append(slices.Clone(d.contents[len(d.contents)-1]), '!'), "bob")
		return describe("plan", d, len(d.contents))
	}
	cfg := o.config()
	cfg.Store = hooks{office: o, file: func(preview.Request, preview.File, error) (preview.File, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		defer save()
		return save(), nil
	}}
	v, err := o.through(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Open(t.Context(), "plan", nil)
	if err == nil || !strings.Contains(err.Error(), "open it again") || len(rulesIn(err)) > 0 {
		t.Errorf("Open = %v, want an error that is no AnswerError", err)
	}
}
