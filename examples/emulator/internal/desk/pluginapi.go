package desk

import (
	"net/http"
	"time"
)

// routes are those of the plugin and of the token endpoint.
func (p *plugin) routes() []route {
	return []route{
		{method: "GET", path: "/plugin/calls", handle: func(r *http.Request) (any, error) {
			q := queryOf(r, "before", "limit")
			before, limit := q.page(p.calls.prefix)
			if q.err != nil {
				return nil, q.err
			}
			items, next := p.calls.page(before, limit, func(PluginCall) bool { return true })
			for i := range items {
				items[i] = p.aged(items[i])
			}
			return list[PluginCall]{items, next}, nil
		}},
		{method: "POST", path: "/plugin/calls", handle: func(r *http.Request) (any, error) {
			var n newCall
			if err := readJSON(r, &n); err != nil {
				return nil, err
			}
			return p.call(r.Context(), n)
		}},
		{method: "GET", path: "/plugin/clients", handle: func(*http.Request) (any, error) {
			p.mu.Lock()
			life := p.life
			p.mu.Unlock()
			return struct {
				Items []Client `json:"items"`
				Life  string   `json:"life"`
			}{p.allClients(), life.String()}, nil
		}},
		{method: "PUT", path: "/plugin/life", handle: p.handleLife},
		{method: "PUT", path: "/plugin/clients/{id}", handle: func(r *http.Request) (any, error) {
			var body struct {
				Secret string `json:"secret"`
			}
			if err := readJSON(r, &body); err != nil {
				return nil, err
			}
			return p.setClient(r.PathValue("id"), body.Secret)
		}},
		{method: "DELETE", path: "/plugin/clients/{id}", handle: p.handleRemove},
	}
}

func (p *plugin) handleLife(r *http.Request) (any, error) {
	var body struct {
		Life string `json:"life"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	return nil, p.setLife(body.Life)
}

func (p *plugin) setLife(text string) error {
	life, err := time.ParseDuration(text)
	if err != nil || life < time.Second || life > 365*24*time.Hour {
		return problem{"life", "life must be a duration from 1s to 8760h"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life = life.Truncate(time.Second)
	p.renew()
	return nil
}

func (p *plugin) handleRemove(r *http.Request) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.clients[r.PathValue("id")]; !ok {
		return nil, notFound("client")
	}
	delete(p.clients, r.PathValue("id"))
	p.renew()
	return nil, nil
}
