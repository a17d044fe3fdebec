package desk_test

import (
	"net/http"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/signing"
)

// TestScheme plays a deployment whose scheme is another one: both directions sign with it,
// and what is signed with the default is refused with that reason.
func TestScheme(t *testing.T) {
	t.Parallel()
	e := start(t, func(cfg *desk.Config) { cfg.Scheme = "WPS-2" })
	submit := func(credentials signing.Credentials) error {
		client, err := convert.New(convert.Config{BaseURL: e.URL, Credentials: credentials})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.SubmitText(t.Context(), convert.TextRequest{URL: "http://127.0.0.1:1/a.docx", Filename: "a.docx"})
		return err
	}
	key := signing.NewSecret(desk.DefaultAppKey)
	if err := submit(signing.AppWithScheme("WPS-2", desk.DefaultAppID, key)); err != nil {
		t.Error(err)
	}
	if err := submit(signing.App(desk.DefaultAppID, key)); err == nil {
		t.Error("the default scheme is accepted")
	}
	var refused struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges?refused=true", "", http.StatusOK, &refused)
	var x desk.ExchangeDetail
	e.call(t, http.MethodGet, "/exchanges/"+refused.Items[0].ID, "", http.StatusOK, &x)
	if x.Explanation == nil || x.Explanation.Cause != "scheme" || x.Explanation.Steps[2].Expected != "WPS-2:<app id>:<signature>" {
		t.Errorf("the explanation is %+v", x.Explanation)
	}
	var o desk.Overview
	e.call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	if o.Environment["WEBOFFICE_SCHEME"] != "WPS-2" {
		t.Errorf("the environment is %v", o.Environment)
	}
	var s desk.Session
	e.call(t, http.MethodPost, "/viewer/sessions", `{"gateway":"`+o.Sample.Gateway+`","file_id":"`+o.Sample.FileID+`","token":"`+o.Sample.Token+`"}`, http.StatusCreated, &s)
	var step desk.Step
	e.call(t, http.MethodPost, "/viewer/sessions/"+s.ID+"/open", "", http.StatusOK, &step)
	if !step.OK {
		t.Errorf("the sample is opened: %+v", step)
	}
}
