package desk_test

import (
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
)

// described is what the tests read of the description.
type described struct {
	Paths      map[string]map[string]any `yaml:"paths"`
	Components struct {
		Schemas    map[string]any `yaml:"schemas"`
		Responses  map[string]any `yaml:"responses"`
		Parameters map[string]any `yaml:"parameters"`
	} `yaml:"components"`
}

func readDescription(t *testing.T) (described, string) {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var d described
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d, string(text)
}

// TestDescriptionHasEveryRoute also shows that the routes are those of the description.
func TestDescriptionHasEveryRoute(t *testing.T) {
	t.Parallel()
	d, text := readDescription(t)
	var want []string
	for path, methods := range d.Paths {
		for method := range methods {
			want = append(want, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(want)
	got := start(t, nil).Routes()
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-described +served):\n%s", diff)
	}
	for _, ref := range regexp.MustCompile(`#/components/(\w+)/(\w+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := map[string]map[string]any{
			"schemas": d.Components.Schemas, "responses": d.Components.Responses, "parameters": d.Components.Parameters,
		}[ref[1]][ref[2]]; !ok {
			t.Errorf("there is no %s", ref[0])
		}
	}
	if len(want) < 40 || len(slices.Collect(maps.Keys(d.Components.Schemas))) < 30 {
		t.Errorf("only %d routes were read", len(want))
	}
}

func TestAnswersAreOfTheirType(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for _, path := range []string{"/overview", "/time", "/faults", "/chat/robots", "/plugin/clients", "/nothing", "/conversions/c99", "/openapi.yaml", "/env"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL+desk.Prefix+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		want := map[string]string{"/openapi.yaml": "application/yaml", "/env": "text/plain; charset=utf-8"}[path]
		if want == "" {
			want = "application/json"
		}
		if got := resp.Header.Get("Content-Type"); err != nil || got != want || len(body) == 0 || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: Content-Type %q and %d bytes, want %q", path, got, len(body), want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for _, tt := range []struct {
		method, path, body string
		status             int
		field              string
	}{
		{"GET", "/exchanges?colour=red", "", 400, "colour"},
		{"GET", "/exchanges?limit=0", "", 400, "limit"},
		{"GET", "/exchanges?limit=1&limit=2", "", 400, "limit"},
		{"GET", "/exchanges?area=moon", "", 400, "area"},
		{"GET", "/exchanges?refused=perhaps", "", 400, "refused"},
		{"GET", "/wait?timeout=2h", "", 400, "timeout"},
		{"GET", "/search?before=m1", "", 400, "before"},
		{"GET", "/exchanges?before=m1", "", 400, "before"},
		{"GET", "/conversions?before=c0", "", 400, "before"},
		{"GET", "/chat/messages?before=zz", "", 400, "before"},
		{"GET", "/plugin/calls?before=p", "", 400, "before"},
		{"GET", "/env?format=xml", "", 400, "format"},
		{"POST", "/chat/say", `{"text":"a","shout":true}`, 400, "shout"},
		{"POST", "/chat/say", `{"text":1}`, 400, "text"},
		{"POST", "/chat/say", `{"text":" "}`, 400, "text"},
		{"POST", "/chat/say", `{"text":"a","robot":"r9"}`, 400, "robot"},
		{"POST", "/chat/say", `{"text":"a"}{}`, 400, ""},
		{"POST", "/time/advance", `{"by":"-1m"}`, 400, "by"},
		{"PUT", "/faults/chat", `{"kind":"expired_links"}`, 400, "kind"},
		{"PUT", "/faults/chat", `{"kind":"slow","on":["submit"]}`, 400, "on"},
		{"PUT", "/faults/chat", `{"kind":"cut","delay":"1s"}`, 400, "delay"},
		{"PUT", "/faults/chat", `{"kind":"wrong_clock","times":1}`, 400, "times"},
		{"PUT", "/faults/chat", `{"kind":"wrong_clock","on":["send"]}`, 400, "on"},
		{"PUT", "/faults/moon", `{"kind":"cut"}`, 404, ""},
		{"POST", "/assert", `{"kind":"message","min":2,"max":1}`, 400, "min"},
		{"POST", "/assert", `{"kind":"mesage","max":0}`, 400, "kind"},
		{"POST", "/assert", `{"area":"chats","max":0}`, 400, "area"},
		{"POST", "/assert", `{"state":"refusd","max":0}`, 400, "state"},
		{"GET", "/wait?state=refusd", "", 400, "state"},
		{"POST", "/viewer/sessions", `{"gateway":"javascript:alert(1)","file_id":"a"}`, 400, "gateway"},
		{"POST", "/viewer/sessions", `{"gateway":"http://127.0.0.1","file_id":"a","app_id":"none"}`, 400, "app_id"},
		{"POST", "/plugin/calls", `{"url":"ftp://a","file_id":"a"}`, 400, "url"},
		{"PUT", "/plugin/life", `{"life":"0s"}`, 400, "life"},
		{"POST", "/explain", `{"request":"hello"}`, 400, "request"},
		{"POST", "/explain", `{"request":"GET / HTTP/1.1\n","app_id":"a"}`, 400, "app_key"},
		{"POST", "/seed", `{"robots":[{"keywords":["a","b","c","d","e","f","g","h","i","j","k"]}]}`, 400, "keywords"},
		{"DELETE", "/overview", "", 405, ""},
		{"GET", "/moon", "", 404, ""},
	} {
		var got struct{ Error, Field string }
		e.call(t, tt.method, tt.path, tt.body, tt.status, &got)
		if got.Error == "" || got.Field != tt.field {
			t.Errorf("%s %s %s: %+v, want the field %q", tt.method, tt.path, tt.body, got, tt.field)
		}
	}
	e.send(t, http.MethodPost, "/chat/say", "text/plain", strings.NewReader(`{"text":"a"}`), http.StatusUnsupportedMediaType, nil)
}
