package preview

import (
	"net/http"
	"time"
)

// success checks f, which describes the file of the request, and answers with it.
func (c *call) success(r *http.Request, f File) error {
	if err := c.checkFile(r, &f); err != nil {
		return err
	}
	c.out = append(appendFile(append(c.out, success...), &f), '}')
	return nil
}

func (c *call) checkFile(r *http.Request, f *File) error {
	if f.ID == "" {
		f.ID = c.req.FileID
	}
	if err := f.check(c.req.FileID); err != nil {
		return err
	}
	const maxInt32, day = 1<<31 - 1, 24 * time.Hour
	if f.Version > maxInt32 {
		c.advise(r, adviceVersion, "")
	}
	if now := c.h.cfg.Now(); f.CreatedAt.Sub(now) > day || f.ModifiedAt.Sub(now) > day {
		c.advise(r, adviceFuture, "")
	}
	return nil
}

// successDownload checks d and answers with it.
func (c *call) successDownload(r *http.Request, d Download) error {
	u, err := d.check()
	if err != nil {
		return err
	}
	c.adviseURL(r, d.URL, u)
	c.out = append(appendDownload(append(c.out, success...), &d), '}')
	return nil
}
