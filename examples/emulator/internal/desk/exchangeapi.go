package desk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/signing"
)

// exchangeRoutes are those of the requests in both directions.
func (d *Desk) exchangeRoutes() []route {
	return []route{
		{method: "GET", path: "/exchanges", handle: d.listExchanges},
		{method: "GET", path: "/exchanges/{id}", handle: func(r *http.Request) (any, error) {
			x, err := d.exchange(r)
			return x.whole(), err
		}},
		{method: "GET", path: "/exchanges/{id}/curl", raw: d.curl},
		{method: "POST", path: "/exchanges/{id}/resend", handle: d.resend},
		{method: "POST", path: "/explain", handle: d.handleExplain},
	}
}

func (d *Desk) exchange(r *http.Request) (Exchange, error) {
	x, ok := d.exchanges.get(r.PathValue("id"))
	if !ok {
		return x, notFound("exchange")
	}
	return x, nil
}

func (d *Desk) listExchanges(r *http.Request) (any, error) {
	q := queryOf(r, "area", "direction", "refused", "text", "before", "limit")
	area, direction, refused := q.oneOf("area", areas()...), q.oneOf("direction", "in", "out"), q.boolean("refused")
	text := strings.ToLower(q.text("text"))
	before, limit := q.page(d.exchanges.prefix)
	if q.err != nil {
		return nil, q.err
	}
	items, next := d.exchanges.page(before, limit, func(x Exchange) bool {
		return x.Detail != nil && (area == "" || x.Area == area) && (direction == "" || x.Direction == direction) &&
			(refused == nil || x.Refused == *refused) && (text == "" || x.contains(text))
	})
	return list[Exchange]{items, next}, nil
}

// contains looks for a text, in lower case, in what is shown of an exchange.
func (x Exchange) contains(text string) bool {
	return slices.ContainsFunc([]string{
		x.Method + " " + x.URL, x.Operation, x.Reason, x.Detail.Request.Body.Text, x.Detail.Response.Body.Text,
	}, func(s string) bool { return strings.Contains(strings.ToLower(s), text) })
}

// resend sends a request again.
func (d *Desk) resend(r *http.Request) (any, error) {
	body := struct {
		Sign *bool `json:"sign"`
	}{}
	if r.ContentLength != 0 {
		if err := readJSON(r, &body); err != nil {
			return nil, err
		}
	}
	x, err := d.exchange(r)
	if err != nil {
		return nil, err
	}
	if x.raw == nil {
		return nil, refusal{http.StatusConflict, "the request is not kept whole, so it cannot be sent again"}
	}
	again, err := d.repeat(r.Context(), x, body.Sign == nil || *body.Sign)
	if err != nil {
		return nil, err
	}
	return again.whole(), nil
}

// repeat sends the request of x, signed again if it was signed with known credentials.
func (d *Desk) repeat(ctx context.Context, x Exchange, sign bool) (Exchange, error) {
	address := x.raw.url
	if x.Direction == "in" {
		address = d.cfg.URL + address
	}
	req, err := http.NewRequestWithContext(ctx, x.raw.method, address, bytes.NewReader(x.raw.body))
	if err != nil {
		return Exchange{}, refusal{http.StatusConflict, "the request cannot be sent again"}
	}
	for name, values := range x.raw.header {
		if !slices.Contains([]string{"Content-Length", "Connection", "Transfer-Encoding", "Accept-Encoding", "Upgrade"}, name) {
			req.Header[name] = slices.Clone(values)
		}
	}
	if len(x.raw.body) == 0 {
		req.Body = http.NoBody
	}
	s := signature{header: x.raw.header, known: d.identities()}
	if who, ok := s.identity(); sign && ok {
		signer, err := signing.NewSigner(who.credentials())
		if err != nil {
			return Exchange{}, err
		}
		if err := signer.SignRequest(req, d.clock.dateNow()); err != nil {
			return Exchange{}, refusal{http.StatusConflict, "the request cannot be signed: " + err.Error()}
		}
	}
	return d.send(req, x)
}

// send sends a request in the direction of x, and gives its exchange.
func (d *Desk) send(req *http.Request, x Exchange) (Exchange, error) {
	client, made := d.local, func() string { return "" }
	t := &trace{session: x.Session}
	if x.Direction == "in" {
		made = d.expectExchange(req)
	} else {
		client = d.client(x.Area)
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		req = req.WithContext(withTrace(req.Context(), t))
	}
	resp, failed := client.Do(req)
	if failed == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxDocument))
		_ = resp.Body.Close()
	}
	id := made()
	if ids := t.ids(); len(ids) > 0 {
		id = ids[len(ids)-1]
	}
	again, ok := d.exchanges.get(id)
	if !ok {
		return again, refusal{http.StatusBadGateway, "the request was not answered"}
	}
	return again, nil
}

// curl writes the request as a command.
func (d *Desk) curl(w http.ResponseWriter, r *http.Request) error {
	x, err := d.exchange(r)
	if err != nil {
		return err
	}
	command := "# The request is not kept whole.\n"
	if x.raw != nil {
		command = d.command(x)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = io.WriteString(w, command)
	return err
}

// command is the request of x as a command, in which secrets are shell variables.
func (d *Desk) command(x Exchange) string {
	variables := map[string]string{} // By what they stand for.
	env := d.env()
	for _, name := range []string{"WEBOFFICE_ROBOT_KEY", "WEBOFFICE_ROBOT_SECRET", "WEBOFFICE_APP_KEY"} {
		if value := env[name]; value != "" {
			variables[value] = name
		}
	}
	h := d.hider()
	quote := func(s string) string {
		marked := s
		for _, value := range slices.Sorted(maps.Keys(variables)) {
			marked = strings.ReplaceAll(marked, value, "\x00"+variables[value]+"\x00")
		}
		if marked == s {
			return shellQuote(h.text(s))
		}
		parts := strings.Split(marked, "\x00")
		var out strings.Builder
		for i, part := range parts {
			if i%2 == 1 {
				out.WriteString(`"$` + part + `"`)
			} else if part != "" {
				out.WriteString(shellQuote(h.literal(part)))
			}
		}
		return out.String()
	}
	address := x.raw.url
	if x.Direction == "in" {
		address = d.cfg.URL + address
	}
	lines := []string{"curl -sS -X " + shellQuote(x.raw.method)}
	for _, name := range slices.Sorted(maps.Keys(x.raw.header)) {
		if slices.Contains([]string{"Content-Length", "Connection", "Accept-Encoding", "User-Agent"}, name) {
			continue
		}
		for _, value := range x.raw.header[name] {
			shown := quote(name + ": " + value)
			if name == "Cookie" || name == "X-Weboffice-Token" {
				shown = shellQuote(name + ": " + hidden)
			}
			lines = append(lines, "-H "+shown)
		}
	}
	if len(x.raw.body) > 0 {
		lines = append(lines, "--data-binary "+quote(string(x.raw.body)))
	}
	lines = append(lines, quote(address))
	return strings.Join(lines, " \\\n  ") + "\n"
}

// shellQuote is s as one word of a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// expectExchange marks a request of the emulator to itself, and waits for the exchange
// that it becomes.
func (d *Desk) expectExchange(req *http.Request) func() string {
	return d.await(req, func(x Exchange) string { return x.ID })
}

// expect is expectExchange for what the exchange makes.
func (d *Desk) expect(req *http.Request) func() string {
	return d.await(req, func(x Exchange) string { return x.Ref })
}

// describeRaw is what the explainer says about a request that cannot be read.
func describeRaw(err error) error {
	return problem{"request", fmt.Sprintf("the request cannot be read: %v", err)}
}

// targetOf is the request target of an address that was pasted.
func targetOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.RequestURI(), nil
}
