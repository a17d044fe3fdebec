package convert_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weboffice-go/weboffice/convert"
)

var update = flag.Bool("update", false, "write the golden files")

var now = time.Date(2024, 4, 29, 6, 47, 13, 0, time.UTC)

func TestStatusReadsBothFamilies(t *testing.T) {
	t.Parallel()
	expires := now.Add(convert.URLLifetime)
	file := func(url string, size int64) convert.File {
		return convert.File{URL: url, Size: size, ExpiresAt: expires}
	}
	tests := []struct {
		name  string
		body  string
		want  convert.Status
		phase convert.Phase
	}{
		{
			"protocol 2.3, txt",
			`{"code":0,"data":{"status":"success","progress":100,"result":{"task":{"elapsed":1.5,"resource_size":7},"txts":[{"url":"https://a/1?s","size":1},{"url":"https://a/2","size":0}]}}}`,
			convert.Status{State: "success", Progress: 100, Result: &convert.Result{Files: []convert.File{file("https://a/1?s", 1), file("https://a/2", 0)}, Elapsed: 1.5, ResourceSize: 7}},
			convert.Done,
		},
		{
			"protocol 2.3, pdf, message null",
			`{"code":0,"data":{"status":"success","progress":100,"message":null,"result":{"task":{"elapsed":410,"resource_size":11884},"pdfs":[{"url":"http://a/1","size":50790}]}}}`,
			convert.Status{State: "success", Progress: 100, Result: &convert.Result{Files: []convert.File{file("http://a/1", 50790)}, Elapsed: 410, ResourceSize: 11884}},
			convert.Done,
		},
		{
			"images before one url",
			`{"code":0,"data":{"status":"success","progress":100,"result":{"url":"https://a/all","size":4,"images":[{"url":"https://a/1","size":3}]}}}`,
			convert.Status{State: "success", Progress: 100, Result: &convert.Result{Files: []convert.File{file("https://a/1", 3)}}},
			convert.Done,
		},
		{
			"images",
			`{"code":0,"data":{"status":"success","progress":100,"result":{"images":[{"url":"https://a/1","size":3,"slideId":"150995203"}]}}}`,
			convert.Status{State: "success", Progress: 100, Result: &convert.Result{Files: []convert.File{file("https://a/1", 3)}}},
			convert.Done,
		},
		{
			"a flat url and size",
			`{"code":0,"data":{"status":"success","progress":100,"message":null,"result":{"task":{"elapsed":397,"resource_size":57344},"url":"https://a/x","size":32606}}}`,
			convert.Status{State: "success", Progress: 100, Result: &convert.Result{Files: []convert.File{file("https://a/x", 32606)}, Elapsed: 397, ResourceSize: 57344}},
			convert.Done,
		},
		{
			"both lists are optional",
			`{"code":0,"data":{"status":"success","progress":100,"result":{"txts":null}}}`,
			convert.Status{State: "success", Progress: 100, Result: &convert.Result{}},
			convert.Done,
		},
		{
			"the second family, done",
			`{"code":0,"data":{"download_url":"http://a/x.docx?Expires=1","status":1,"duration":1.693,"task_id":"459d","progress":100,"start_time":1714367049215,"page_count":3,"errMsgs":null}}`,
			convert.Status{State: "1", Progress: 100, Result: &convert.Result{Files: []convert.File{file("http://a/x.docx?Expires=1", -1)}, Elapsed: 1693}},
			convert.Done,
		},
		{"the second family, running", `{"code":0,"data":{"status":2,"progress":40,"errMsgs":null}}`, convert.Status{State: "2", Progress: 40}, convert.Running},
		{"the second family, interrupted", `{"code":0,"data":{"status":3,"errMsgs":"stop"}}`, convert.Status{State: "3", Message: "stop"}, convert.Failed},
		{"the second family, queued", `{"code":0,"data":{"status":5}}`, convert.Status{State: "5"}, convert.Running},
		{"an unknown state is kept", `{"code":0,"data":{"status":"meditating","progress":12.5,"message":null}}`, convert.Status{State: "meditating", Progress: 12.5}, convert.Running},
		{"a number in quotes", `{"code":"0","data":{"status":"running","progress":"50"}}`, convert.Status{State: "running", Progress: 50}, convert.Running},
		{"a word for failure", `{"code":0,"data":{"status":"Failure","message":null}}`, convert.Status{State: "Failure"}, convert.Failed},
		{"a message is a failure", `{"code":0,"data":{"status":"ended","message":"bad password"}}`, convert.Status{State: "ended", Message: "bad password"}, convert.Failed},
		{"a message without a state", `{"code":0,"data":{"status":null,"message":"bad password"}}`, convert.Status{Message: "bad password"}, convert.Failed},
		{"the query of an address in a message", `{"code":0,"data":{"status":"failed","message":"cannot load https://a/x?sig=abc"}}`, convert.Status{State: "failed", Message: "cannot load https://a/x?[secret]"}, convert.Failed},
		{"success in spite of a message", `{"code":0,"data":{"status":"success","message":"fine"}}`, convert.Status{State: "success", Message: "fine"}, convert.Done},
		{"what is not known is ignored", `{"x":1,"code":0,"data":{"y":[1],"status":"running","result":null},"result":"ok","trace":{}}`, convert.Status{State: "running"}, convert.Running},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(test.body)) }),
				func(cfg *convert.Config) { cfg.Now = func() time.Time { return now } })
			got, err := client.Status(t.Context(), convert.Task{ID: "1"})
			if err != nil {
				t.Fatal(err)
			}
			test.want.Raw = []byte(test.body)
			if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreUnexported(convert.Status{}, convert.Result{})); diff != "" {
				t.Errorf("Status (-want +got):\n%s", diff)
			}
			if got := convert.DefaultClassify(got); got != test.phase {
				t.Errorf("DefaultClassify = %v, want %v", got, test.phase)
			}
		})
	}
}

func TestStatusRefusesFilesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, result := range []string{
		`{"txts":[{"url":"","size":1}]}`, `{"txts":[{"size":1}]}`, `{"pdfs":[{"url":"https://a","size":-1}]}`,
		`{"pdfs":[{"url":"https://a","size":1e300}]}`, `{"txts":"none"}`, `{"txts":[{"url":7}]}`,
		`{"url":"https://a","size":"NaN"}`,
	} {
		client := newClient(t, &service{answers: []string{`{"code":0,"data":{"status":"success","result":` + result + `}}`}},
			func(cfg *convert.Config) { cfg.Attempts = 1 })
		if status, err := client.Status(t.Context(), convert.Task{ID: "1"}); status != nil {
			t.Errorf("Status with the result %s = %v, want an error", result, status)
		} else {
			_ = apiError(t, err)
		}
	}
}

func TestStatusRefusesTasksWithoutID(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{running("1")}}
	client := newClient(t, service, nil)
	for _, id := range []string{"", ".", ".."} {
		if _, err := client.Status(t.Context(), convert.Task{ID: id}); !cmp.Equal(fields(err), []string{"ID"}) {
			t.Errorf("Status of %q = %v, want a FieldError of ID", id, err)
		}
	}
	if n := len(service.received()); n != 0 {
		t.Errorf("%d calls were sent, want none", n)
	}
}

func TestTaskQueryReplacesMethodPathAndShape(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		call convert.Call
		want received
	}{
		{"the second family", convert.Call{Path: "/api/developer/v1/tasks/convert/to/docx/459d"}, received{Method: "GET", Target: "/gateway/api/developer/v1/tasks/convert/to/docx/459d"}},
		{"a query", convert.Call{Path: "/tasks", Query: url.Values{"id": {"open:a b&c"}, "a": {"文"}}}, received{Method: "GET", Target: "/gateway/tasks?a=%E6%96%87&id=open%3Aa+b%26c"}},
		{"a body", convert.Call{Path: "/query", Body: map[string]string{"task_id": "<open>"}}, received{Method: "POST", Target: "/gateway/query", Body: `{"task_id":"\u003copen\u003e"}`}},
		{"raw JSON", convert.Call{Method: "PUT", Path: "/query", Query: url.Values{"v": {"2"}}, Body: json.RawMessage("{ \"id\": \"<1>\" }\n")}, received{Method: "PUT", Target: "/gateway/query?v=2", Body: "{ \"id\": \"<1>\" }\n"}},
		{"DELETE with a body", convert.Call{Method: "DELETE", Path: "/query", Body: 1}, received{Method: "DELETE", Target: "/gateway/query", Body: "1"}},
		{"POST without a body", convert.Call{Method: "POST", Path: "/query"}, received{Method: "POST", Target: "/gateway/query"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service := &service{answers: []string{running("40")}}
			client := newClient(t, service, func(cfg *convert.Config) {
				cfg.TaskQuery = func(task convert.Task) convert.Call {
					if task.ID != "459d" || task.Target != "docx" {
						t.Errorf("TaskQuery got %v", task)
					}
					return test.call
				}
			})
			status, err := client.Status(t.Context(), convert.Task{ID: "459d", Target: "docx"})
			if err != nil || status.Progress != 40 {
				t.Fatalf("Status = %v, %v", status, err)
			}
			got := service.received()[0]
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(received{}, "Header", "At")); diff != "" {
				t.Errorf("the service received (-want +got):\n%s", diff)
			}
			payload := got.Body
			if payload == "" {
				payload = got.Target
			}
			if sum := got.Header.Get("Content-Md5"); sum != md5Hex(payload) {
				t.Errorf("Content-Md5 = %s, want that of %q", sum, payload)
			}
		})
	}
}

func TestStoredFormsAreStable(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "stored.json")
	type stored struct {
		Task convert.Task
		File convert.File
	}
	full := stored{
		convert.Task{ID: "open:<abc>", Target: convert.PDF},
		convert.File{URL: "https://a/x?sig=1&b=2", Size: 5, ExpiresAt: now},
	}
	got, err := json.MarshalIndent(full, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var read stored
	if err := json.Unmarshal(want, &read); err != nil || read != full {
		t.Errorf("read back %v, %v, want %v", read, err, full)
	}
}

func FuzzStatus(f *testing.F) {
	for _, bad := range unproven {
		f.Add([]byte(bad.body))
	}
	f.Add([]byte(running("12")))
	f.Add([]byte(done("https://a/1?x")))
	f.Add([]byte(broken("m")))
	f.Add([]byte(`{"code":0,"data":{"status":1,"download_url":"http://a","errMsgs":["a",{}],"duration":"1e3"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }),
			func(cfg *convert.Config) { cfg.Attempts = 1 })
		status, err := client.Status(t.Context(), convert.Task{ID: "1"})
		if err != nil {
			_ = apiError(t, err)
			return
		}
		if status.State == "" && status.Message == "" {
			t.Errorf("Status of %q has neither state nor message", body)
		}
		if status.Result != nil {
			for _, file := range status.Result.Files {
				if file.URL == "" || file.Size < -1 || file.ExpiresAt.IsZero() {
					t.Errorf("Status of %q has the file %v", body, file)
				}
			}
		}
		if !json.Valid(status.Raw) {
			t.Errorf("Status took %q, which is not JSON", body)
		}
		task, err := client.SubmitText(t.Context(), text())
		if (err == nil) == (task.ID == "") {
			t.Errorf("SubmitText with the answer %q = %v, %v", body, task, err)
		}
	})
}
