package preview

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
)

// versions answers with a page of versions, the newest first (public reference 5).
func (c *call) versions(r *http.Request) error {
	page, err := readPage(r.URL.RawQuery)
	if err != nil {
		return err
	}
	files, err := c.h.cfg.History.Versions(r.Context(), c.req, page)
	if err != nil {
		return err
	}
	if page.Limit > 0 && len(files) > page.Limit {
		return broken("data", "public reference 5: at most as many versions as the limit asks for", strconv.Itoa(len(files)))
	}
	for i := range files {
		if err := c.checkFile(r, &files[i]); err != nil {
			return within(i, err)
		}
		if i > 0 && files[i].Version >= files[i-1].Version {
			return within(i, broken("version", "public reference 5: descending", strconv.FormatUint(uint64(files[i].Version), 10)))
		}
	}
	c.out = append(appendList(append(c.out, success...), files, appendFile), '}')
	return nil
}

func readPage(query string) (p Page, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return p, invalid("the query cannot be read")
	}
	number := func(name string) int {
		n, wrong := strconv.ParseUint(cmp.Or(values.Get(name), "0"), 10, 31)
		if wrong != nil {
			err = invalid(name + " is not a number from 0 to 2147483647")
		}
		return int(n)
	}
	p = Page{Offset: number("offset"), Limit: number("limit")}
	return p, err
}

// oneVersion answers with the version of the path.
func (c *call) oneVersion(r *http.Request) error {
	f, err := c.h.cfg.History.Version(r.Context(), c.req, c.version)
	if err == nil && f.Version != c.version {
		err = broken("version", "public reference 5: equal to the requested version", strconv.FormatUint(uint64(f.Version), 10))
	}
	return c.success(r, f, err)
}

func (c *call) versionDownload(r *http.Request) error {
	d, err := c.h.cfg.History.DownloadVersion(r.Context(), c.req, c.version)
	return c.successDownload(r, d, err)
}
