package convert_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

func TestNewRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	good := convert.Config{BaseURL: "https://office.example", Credentials: signingtest.Credentials()}
	tests := map[string]struct {
		change func(*convert.Config)
		want   []string
	}{
		"nothing":                    {func(c *convert.Config) { *c = convert.Config{} }, []string{"BaseURL", "Credentials"}},
		"a relative base":            {func(c *convert.Config) { c.BaseURL = "office.example/x" }, []string{"BaseURL"}},
		"another scheme":             {func(c *convert.Config) { c.BaseURL = "ftp://office.example" }, []string{"BaseURL"}},
		"no host":                    {func(c *convert.Config) { c.BaseURL = "https://:8443/" }, []string{"BaseURL"}},
		"a query":                    {func(c *convert.Config) { c.BaseURL += "/?a=b" }, []string{"BaseURL"}},
		"an empty query":             {func(c *convert.Config) { c.BaseURL += "/?" }, []string{"BaseURL"}},
		"a fragment":                 {func(c *convert.Config) { c.BaseURL += "/#" }, []string{"BaseURL"}},
		"a user":                     {func(c *convert.Config) { c.BaseURL = "https://a:b@office.example" }, []string{"BaseURL"}},
		"dot segments":               {func(c *convert.Config) { c.BaseURL += "/a/../b" }, []string{"BaseURL"}},
		"a path that is not escaped": {func(c *convert.Config) { c.BaseURL += "/a%2Fb/前" }, []string{"BaseURL"}},
		"a robot":                    {func(c *convert.Config) { c.Credentials = signing.Robot(signing.NewSecret("k"), signing.NewSecret("s")) }, []string{"Credentials"}},
		"an app without id and key":  {func(c *convert.Config) { c.Credentials = signing.App("", signing.Secret{}) }, []string{"Credentials", "Credentials"}},
		"an app id with a colon":     {func(c *convert.Config) { c.Credentials = signing.App("a:b", signing.NewSecret("k")) }, []string{"Credentials"}},
		"negative pauses":            {func(c *convert.Config) { c.Backoff.Min, c.Backoff.Max = -1, -1 }, []string{"Backoff.Min", "Backoff.Max"}},
		"pauses the wrong way":       {func(c *convert.Config) { c.Backoff.Min, c.Backoff.Max = 2, 1 }, []string{"Backoff.Max"}},
		"negative attempts":          {func(c *convert.Config) { c.Attempts = -1 }, []string{"Attempts"}},
		"a negative limit":           {func(c *convert.Config) { c.MaxBody = -1 }, []string{"MaxBody"}},
		"a limiter that is none":     {func(c *convert.Config) { c.Limiter = (*counter)(nil) }, []string{"Limiter"}},
		"everything at once": {
			func(c *convert.Config) { *c = convert.Config{BaseURL: "x", Attempts: -1, MaxBody: -1} },
			[]string{"BaseURL", "Credentials", "Attempts", "MaxBody"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := good
			test.change(&cfg)
			client, err := convert.New(cfg)
			if diff := cmp.Diff(test.want, fields(err)); diff != "" || client != nil {
				t.Fatalf("New = %v, %v; fields (-want +got):\n%s", client, err, diff)
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "convert: config: ") {
					t.Errorf("the error has the line %q, want package and operation first", line)
				}
			}
		})
	}
	if _, err := convert.New(good); err != nil {
		t.Errorf("New without optional fields = %v", err)
	}
}

func TestBaseURLKeepsItsPath(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://office.example":        "/api/developer/v1/tasks/1",
		"https://office.example/":       "/api/developer/v1/tasks/1",
		"https://office.example/a/b":    "/a/b/api/developer/v1/tasks/1",
		"http://office.example:80/a/b/": "/a/b/api/developer/v1/tasks/1",
		"https://office.example/%E4%B8": "/%E4%B8/api/developer/v1/tasks/1",
		"https://office.example/a%2Fb/": "/a%2Fb/api/developer/v1/tasks/1",
	} {
		service := &service{answers: []string{running("1")}}
		client := newClient(t, service, func(cfg *convert.Config) { cfg.BaseURL, cfg.AllowInsecureHTTP = base, true })
		if _, err := client.Status(t.Context(), convert.Task{ID: "1"}); err != nil {
			t.Errorf("Status below %s = %v", base, err)
		}
		if calls := service.received(); calls[0].Target != want {
			t.Errorf("below %s the service received %s, want %s", base, calls[0].Target, want)
		}
	}
}

func TestNewCopiesTheHTTPClient(t *testing.T) {
	t.Parallel()
	transport := memhttp.Transport(&service{answers: []string{running("1")}})
	mine := &http.Client{Transport: transport, Timeout: time.Hour}
	client := newClient(t, nil, func(cfg *convert.Config) { cfg.HTTPClient = mine })
	mine.Transport = nil // what the caller does later changes nothing either
	if _, err := client.Status(t.Context(), convert.Task{ID: "1"}); err != nil {
		t.Errorf("Status = %v, although only the caller's own copy changed", err)
	}
	if mine.CheckRedirect != nil || mine.Timeout != time.Hour || mine.Jar != nil || mine.Transport != nil {
		t.Errorf("New changed the caller's http.Client to %+v", mine)
	}
}

func TestNowIsTheClockOfSignatures(t *testing.T) {
	t.Parallel()
	var date string
	client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		date = r.Header.Get("Date")
		say(200, submitted)(w, r)
	}), func(cfg *convert.Config) {
		cfg.Now = func() time.Time { return now.In(time.FixedZone("CST", 8*60*60)) }
	})
	if _, err := client.SubmitText(t.Context(), text()); err != nil || date != "Mon, 29 Apr 2024 06:47:13 GMT" {
		t.Errorf("Date = %q, %v", date, err)
	}
}
