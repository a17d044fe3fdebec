package desk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

func TestDroppedDocumentIsConverted(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var made desk.Conversion
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "txt", "long_txt": "true"}, http.StatusCreated, &made)
	e.wait(t, "kind=task&state=success")
	e.call(t, http.MethodGet, "/conversions/"+made.ID, "", http.StatusOK, &made)
	if made.State != "success" || made.Progress != 100 || len(made.Results) != 1 || made.Results[0].Type != "text" || made.TaskID == "" {
		t.Errorf("the conversion is %+v", made)
	}
	want := []desk.Understood{
		{Name: "pages", Value: "all pages", Default: true},
		{Name: "password", Value: "none", Default: true},
		{Name: "long_txt", Value: "one text for all pages"},
		{Name: "hold_line_feed", Value: "no line breaks", Default: true},
	}
	if diff := cmp.Diff(want, made.Understood); diff != "" {
		t.Errorf("understood (-want +got):\n%s", diff)
	}
	var x desk.ExchangeDetail
	e.call(t, http.MethodGet, "/exchanges/"+made.Exchange, "", http.StatusOK, &x)
	if x.By != "emulator" || x.Ref != made.ID || x.Explanation.Verdict != "valid" {
		t.Errorf("the submit is %+v", x)
	}
}

func TestRefusedSubmitIsAConversion(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var made desk.Conversion
	e.drop(t, "/conversions", "handbook.docx", handbook(t), map[string]string{"target": "txt", "from_page": "3", "to_page": "2", "show_comments": "1"}, http.StatusCreated, &made)
	if made.State != "refused" || made.Message == "" || made.TaskID != "" || len(made.Sent) != 5 {
		t.Errorf("the conversion is %+v, want a refusal", made)
	}
	for _, p := range made.Sent {
		if p.Unknown != (p.Name == "show_comments") {
			t.Errorf("%s: unknown is %t", p.Name, p.Unknown)
		}
	}
}

func TestClientConverts(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "../../../quickstart/document/handbook.docx")
	}))
	t.Cleanup(files.Close)
	client := e.client(t)
	task, err := client.SubmitText(t.Context(), convert.TextRequest{URL: files.URL + "/handbook.docx?sign=secret-of-store", Filename: "handbook.docx"})
	if err != nil {
		t.Fatal(err)
	}
	if paths, err := client.Save(t.Context(), task, t.TempDir(), nil); err != nil || len(paths) == 0 {
		t.Fatalf("Save() = %v, %v", paths, err)
	}
	e.wait(t, "kind=exchange&text=results/")
	var found struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges?area=conversion&text=secret-of-store", "", http.StatusOK, &found)
	if len(found.Items) != 0 {
		t.Errorf("the query of a document's URL is shown: %+v", found.Items)
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var b markdown.Builder
	b.Heading(2, "Build").Paragraph("It is ", markdown.Color("red", "broken"), ", ask ", markdown.MentionUser("7", "Ann"), " at ", markdown.Link("the log", "https://ci.example/1"))
	if err := e.robot(t).Send(t.Context(), webhook.Markdown{Text: b.String()}); err != nil {
		t.Fatal(err)
	}
	if status := e.post(t.Context(), t, `{"msgtype":"text"}`); status != http.StatusBadRequest {
		t.Errorf("an empty message is answered %d, want 400", status)
	}
	var group struct{ Items []desk.Message }
	e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &group)
	if len(group.Items) != 2 || group.Items[0].Refused != "message" || group.Items[0].Reason != "Text message is empty" {
		t.Fatalf("the group has %+v", group.Items)
	}
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	if a := o.Areas[1]; a.Area != "chat" || a.Count != 2 || a.Refused != 1 {
		t.Errorf("the overview has %+v", o.Areas)
	}
	want := []desk.Block{
		{Type: "heading", Level: 2, Inlines: []desk.Inline{{Type: "text", Text: "Build"}}},
		{Type: "paragraph", Inlines: []desk.Inline{
			{Type: "text", Text: "It is "},
			{Type: "color", Color: "red", Inlines: []desk.Inline{{Type: "text", Text: "broken"}}},
			{Type: "text", Text: ", ask "},
			{Type: "mention", Mention: "user", User: "7", Text: "Ann"},
			{Type: "text", Text: " at "},
			{Type: "link", URL: "https://ci.example/1", Inlines: []desk.Inline{{Type: "text", Text: "the log"}}},
		}},
	}
	if diff := cmp.Diff(want, group.Items[1].Blocks); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func TestMentionIsAnswered(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	robot := e.robot(t)
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{robot.Key()},
		Handle: func(ctx context.Context, event webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: "You said: " + event.Text() + ", about: " + event.Reply.Content})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	backend := httptest.NewServer(receiver)
	t.Cleanup(backend.Close)
	if err := robot.Send(t.Context(), webhook.Text{Content: "Lunch?"}); err != nil {
		t.Fatal(err)
	}

	var went desk.Outcome
	e.call(t, http.MethodPut, "/chat/robots/r1/callback", `{"url":"http://127.0.0.1:1/nobody"}`, http.StatusOK, &went)
	if went.OK || went.Exchange == "" {
		t.Errorf("an address where nobody listens: %+v", went)
	}
	e.call(t, http.MethodPut, "/chat/robots/r1/callback", `{"url":"`+backend.URL+`"}`, http.StatusOK, &went)
	if !went.OK {
		t.Fatalf("the address was not taken: %+v", went)
	}
	var said struct {
		Message  desk.Message
		Delivery desk.Outcome
	}
	e.call(t, http.MethodPost, "/chat/say", `{"robot":"r1","text":"yes","reply_to":"m1","sender":2002}`, http.StatusOK, &said)
	if !said.Delivery.OK || said.Message.SenderName != "Bob" || said.Message.ReplyTo.Text != "Lunch?" {
		t.Errorf("said: %+v", said)
	}
	if event := e.wait(t, "kind=delivery&state=ok"); event.Ref != said.Message.ID {
		t.Errorf("the delivery is %+v", event)
	}
	event := e.wait(t, "kind=message&text=You+said:+yes,+about:+Lunch")
	var x desk.ExchangeDetail
	e.call(t, http.MethodGet, "/exchanges/"+said.Delivery.Exchange, "", http.StatusOK, &x)
	if x.Direction != "out" || x.Operation != "mention" || x.Refused || strings.Contains(x.Request.Body.Text, desk.DefaultRobotKey) {
		t.Errorf("event %v, and the delivery is %+v", event, x)
	}

	e.call(t, http.MethodDelete, "/chat/robots/r1/callback", "", http.StatusNoContent, nil)
	e.call(t, http.MethodPost, "/chat/say", `{"robot":"r1","text":"anyone?"}`, http.StatusOK, &said)
	if said.Delivery.OK {
		t.Error("a robot without a callback was told")
	}
}

func TestRobotChangesWhileItRuns(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	hello := `{"msgtype":"text","text":{"content":"hello"}}`
	for _, tt := range []struct {
		settings string
		want     int
	}{
		{`{}`, http.StatusOK},
		{`{"keywords":["deploy"]}`, http.StatusBadRequest},
		{`{"keywords":["hello"],"allow_list":["192.0.2.1"]}`, http.StatusBadRequest},
		{`{"signing_secret":"a-secret"}`, http.StatusBadRequest},
		{`{"per_minute":2}`, http.StatusOK},
		{`{"per_minute":2}`, http.StatusTooManyRequests},
	} {
		e.call(t, http.MethodPut, "/chat/robots/r1", tt.settings, http.StatusOK, nil)
		if got := e.post(t.Context(), t, hello); got != tt.want {
			t.Errorf("with %s: %d, want %d", tt.settings, got, tt.want)
		}
	}
	e.call(t, http.MethodPost, "/time/advance", `{"by":"1m"}`, http.StatusOK, nil)
	if got := e.post(t.Context(), t, hello); got != http.StatusOK {
		t.Errorf("a minute later: %d, want 200", got)
	}
	e.call(t, http.MethodPut, "/chat/robots/r1", `{"key":"another"}`, http.StatusBadRequest, nil)
	e.call(t, http.MethodPost, "/chat/robots", `{"keywords":["","b"]}`, http.StatusBadRequest, nil)
	e.call(t, http.MethodPost, "/chat/robots", `{"key":"`+desk.DefaultRobotKey+`"}`, http.StatusConflict, nil)
	var robot desk.Robot
	e.call(t, http.MethodPost, "/chat/robots", `{"name":"Second"}`, http.StatusCreated, &robot)
	e.call(t, http.MethodDelete, "/chat/robots/"+robot.ID, "", http.StatusNoContent, nil)
	e.call(t, http.MethodGet, "/chat/robots/"+robot.ID, "", http.StatusNotFound, nil)
}

func TestViewerOpensAndSaves(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	open := func(token string) (s desk.Session) {
		e.call(t, http.MethodPost, "/viewer/sessions", `{"gateway":"`+o.Sample.Gateway+`","file_id":"`+o.Sample.FileID+`","token":"`+token+`","user":"`+token[:3]+`"}`, http.StatusCreated, &s)
		return s
	}
	ann, bob := open(o.Sample.Token), open(o.Sample.ReaderToken)
	step := func(s desk.Session, kind, body string) (step desk.Step) {
		e.call(t, http.MethodPost, "/viewer/sessions/"+s.ID+"/"+kind, body, http.StatusOK, &step)
		return step
	}
	for _, s := range []desk.Session{ann, bob} {
		if got := step(s, "open", ""); !got.OK || got.File.Version != 1 || !got.Permission.Read || len(got.Exchanges) < 5 {
			t.Errorf("%s opens: %+v", s.User, got)
		}
	}
	var saved struct{ Items []desk.Step }
	e.drop(t, "/viewer/sessions/"+ann.ID+"/save", "edited.docx", []byte("edited"), map[string]string{"with": bob.ID}, http.StatusOK, &saved)
	if len(saved.Items) != 2 || !saved.Items[0].OK || saved.Items[0].File.Version != 2 || saved.Items[1].OK || saved.Items[1].Broken[0].Code != 40003 {
		t.Errorf("Ann, and Bob who may not: %+v", saved.Items)
	}
	if got := step(ann, "rename", `{"name":"plan.docx"}`); !got.OK {
		t.Errorf("renames: %+v", got)
	}
	if got := step(ann, "history", ""); !got.OK || len(got.Versions) != 2 || got.Versions[0].ModifierName != "Ann" {
		t.Errorf("history: %+v", got)
	}
	if got := step(bob, "version", `{"version":1}`); !got.OK || got.File.Version != 1 {
		t.Errorf("version 1: %+v", got)
	}
	var s desk.Session
	e.call(t, http.MethodGet, "/viewer/sessions/"+bob.ID, "", http.StatusOK, &s)
	if len(s.Steps) != 3 || s.Permission.Update || s.Toolbar[1].Shown || !s.Toolbar[0].Shown {
		t.Errorf("Bob's session: %+v", s)
	}
	var x desk.ExchangeDetail
	e.call(t, http.MethodGet, "/exchanges/"+s.Steps[2].Exchanges[0].ID, "", http.StatusOK, &x)
	if x.Session != bob.ID || x.Explanation == nil || x.Explanation.Verdict != "valid" {
		t.Errorf("an exchange of Bob: %+v", x)
	}
	e.call(t, http.MethodDelete, "/viewer/sessions/"+bob.ID, "", http.StatusNoContent, nil)
	e.call(t, http.MethodPost, "/viewer/sessions/"+bob.ID+"/open", "", http.StatusNotFound, nil)
}

func TestViewerSaysWhichRuleIsBroken(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"code":0,"data":{"id":"other","name":"a:b.docx","version":0,"size":1,"create_time":1,"modify_time":1,"creator_id":"a","modifier_id":"a","read":1,"url":"` + "http://" + r.Host + `/bytes"}}`))
	}))
	t.Cleanup(gateway.Close)
	var s desk.Session
	e.call(t, http.MethodPost, "/viewer/sessions", `{"gateway":"`+gateway.URL+`","file_id":"plan","unsigned":true}`, http.StatusCreated, &s)
	var step desk.Step
	e.call(t, http.MethodPost, "/viewer/sessions/"+s.ID+"/open", "", http.StatusOK, &step)
	rules := 0
	for _, b := range step.Broken {
		if strings.HasPrefix(b.Rule, "protocol 2.4") {
			rules++
		}
	}
	if step.OK || rules < 3 || step.Summary == "" {
		t.Fatalf("the step is %+v, want three broken rules of protocol 2.4", step)
	}
	var x struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges?area=viewer&refused=true", "", http.StatusOK, &x)
	if len(x.Items) == 0 || x.Items[len(x.Items)-1].Reason == "" {
		t.Errorf("no exchange has the rules: %+v", x.Items)
	}
}

func TestPluginGetsAToken(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	var call desk.PluginCall
	ask := func(session string) {
		call = desk.PluginCall{}
		e.call(t, http.MethodPost, "/plugin/calls", `{"url":"`+e.URL+desk.SamplePrefix+token.Path+`","file_id":"plan","token":"`+session+`"}`, http.StatusOK, &call)
	}
	ask("ann-session")
	if !call.OK || *call.ExpiresIn < 7000 || !call.Token.JWT || call.Token.Note != "" || !strings.Contains(string(call.Token.Claims), `"sub":"dev-app"`) {
		t.Errorf("Ann: %+v", call)
	}
	e.call(t, http.MethodPost, "/time/advance", `{"by":"2h"}`, http.StatusOK, nil)
	var calls struct{ Items []desk.PluginCall }
	e.call(t, http.MethodGet, "/plugin/calls", "", http.StatusOK, &calls)
	if left := *calls.Items[0].ExpiresIn; left > 0 {
		t.Errorf("two hours later %v seconds are left", left)
	}
	ask("mallory")
	if call.OK || call.Broken[0].Code != 40002 || !strings.HasPrefix(call.Summary, "Refused: POST "+token.Path+" answered 401") {
		t.Errorf("Mallory: %+v", call)
	}
	e.call(t, http.MethodPut, "/plugin/clients/"+desk.DefaultAppID, `{"secret":"another"}`, http.StatusOK, nil)
	e.call(t, http.MethodPut, "/plugin/life", `{"life":"1m"}`, http.StatusNoContent, nil)
	ask("bob-session")
	if !call.OK || *call.ExpiresIn > 60 {
		t.Errorf("with a life of a minute: %+v", call)
	}
	e.call(t, http.MethodDelete, "/plugin/clients/"+desk.DefaultAppID, "", http.StatusNoContent, nil)
	ask("bob-session")
	if call.OK {
		t.Error("without a client there was a token")
	}
	var found struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges?area=token", "", http.StatusOK, &found)
	for _, x := range found.Items {
		var detail desk.ExchangeDetail
		e.call(t, http.MethodGet, "/exchanges/"+x.ID, "", http.StatusOK, &detail)
		if text := detail.Request.Body.Text + detail.Response.Body.Text; strings.Contains(text, desk.DefaultAppKey) || strings.Contains(text, "eyJ") {
			t.Errorf("a secret is shown: %s", text)
		}
	}
}
