package preview

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// prepareUpload answers the first callback of a save (public reference 5).
func (c *call) prepareUpload(r *http.Request) error {
	types, err := c.h.cfg.Saver.PrepareUpload(r.Context(), c.req)
	if err != nil {
		return err
	}
	for i, t := range types {
		switch {
		case digits[t] == 0:
			return broken("digest_types", "public reference 5: md5, sha1 or sha256", string(t))
		case slices.Contains(types[:i], t):
			return broken("digest_types", "public reference 5: each type once", string(t))
		}
	}
	c.out = appendList(append(c.out, success+`{"digest_types":`...), types, func(b []byte, t *DigestType) []byte {
		return callback.AppendString(b, string(*t))
	})
	c.out = append(c.out, "}}"...)
	return nil
}

// uploadAddress answers the second callback of a save.
func (c *call) uploadAddress(r *http.Request) error {
	var in wireUpload
	if err := c.decode(&in); err != nil {
		return err
	}
	u, err := in.upload(c.req.FileID)
	if err != nil {
		return err
	}
	a, err := c.h.cfg.Saver.UploadAddress(r.Context(), c.req, u)
	if err != nil {
		return err
	}
	a.Method = cmp.Or(a.Method, http.MethodPut)
	address, err := a.check()
	if err != nil {
		return err
	}
	c.adviseURL(r, a.URL, address)
	c.out = append(appendUploadAddress(append(c.out, success...), &a), '}')
	return nil
}

// check checks a against public reference 5, and returns its URL.
func (a *UploadAddress) check() (*url.URL, error) {
	u, err := checkURL("url", "public reference 5: absolute http or https address", a.URL)
	return u, errors.Join(err,
		when(a.Method != http.MethodPut && a.Method != http.MethodPost, "method", "public reference 5: PUT or POST", a.Method),
		checkHeaders("headers", "public reference 5", a.Header),
		checkTexts("params", a.Params),
		checkTexts("send_back_params", a.SendBack),
	)
}

// checkTexts checks that m can be written as JSON. Its error has no values.
func checkTexts(field string, m map[string]string) error {
	for key, value := range m {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return broken(field, notUTF8, strings.ToValidUTF8(key, "\ufffd"))
		}
	}
	return nil
}

// completeUpload answers the third callback of a save, after the service has
// uploaded the bytes.
func (c *call) completeUpload(r *http.Request) error {
	var in struct {
		Request  wireUpload                 `json:"request"`
		Response wireResponse               `json:"response"`
		SendBack map[string]json.RawMessage `json:"send_back_params"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	u, err := in.Request.upload(c.req.FileID)
	if err != nil {
		return err
	}
	f, err := c.h.cfg.Saver.CompleteUpload(r.Context(), c.req, u, in.Response.result(in.SendBack))
	if err = c.success(r, f, err); err == nil && f.Size != u.Size {
		c.advise(r, &adviceSavedSize, "")
	}
	return err
}
