package desk

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
)

// Overview is what is running, what to copy, and what can be played.
type Overview struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	StartedAt   time.Time         `json:"started_at"`
	URL         string            `json:"url"`
	LastEvent   int               `json:"last_event"`
	Engine      Engine            `json:"engine"`
	Areas       []AreaState       `json:"areas"`
	Apps        []App             `json:"apps"`
	Clients     []Client          `json:"clients"`
	Robots      []Robot           `json:"robots"`
	Addresses   []Address         `json:"addresses"`
	Sample      *Sample           `json:"sample,omitempty"`
	Curl        string            `json:"curl"`
	Go          string            `json:"go,omitempty"`
	Environment map[string]string `json:"environment"`
	Can         []Ability         `json:"can"`
	Bounds      map[string]int    `json:"bounds"`
}

// Engine is what the local engine can do on this machine.
type Engine struct {
	Description string   `json:"description"`
	PDF         bool     `json:"pdf"`
	ReadPDF     bool     `json:"read_pdf"`
	Pictures    bool     `json:"pictures"`
	Missing     []string `json:"missing,omitempty"`
}

// AreaState counts the exchanges of an area.
type AreaState struct {
	Area    string        `json:"area"`
	Count   int           `json:"count"`
	Refused int           `json:"refused"`
	Fault   *FaultSetting `json:"fault,omitempty"`
}

// Address is a path of the service.
type Address struct {
	Area   string `json:"area,omitempty"`
	Method string `json:"method"`
	URL    string `json:"url"`
	What   string `json:"what"`
}

func describeEngine(e *office.Engine) Engine {
	shown := Engine{Description: e.Describe()}
	for _, check := range []struct {
		can *bool
		err error
	}{{&shown.PDF, e.CanPDF()}, {&shown.ReadPDF, e.CanReadPDF()}, {&shown.Pictures, e.CanShow()}} {
		*check.can = check.err == nil
		if check.err != nil && !slices.Contains(shown.Missing, check.err.Error()) {
			shown.Missing = append(shown.Missing, check.err.Error())
		}
	}
	return shown
}

func (d *Desk) overview(*http.Request) (any, error) {
	o := Overview{
		Name: "weboffice emulator", Version: d.version(), StartedAt: d.started, URL: d.cfg.URL, LastEvent: d.journal.last(),
		Engine: describeEngine(d.cfg.Engine), Apps: d.allApps(), Clients: d.plugin.allClients(), Robots: d.chat.all(),
		Addresses: d.addresses(), Sample: d.sample.show(), Environment: d.env(), Can: abilities(), Bounds: bounds(),
	}
	counts, refused := map[string]int{}, map[string]int{}
	d.exchanges.since(0, func(x Exchange) bool {
		counts[x.Area]++
		if x.Refused {
			refused[x.Area]++
		}
		return true
	})
	for _, area := range areas() {
		fault, _ := d.faults.setting(area)
		o.Areas = append(o.Areas, AreaState{area, counts[area], refused[area], fault})
	}
	if len(o.Robots) > 0 {
		o.Curl = o.Robots[0].Curl
	}
	o.Go = d.goSnippet()
	return o, nil
}

// goSnippet connects the clients of this module.
func (d *Desk) goSnippet() string {
	app := d.firstApp()
	snippet := fmt.Sprintf(`client, err := convert.New(convert.Config{
	BaseURL:     %q,
	Credentials: signing.AppWithScheme(%q, %q, signing.NewSecret(%q)),
})
`, d.cfg.URL, d.cfg.Scheme, app.ID, app.Key)
	if robots := d.chat.all(); len(robots) > 0 {
		snippet += fmt.Sprintf(`robot, err := webhook.NewRobot(webhook.Config{
	URL: signing.NewSecret(%q),
})
`, robots[0].URL)
	}
	return snippet
}

func (d *Desk) addresses() []Address {
	at := func(area, method, path, what string) Address { return Address{area, method, d.cfg.URL + path, what} }
	all := []Address{
		at(areaConversion, "POST", converttest.PathPrefix+"office/convert/to/txt", "Submits a conversion to text."),
		at(areaConversion, "POST", converttest.PathPrefix+"office/convert/to/pdf", "Submits a conversion to PDF."),
		at(areaConversion, "GET", converttest.PathPrefix+"tasks/{task_id}", "Asks how a task is doing."),
		at(areaChat, "POST", webhook.SendPath+"?key={robot key}", "Sends a message."),
		at(areaToken, "POST", tokentest.EndpointPath, "Grants an access token to a client."),
		at("", "GET", Prefix+"/openapi.yaml", "The description of the emulator's own API."),
		at("", "GET", Prefix+"/events", "Everything that happens, as server-sent events."),
	}
	return all
}

// env is what the example programs read.
func (d *Desk) env() map[string]string {
	env := map[string]string{
		"WEBOFFICE_EMULATOR_URL": d.cfg.URL,
		"WEBOFFICE_BASE_URL":     d.cfg.URL,
		"WEBOFFICE_SCHEME":       d.cfg.Scheme,
		"WEBOFFICE_SERVE":        "127.0.0.1:0",
		"WEBOFFICE_AUTH_URL":     d.cfg.URL + tokentest.EndpointPath,
		"WEBOFFICE_SERVICE":      d.cfg.URL, // This and the next are names of examples/server.
		"WEBOFFICE_TOKEN_URL":    d.cfg.URL + tokentest.EndpointPath,
	}
	if app := d.firstApp(); app.ID != "" {
		env["WEBOFFICE_APP_ID"], env["WEBOFFICE_APP_KEY"] = app.ID, app.Key
	}
	if clients := d.plugin.allClients(); len(clients) > 0 {
		env["WEBOFFICE_CLIENT_ID"], env["WEBOFFICE_CLIENT_SECRET"] = clients[0].ID, clients[0].Secret
	}
	if robots := d.chat.all(); len(robots) > 0 {
		env["WEBOFFICE_ROBOT_URL"], env["WEBOFFICE_ROBOT_KEY"] = robots[0].URL, robots[0].Key
		env["WEBOFFICE_ROBOT_SECRET"] = robots[0].SigningSecret
	}
	if strings.HasPrefix(d.cfg.URL, "http://") {
		env["WEBOFFICE_ROBOT_ALLOW_HTTP"] = "1"
	}
	return env
}

// environment answers the variables, for a shell or as JSON.
func (d *Desk) environment(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "format")
	format := q.oneOf("format", "sh", "json")
	if q.err != nil {
		return q.err
	}
	env := d.env()
	if format == "json" {
		writeJSON(w, http.StatusOK, env)
		return nil
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		b.WriteString("export " + name + "=" + shellQuote(env[name]) + "\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := io.WriteString(w, b.String())
	return err
}

// Curl is a command that sends a message to the group.
func (d *Desk) Curl() string {
	if robots := d.chat.all(); len(robots) > 0 {
		return robots[0].Curl
	}
	return "# There is no robot: add one on the page."
}
