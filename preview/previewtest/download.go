package previewtest

import (
	"context"
	"crypto/md5"  //nolint:gosec // A digest that the protocol names (protocol 2.5).
	"crypto/sha1" //nolint:gosec // As above.
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/internal/headers"
)

// Download asks where the bytes are (protocol 2.5).
func (v *Viewer) Download(ctx context.Context, fileID string) (preview.Download, error) {
	return v.download(ctx, filePath(fileID, "download"))
}

func (v *Viewer) download(ctx context.Context, path string) (preview.Download, error) {
	return get(ctx, v, http.MethodGet, path, nil, RuleURL, object.download)
}

// download reads where the bytes are, and holds it to protocol 2.5.
func (o object) download() preview.Download {
	d := preview.Download{URL: o.address("url"), Header: o.headers(RuleHeaders)}
	o.missing, o.kind = RuleDigest, RuleDigest
	noted := len(o.a.found)
	digest := preview.Digest{Type: preview.DigestType(o.text("digest_type", false)), Hex: strings.ToLower(o.text("digest", false))}
	switch {
	case digest == preview.Digest{} || len(o.a.found) > noted:
	case digest.Type == "":
		o.broken(RuleDigest, "digest", "has no digest_type")
	case digest.Type != preview.MD5 && digest.Type != preview.SHA1:
		o.broken(RuleDigest, "digest", "is of a type that is not md5 or sha1")
	case len(digest.Bytes()) != hashes[digest.Type]().Size():
		o.broken(RuleDigest, "digest", "is not the hexadecimal form of a digest of type "+string(digest.Type))
	default:
		d.Digest = digest
	}
	return d
}

// address reads a URL that is required.
func (o object) address(name string) string {
	address := o.text(name, true)
	if address != "" && !absolute(address) {
		o.broken(o.kind, name, "is not an absolute address")
	}
	return address
}

// headers reads headers that are to be sent along.
func (o object) headers(rule string) map[string]string {
	header := o.texts("headers", rule)
	if _, problem := headers.Problem(header); problem != "" {
		o.broken(rule, "headers", "must have "+problem)
	}
	return header
}

// absolute reports whether address is one that can be fetched.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && utf8.ValidString(address) && (u.Scheme == "http" || u.Scheme == "https")
}

// fetched is what a download address gave.
type fetched struct {
	size int64
	sums map[preview.DigestType]hash.Hash
}

// fetch gets the bytes of d into w, which may be nil, and gives what they are. An error
// says why they could not be had, in words without the query of the address.
func fetch(ctx context.Context, open opener, d preview.Download, w io.Writer) (fetched, error) {
	body, err := open(ctx, d)
	if err != nil {
		return fetched{}, err
	}
	defer body.Close()
	if w == nil {
		w = io.Discard
	}
	md5, sha1 := hashes[preview.MD5](), hashes[preview.SHA1]()
	n, err := io.Copy(io.MultiWriter(w, md5, sha1), body)
	if err != nil {
		err = fmt.Errorf("after %d bytes: %w", n, redact.Error(err))
	}
	return fetched{n, map[preview.DigestType]hash.Hash{preview.MD5: md5, preview.SHA1: sha1}}, err
}

var hashes = map[preview.DigestType]func() hash.Hash{preview.MD5: md5.New, preview.SHA1: sha1.New, preview.SHA256: sha256.New}

// opener starts to read the bytes of a download.
type opener func(ctx context.Context, d preview.Download) (io.ReadCloser, error)

// overHTTP reads them as the service does: by GET, with the headers of d.
func overHTTP(client *http.Client) opener {
	return func(ctx context.Context, d preview.Download) (io.ReadCloser, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.URL, http.NoBody)
		if err != nil {
			return nil, errors.New("the address cannot be read")
		}
		// Compressed on the way, the bytes would have another size.
		req.Header.Set("Accept-Encoding", "identity")
		setHeader(req, d.Header)
		res, err := client.Do(req)
		if err != nil {
			return nil, redact.Error(err)
		}
		if res.StatusCode != http.StatusOK {
			res.Body.Close()
			return nil, errors.New("HTTP " + strconv.Itoa(res.StatusCode))
		}
		return res.Body, nil
	}
}

// setHeader sets what a store asked for. Host is a field of its own in net/http.
func setHeader(req *http.Request, header map[string]string) {
	for name, value := range header {
		req.Header.Set(name, value)
		if strings.EqualFold(name, "Host") {
			req.Host = value
		}
	}
}

// sized says how the bytes differ from a size that was announced, unless it is negative.
func (f fetched) sized(size int64) error {
	if size >= 0 && f.size != size {
		return fmt.Errorf("%d bytes were announced, and %d were fetched", size, f.size)
	}
	return nil
}

// summed says how the bytes differ from a digest that was announced, unless it is zero.
func (f fetched) summed(d preview.Digest) error {
	if sum, known := f.sums[d.Type]; known {
		if got := hex.EncodeToString(sum.Sum(nil)); !strings.EqualFold(got, d.Hex) {
			return fmt.Errorf("%s %s was announced, and %s was fetched", d.Type, d.Hex, got)
		}
	}
	return nil
}

// announced is u for body, as the service announces it to a store that can check digests of
// types.
func announced(u preview.Upload, body []byte, types []preview.DigestType) preview.Upload {
	all := []preview.Digest{preview.MD5Sum(md5.Sum(body)), preview.SHA1Sum(sha1.Sum(body)), preview.SHA256Sum(sha256.Sum256(body))} //nolint:gosec // See the imports.
	u.Size = int64(len(body))
	u.Digests = slices.DeleteFunc(all, func(d preview.Digest) bool { return !slices.Contains(types, d.Type) })
	return u
}
