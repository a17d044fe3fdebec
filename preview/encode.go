package preview

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// success is how an answer begins; a brace ends it.
const success = `{"code":0,"data":`

// success answers with f, which describes the file of the request, or fails with err or
// the rules that f breaks.
func (c *call) success(r *http.Request, f File, err error) error {
	if err == nil {
		err = c.checkFile(r, &f)
	}
	if err != nil {
		return err
	}
	c.out = append(appendFile(append(c.out, success...), &f), '}')
	return nil
}

func (c *call) checkFile(r *http.Request, f *File) error {
	f.ID = cmp.Or(f.ID, c.req.FileID)
	if err := f.check(c.req.FileID); err != nil {
		return err
	}
	const maxInt32, day = 1<<31 - 1, 24 * time.Hour
	if f.Version > maxInt32 {
		c.advise(r, &adviceVersion, "")
	}
	if now := c.now(); f.CreatedAt.Sub(now) > day || f.ModifiedAt.Sub(now) > day {
		c.advise(r, &adviceFuture, "")
	}
	return nil
}

// now reads the clock that times are judged by, which is rarely another than that of
// the deadline.
func (c *call) now() time.Time {
	if c.h.cfg.Now != nil {
		return c.h.cfg.Now()
	}
	return c.started
}

// successDownload is success for a Download.
func (c *call) successDownload(r *http.Request, d Download, err error) error {
	if err != nil {
		return err
	}
	u, err := d.check()
	if err != nil {
		return err
	}
	c.adviseURL(r, d.URL, u)
	c.out = append(appendDownload(append(c.out, success...), &d), '}')
	return nil
}

// appendFile writes f in the order of protocol 2.4.
func appendFile(b []byte, f *File) []byte {
	b = callback.AppendString(append(b, `{"id":`...), f.ID)
	b = callback.AppendString(append(b, `,"name":`...), f.Name)
	b = strconv.AppendUint(append(b, `,"version":`...), uint64(f.Version), 10)
	b = strconv.AppendInt(append(b, `,"size":`...), f.Size, 10)
	b = strconv.AppendInt(append(b, `,"create_time":`...), f.CreatedAt.Unix(), 10)
	b = strconv.AppendInt(append(b, `,"modify_time":`...), f.ModifiedAt.Unix(), 10)
	b = callback.AppendString(append(b, `,"creator_id":`...), f.CreatorID)
	b = callback.AppendString(append(b, `,"modifier_id":`...), f.ModifierID)
	return append(b, '}')
}

// appendDownload writes d in the order of protocol 2.5.
func appendDownload(b []byte, d *Download) []byte {
	b = callback.AppendString(append(b, `{"url":`...), d.URL)
	if d.Digest.Type != "" {
		b = callback.AppendString(append(b, `,"digest":`...), d.Digest.Hex)
		b = callback.AppendString(append(b, `,"digest_type":`...), string(d.Digest.Type))
	}
	b = appendMap(b, "headers", d.Header)
	return append(b, '}')
}

// appendMap writes a member that is left out when it is empty, with its keys in
// order.
func appendMap(b []byte, name string, m map[string]string) []byte {
	if len(m) == 0 {
		return b
	}
	b = callback.AppendString(append(b, ','), name)
	b = append(b, ':')
	next := byte('{')
	for _, key := range slices.Sorted(maps.Keys(m)) {
		b = callback.AppendString(append(b, next), key)
		b = callback.AppendString(append(b, ':'), m[key])
		next = ','
	}
	return append(b, '}')
}

// appendPermission writes p in the order of protocol 2.6.
func appendPermission(b []byte, p *Permission) []byte {
	b = callback.AppendString(append(b, `{"user_id":`...), p.UserID)
	b = appendFlag(b, `,"read":`, p.Read)
	b = appendFlag(b, `,"update":`, p.Update)
	b = appendFlag(b, `,"download":`, p.Download)
	b = appendFlag(b, `,"rename":`, p.Rename)
	b = appendFlag(b, `,"history":`, p.History)
	b = appendFlag(b, `,"copy":`, p.Copy)
	b = appendFlag(b, `,"print":`, p.Print)
	b = appendFlag(b, `,"saveas":`, p.SaveAs)
	b = appendFlag(b, `,"comment":`, p.Comment)
	return append(b, '}')
}

func appendFlag(b []byte, member string, set bool) []byte {
	digit := byte('0')
	if set {
		digit = '1'
	}
	return append(append(b, member...), digit)
}

// appendUser writes u in the order of public reference 4.
func appendUser(b []byte, u *User) []byte {
	b = callback.AppendString(append(b, `{"id":`...), u.ID)
	b = callback.AppendString(append(b, `,"name":`...), u.Name)
	if u.AvatarURL != "" {
		b = callback.AppendString(append(b, `,"avatar_url":`...), u.AvatarURL)
	}
	return append(b, '}')
}

// appendUploadAddress writes a in the order of public reference 5.
func appendUploadAddress(b []byte, a *UploadAddress) []byte {
	b = callback.AppendString(append(b, `{"url":`...), a.URL)
	b = callback.AppendString(append(b, `,"method":`...), a.Method)
	b = appendMap(b, "headers", a.Header)
	b = appendMap(b, "params", a.Params)
	b = appendMap(b, "send_back_params", a.SendBack)
	return append(b, '}')
}

// appendList writes an array, which is never null.
func appendList[T any](b []byte, list []T, item func([]byte, *T) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, &list[i])
	}
	return append(b, ']')
}
