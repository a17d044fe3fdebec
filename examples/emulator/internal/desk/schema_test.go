package desk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/token"
)

// schemas check values against those of the description, as far as it uses JSON Schema:
// type, required, properties, enum, items, allOf and $ref. A property that is not
// described is a mistake.
type schemas struct{ root map[string]any }

func readSchemas(t *testing.T) *schemas {
	t.Helper()
	_, text := readDescription(t)
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	s := &schemas{}
	if err := json.Unmarshal(asJSON, &s.root); err != nil {
		t.Fatal(err)
	}
	return s
}

// object is v as an object; empty if it is not one.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// resolve follows references, and joins the schemas of allOf.
func (s *schemas) resolve(schema map[string]any) map[string]any {
	if ref, ok := schema["$ref"].(string); ok {
		at := s.root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = object(at[part])
		}
		return s.resolve(at)
	}
	parts, ok := schema["allOf"].([]any)
	if !ok {
		return schema
	}
	properties, required := map[string]any{}, []any{}
	for _, part := range parts {
		p := s.resolve(object(part))
		maps.Copy(properties, object(p["properties"]))
		names, _ := p["required"].([]any)
		required = append(required, names...)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// check lists what is wrong with a value.
func (s *schemas) check(at string, schema map[string]any, value any) (wrong []string) {
	schema = s.resolve(schema)
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, value) {
		return []string{fmt.Sprintf("%s: %v is none of %v", at, value, enum)}
	}
	kind, _ := schema["type"].(string)
	switch v := value.(type) {
	case map[string]any:
		if kind != "object" && kind != "" {
			return []string{fmt.Sprintf("%s: an object, not a %s", at, kind)}
		}
		return s.object(at, schema, v)
	case []any:
		items, _ := schema["items"].(map[string]any)
		if kind != "array" {
			return []string{fmt.Sprintf("%s: an array, not a %s", at, kind)}
		}
		for i, item := range v {
			wrong = append(wrong, s.check(fmt.Sprintf("%s[%d]", at, i), items, item)...)
		}
		return wrong
	case string:
		if kind != "string" {
			return []string{fmt.Sprintf("%s: a string, not a %s", at, kind)}
		}
	case bool:
		if kind != "boolean" {
			return []string{fmt.Sprintf("%s: a boolean, not a %s", at, kind)}
		}
	case float64:
		if kind != "number" && (kind != "integer" || v != math.Trunc(v)) {
			return []string{fmt.Sprintf("%s: the number %v, not a %s", at, v, kind)}
		}
	default:
		return []string{fmt.Sprintf("%s: %v", at, value)}
	}
	return nil
}

func (s *schemas) object(at string, schema, v map[string]any) (wrong []string) {
	properties, _ := schema["properties"].(map[string]any)
	further, _ := schema["additionalProperties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := v[fmt.Sprint(name)]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %v is missing", at, name))
		}
	}
	for name, value := range v {
		switch property, ok := properties[name].(map[string]any); {
		case ok && property["type"] == nil && property["$ref"] == nil && property["enum"] == nil: // Anything.
		case ok:
			wrong = append(wrong, s.check(at+"."+name, property, value)...)
		case further != nil:
			wrong = append(wrong, s.check(at+"."+name, further, value)...)
		case properties != nil:
			wrong = append(wrong, fmt.Sprintf("%s: %s is not described", at, name))
		}
	}
	return wrong
}

// answer is the schema of an answer in JSON.
func (s *schemas) answer(t *testing.T, method, path, status string) map[string]any {
	t.Helper()
	at := s.root
	for _, part := range []string{"paths", path, strings.ToLower(method), "responses", status, "content", "application/json", "schema"} {
		if at[part] == nil {
			t.Fatalf("%s %s has no %s", method, path, part)
		}
		at = s.resolve(object(at[part]))
	}
	return at
}

// TestAnswersAreAsDescribed plays something of everything, and compares the answers with
// their schemas.
func TestAnswersAreAsDescribed(t *testing.T) {
	t.Parallel()
	s := readSchemas(t)
	e := start(t, nil)
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"result":"no","code":0,"data":{}}`))
	}))
	t.Cleanup(broken.Close)
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "txt", "password": "p"}, http.StatusCreated, nil)
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "pdf", "ranges": "1"}, http.StatusCreated, nil)
	e.wait(t, "kind=task&state=success")
	for _, body := range []string{
		`{"msgtype":"text","text":{"content":"<at user_id=\"-1\"></at> and <at email=\"a@b.c\">A</at>"}}`,
		`{"msgtype":"markdown","markdown":{"text":"# a\n\n> **b** *c* ~~d~~ [e](http://f)\n\n1. g\n- h\n\n<font color='red'>i</font> ![](http://j/k.png) <http://l>\n\n| no | table |\n|--|--|"}}`,
		`{"msgtype":"link","link":{"title":"a","text":"b","messageUrl":"http://c","btnTitle":"d"}}`,
		`{"msgtype":"card","card":{"header":{"title":{"tag":"text","content":{"type":"plainText","text":"a"}},"subtitle":{"tag":"text","content":{"type":"plainText","text":"b"}}},"elements":[{"tag":"text","content":{"type":"markdown","text":"*c*"}}],"i18n":{"en-US":{"header":{"title":{"tag":"text","content":{"type":"plainText","text":"d"}}},"elements":[{"tag":"text","content":{"type":"plainText","text":"e"}}]}}}}`,
		`{"msgtype":"moon"}`, `nothing`,
	} {
		e.post(t.Context(), t, body)
	}
	e.call(t, http.MethodPost, "/seed", `{"apps":[{"id":"second","key":"second-key"}]}`, http.StatusNoContent, nil)
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	session := `{"gateway":"` + o.Sample.Gateway + `","file_id":"` + o.Sample.FileID + `","token":"` + o.Sample.Token + `"}`
	for _, c := range []struct{ method, described, path, body, status string }{
		{"GET", "/overview", "/overview", "", "200"},
		{"GET", "/env", "/env?format=json", "", "200"},
		{"POST", "/time/advance", "/time/advance", `{"by":"1s"}`, "200"},
		{"GET", "/time", "/time", "", "200"},
		{"PUT", "/faults/{area}", "/faults/plugin", `{"kind":"slow","delay":"1ms","times":3}`, "200"},
		{"GET", "/faults", "/faults", "", "200"},
		{"POST", "/chat/robots", "/chat/robots", `{"name":"Second","keywords":["a"]}`, "201"},
		{"GET", "/chat/robots/{id}", "/chat/robots/r1", "", "200"},
		{"PUT", "/chat/robots/{id}", "/chat/robots/r2", `{"allow_list":["127.0.0.1"],"signing_secret":"x"}`, "200"},
		{"PUT", "/chat/robots/{id}/callback", "/chat/robots/r1/callback", `{"url":"` + broken.URL + `"}`, "200"},
		{"GET", "/chat/robots", "/chat/robots", "", "200"},
		{"POST", "/chat/say", "/chat/say", `{"text":"hello","robot":"r1","reply_to":"m1"}`, "200"},
		{"GET", "/chat/messages", "/chat/messages", "", "200"},
		{"GET", "/chat/messages/{id}", "/chat/messages/m2", "", "200"},
		{"GET", "/conversions", "/conversions", "", "200"},
		{"GET", "/conversions/{id}", "/conversions/c1", "", "200"},
		{"POST", "/viewer/sessions", "/viewer/sessions", session, "201"},
		{"POST", "/viewer/sessions/{id}/open", "/viewer/sessions/s1/open", "", "200"},
		{"POST", "/viewer/sessions/{id}/history", "/viewer/sessions/s1/history", "", "200"},
		{"POST", "/viewer/sessions/{id}/version", "/viewer/sessions/s1/version", `{"version":1}`, "200"},
		{"POST", "/viewer/sessions/{id}/rename", "/viewer/sessions/s1/rename", `{"name":"a.docx"}`, "200"},
		{"POST", "/viewer/sessions", "/viewer/sessions", `{"gateway":"` + broken.URL + `","file_id":"a","unsigned":true}`, "201"},
		{"POST", "/viewer/sessions/{id}/open", "/viewer/sessions/s2/open", "", "200"},
		{"GET", "/viewer/sessions/{id}", "/viewer/sessions/s1", "", "200"},
		{"GET", "/viewer/sessions", "/viewer/sessions", "", "200"},
		{"GET", "/viewer/sessions/{id}/pages", "/viewer/sessions/s1/pages", "", "200"},
		{"POST", "/plugin/calls", "/plugin/calls", `{"url":"` + e.URL + desk.SamplePrefix + token.Path + `","file_id":"a","token":"ann-session"}`, "200"},
		{"POST", "/plugin/calls", "/plugin/calls", `{"url":"` + broken.URL + `","file_id":"a"}`, "200"},
		{"GET", "/plugin/calls", "/plugin/calls", "", "200"},
		{"GET", "/plugin/clients", "/plugin/clients", "", "200"},
		{"PUT", "/plugin/clients/{id}", "/plugin/clients/b", `{"secret":"c"}`, "200"},
		{"POST", "/explain", "/explain", `{"request":"POST /a HTTP/1.1\nDate: x\n\nb"}`, "200"},
		{"GET", "/exchanges", "/exchanges?limit=500", "", "200"},
		{"GET", "/exchanges/{id}", "/exchanges/x1", "", "200"},
		{"POST", "/exchanges/{id}/resend", "/exchanges/x3/resend", "", "200"},
		{"GET", "/search", "/search?limit=500", "", "200"},
		{"GET", "/wait", "/wait?since=0", "", "200"},
		{"POST", "/assert", "/assert", `{"kind":"task"}`, "200"},
		{"POST", "/assert", "/assert", `{"kind":"task","text":"moon"}`, "409"},
		{"GET", "/conversions/{id}", "/conversions/c99", "", "404"},
		{"GET", "/exchanges", "/exchanges?moon=1", "", "400"},
	} {
		var want int
		var got any
		_, _ = fmt.Sscan(c.status, &want)
		e.call(t, c.method, c.path, c.body, want, &got)
		for _, wrong := range s.check(c.method+" "+c.path, s.answer(t, c.method, c.described, c.status), got) {
			t.Error(wrong)
		}
	}
}
