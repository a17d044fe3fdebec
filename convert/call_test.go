package convert_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
)

func TestDoDecodesData(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{`{"code":0,"data":{"url":"https://a","name":"n"}}`}}
	client := newClient(t, service, nil)
	var out struct{ URL, Name string }
	if err := client.Do(t.Context(), convert.Call{Path: "/api/developer/v1/files/w/template"}, &out); err != nil || out.URL != "https://a" || out.Name != "n" {
		t.Errorf("Do = %v, %+v", err, out)
	}
	var raw json.RawMessage
	if err := client.Do(t.Context(), convert.Call{Path: "/x"}, &raw); err != nil || string(raw) != `{"url":"https://a","name":"n"}` {
		t.Errorf("Do = %v, %s", err, raw)
	}
	if err := client.Do(t.Context(), convert.Call{Path: "/x"}, nil); err != nil {
		t.Errorf("Do without out = %v", err)
	}
	var wrong []int
	refused := apiError(t, client.Do(t.Context(), convert.Call{Op: "template", Path: "/x"}, &wrong))
	if refused.Op != "template" || refused.Err == nil {
		t.Errorf("Do into another shape = %+v", refused)
	}
}

func TestDoNeedsNoDataForNil(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"code":0}`, `{"code":0,"data":null}`, `{"code":0,"data":{}}`, `{"code":0,"data":[1]}`, `{"code":0,"data":"x"}`} {
		client := newClient(t, &service{answers: []string{body}}, nil)
		if err := client.Do(t.Context(), convert.Call{Path: "/x"}, nil); err != nil {
			t.Errorf("Do with the answer %s = %v", body, err)
		}
	}
}

func TestDoLeavesOutAloneUntilSuccess(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{`{"code":30002,"data":{"A":"from a refusal"}}`, `{"code":0,"data":{"B":"b"}}`}}
	client := newClient(t, service, func(cfg *convert.Config) { cfg.Backoff.Min, cfg.Backoff.Max = 1, 1 })
	var out struct{ A, B string }
	if err := client.Do(t.Context(), convert.Call{Path: "/x"}, &out); err != nil || out.A != "" || out.B != "b" {
		t.Errorf("Do = %v, %+v: the refusal left its data", err, out)
	}
}

func TestDoDecodesAllOrNothing(t *testing.T) {
	t.Parallel()
	type page struct {
		A int
		B int
		C string
	}
	for data, want := range map[string]page{
		`{"a":1,"b":"x"}`: {7, 7, "kept"}, // the second is of another type
		`{"a":1,"b":2}`:   {1, 2, "kept"},
	} {
		out := page{7, 7, "kept"}
		client := newClient(t, &service{answers: []string{`{"code":0,"data":` + data + `}`}}, nil)
		err := client.Do(t.Context(), convert.Call{Path: "/x"}, &out)
		if failed := want.A == 7; out != want || (err != nil) != failed {
			t.Errorf("Do of %s = %v with %+v, want %+v", data, err, out, want)
		}
	}
}

func TestDoRepeatsWhatIsRepeatable(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{"no answer": hangUp, "a code of its own with 500": say(500, `{"code":12345}`)} {
		for repeatable, want := range map[bool]int{false: 1, true: 3} {
			service := &service{answer: answer}
			client := newClient(t, service, func(cfg *convert.Config) { cfg.Backoff.Min, cfg.Backoff.Max = 1, 1 })
			err := client.Do(t.Context(), convert.Call{Path: "/x", Repeatable: repeatable}, nil)
			if err == nil || len(service.received()) != want || !strings.HasPrefix(err.Error(), "convert: GET /x: ") {
				t.Errorf("%s: Do made %d attempts with Repeatable %v, %v, want %d, and the call's method and path", name, len(service.received()), repeatable, err, want)
			}
		}
	}
}

func TestDoRefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	var nilPointer *int
	tests := map[string]struct {
		call convert.Call
		out  any
		want []string
	}{
		"no path":               {convert.Call{}, nil, []string{"Path"}},
		"a relative path":       {convert.Call{Path: "x"}, nil, []string{"Path"}},
		"another host":          {convert.Call{Path: "@evil.example/"}, nil, []string{"Path"}},
		"a path with a query":   {convert.Call{Path: "/x?a=b"}, nil, []string{"Path"}},
		"an empty query":        {convert.Call{Path: "/x?"}, nil, []string{"Path"}},
		"a path with fragment":  {convert.Call{Path: "/x#a"}, nil, []string{"Path"}},
		"a blank":               {convert.Call{Path: "/a b"}, nil, []string{"Path"}},
		"not escaped":           {convert.Call{Path: "/任务"}, nil, []string{"Path"}},
		"a broken escape":       {convert.Call{Path: "/%zz"}, nil, []string{"Path"}},
		"dot segments":          {convert.Call{Path: "/a/../b"}, nil, []string{"Path"}},
		"a single dot":          {convert.Call{Path: "/a/./b"}, nil, []string{"Path"}},
		"escaped dot segments":  {convert.Call{Path: "/a/%2e%2E/b"}, nil, []string{"Path"}},
		"a method":              {convert.Call{Method: "get", Path: "/x"}, nil, []string{"Method"}},
		"a method with a blank": {convert.Call{Method: "GE T", Path: "/x"}, nil, []string{"Method"}},
		"GET with a body":       {convert.Call{Method: "GET", Path: "/x", Body: 1}, nil, []string{"Body"}},
		"HEAD with a body":      {convert.Call{Method: "HEAD", Path: "/x", Body: 1}, nil, []string{"Body"}},
		"no JSON":               {convert.Call{Path: "/x", Body: json.RawMessage(`{"a":`)}, nil, []string{"Body"}},
		"empty JSON":            {convert.Call{Path: "/x", Body: json.RawMessage{}}, nil, []string{"Body"}},
		"not to be encoded":     {convert.Call{Path: "/x", Body: func() {}}, nil, []string{"Body"}},
		"no pointer":            {convert.Call{Path: "/x"}, 1, []string{"out"}},
		"a nil pointer":         {convert.Call{Path: "/x"}, nilPointer, []string{"out"}},
		"everything at once":    {convert.Call{Method: "x", Body: func() {}}, 1, []string{"Path", "Method", "Body", "out"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &service{answers: []string{submitted}}
			err := newClient(t, service, nil).Do(t.Context(), test.call, test.out)
			if diff := cmp.Diff(test.want, fields(err)); diff != "" || len(service.received()) != 0 {
				t.Errorf("Do = %v after %d calls; fields (-want +got):\n%s", err, len(service.received()), diff)
			}
		})
	}
}

func FuzzCallPath(f *testing.F) {
	for _, path := range []string{"/", "/a", "/a%2Fb", "/a:b", "//", "/%41", "/a?b", "/a b", "/..", "/a;b", "/%e4%b8", "/*", "/!'()"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		service := &service{answers: []string{submitted}}
		err := newClient(t, service, nil).Do(t.Context(), convert.Call{Path: path, Query: url.Values{"q": {path}}}, nil)
		calls := service.received()
		if err != nil {
			if len(fields(err)) == 0 || len(calls) != 0 {
				t.Errorf("Do with the path %q = %v after %d calls", path, err, len(calls))
			}
			return
		}
		if want := "/gateway" + path + "?q=" + url.QueryEscape(path); calls[0].Target != want || calls[0].Method != http.MethodGet {
			t.Errorf("Do with the path %q asked for %q, want %q", path, calls[0].Target, want)
		}
	})
}

func TestUnknownTargetsGoThroughDo(t *testing.T) {
	t.Parallel()
	service := &service{answers: []string{submitted, done("https://files.example/1")}}
	client := newClient(t, service, nil)
	var data struct {
		TaskID string `json:"task_id"`
	}
	err := client.Do(t.Context(), convert.Call{
		Op: "submit png", Path: "/api/developer/v1/office/convert/to/png",
		Body: map[string]any{"url": "https://a/b.docx", "filename": "b.docx", "image_dpi": 96},
	}, &data)
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.Wait(t.Context(), convert.Task{ID: data.TaskID, Target: "png"})
	if err != nil || len(result.Files) != 1 {
		t.Errorf("Wait = %v, %v", result, err)
	}
	methods := []string{service.received()[0].Method, service.received()[1].Method}
	if !slices.Equal(methods, []string{"POST", "GET"}) {
		t.Errorf("the service received %v", methods)
	}
}
