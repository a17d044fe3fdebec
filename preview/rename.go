package preview

import (
	"encoding/json"
	"net/http"
)

// rename answers PUT /v3/3rd/files/{id}/name (public reference 5).
func (c *call) rename(r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if rule := nameProblem(in.Name); rule != "" {
		return invalid("name: " + rule)
	}
	if err := c.h.cfg.Renamer.Rename(r.Context(), c.req, in.Name); err != nil {
		return err
	}
	c.out = append(c.out, success+"{}}"...)
	return nil
}

// decode reads a JSON object. What json says of a body is not repeated, since it
// may quote it.
func (c *call) decode(into any) error {
	if !isObject(c.body) || json.Unmarshal(c.body, into) != nil {
		return invalid("the body is no JSON object of the expected form")
	}
	return nil
}

// isObject tells an object from null, which json would take for an empty one.
func isObject(body []byte) bool {
	for _, b := range body {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b == '{'
		}
	}
	return false
}
