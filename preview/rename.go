package preview

import "net/http"

// rename answers PUT /v3/3rd/files/{id}/name (public reference 5).
func (c *call) rename(r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if rule := nameProblem(in.Name); rule != "" {
		return invalidField("name", "string", rule)
	}
	if err := c.h.cfg.Renamer.Rename(r.Context(), c.req, in.Name); err != nil {
		return err
	}
	c.out = append(c.out, success+"{}}"...)
	return nil
}
