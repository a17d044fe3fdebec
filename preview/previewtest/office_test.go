package previewtest_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// office is an integrator's system with every capability, in memory. Its tokens
// are "ann" and "bob", who may do everything, and "eve", who may nothing.
type office struct {
	mu      sync.Mutex
	docs    map[string]*doc
	saves   map[string]preview.File
	puts    map[string][]byte
	uploads int           // how many addresses were given out
	nextID  func() string // the id of the next upload; if nil, uploads counts them
	gets    int           // how many documents were fetched
}

type doc struct {
	name     string
	contents [][]byte // by version
	savers   []string // by version; "bob" where there is none
}

func (d *doc) save(body []byte, user string) {
	for len(d.savers) < len(d.contents) {
		d.savers = append(d.savers, "bob")
	}
	if user == "" {
		user = "bob"
	}
	d.contents, d.savers = append(d.contents, body), append(d.savers, user)
}

var firstSave = time.Date(2024, time.May, 1, 8, 0, 0, 0, time.UTC)

func newOffice() *office {
	return &office{
		docs: map[string]*doc{
			"plan":   {name: "Plan.docx", contents: [][]byte{[]byte("first plan"), []byte("a better plan")}},
			"budget": {name: "Budget 预算.xlsx", contents: [][]byte{[]byte("1+1")}},
		},
		saves: map[string]preview.File{},
		puts:  map[string][]byte{},
	}
}

// config is the office as it is given to a Handler.
func (o *office) config() preview.Config {
	return preview.Config{
		Store: o, Auth: signing.Unsigned, Users: o, Saver: o, Renamer: o, History: o,
		Identify: func(_ context.Context, r preview.Request) (string, error) {
			switch token := r.WebOfficeToken.Reveal(); token {
			case "ann", "bob", "eve":
				return token, nil
			default:
				return "", preview.ErrUnauthorized
			}
		},
	}
}

// fixture says what is in the office.
func (o *office) fixture() previewtest.Fixture {
	as := func(fileID, token string) preview.Request {
		return preview.Request{FileID: fileID, WebOfficeToken: signing.NewSecret(token)}
	}
	return previewtest.Fixture{
		Config:   o.config(),
		Existing: []preview.Request{as("plan", "ann"), as("budget", "bob"), as("plan", "bob")},
		Missing:  as("nothing", "ann"),
		Denied:   as("plan", "eve"),
		NoUser:   as("plan", "somebody"),
		UserIDs:  []string{"ann", "bob"},
		Get: func(ctx context.Context, d preview.Download) (io.ReadCloser, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.URL, nil)
			if err != nil {
				return nil, err
			}
			w := httptest.NewRecorder()
			if o.ServeHTTP(w, req); w.Code != http.StatusOK {
				return nil, errors.New(w.Result().Status)
			}
			return w.Result().Body, nil
		},
		Put: func(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
			req, err := http.NewRequestWithContext(ctx, a.Method, a.URL, bytes.NewReader(body))
			if err != nil {
				return preview.UploadResult{}, err
			}
			w := httptest.NewRecorder()
			o.ServeHTTP(w, req)
			return preview.UploadResult{StatusCode: w.Code, Header: w.Header(), SendBack: a.SendBack}, nil
		},
	}
}

// ServeHTTP is where the bytes come from and go to: /plan/1, /uploads/1.
func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, version := path.Split(r.URL.Path)
	if r.Method == http.MethodPut {
		body, _ := io.ReadAll(r.Body)
		o.puts[version] = body
		w.WriteHeader(http.StatusCreated)
		return
	}
	n, _ := strconv.Atoi(version)
	d := o.docs[strings.Trim(id, "/")]
	if d == nil || n < 1 || n > len(d.contents) {
		http.NotFound(w, r)
		return
	}
	o.gets++
	_, _ = w.Write(d.contents[n-1])
}

func (o *office) doc(ctx context.Context, r preview.Request) (*doc, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d := o.docs[r.FileID]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("office: %w", preview.ErrNotFound)
}

func (o *office) reader(ctx context.Context, r preview.Request) (*doc, error) {
	d, err := o.doc(ctx, r)
	if err == nil && r.UserID == "eve" {
		return nil, preview.ErrForbidden
	}
	return d, err
}

func describe(id string, d *doc, version int) preview.File {
	modifier := "bob"
	if version <= len(d.savers) {
		modifier = d.savers[version-1]
	}
	return preview.File{
		ID: id, Name: d.name, Version: uint32(version), Size: int64(len(d.contents[version-1])),
		CreatedAt: firstSave, ModifiedAt: firstSave.Add(time.Duration(version) * time.Hour), CreatorID: "ann", ModifierID: modifier,
	}
}

func (o *office) File(ctx context.Context, r preview.Request) (preview.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, err := o.doc(ctx, r)
	if err != nil {
		return preview.File{}, err
	}
	return describe(r.FileID, d, len(d.contents)), nil
}

func (o *office) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	f, err := o.File(ctx, r)
	if err != nil {
		return preview.Download{}, err
	}
	return o.DownloadVersion(ctx, r, f.Version)
}

func (o *office) Permission(ctx context.Context, r preview.Request) (preview.Permission, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.doc(ctx, r); err != nil || r.UserID == "eve" {
		return preview.Permission{}, err
	}
	return preview.Permission{
		UserID: r.UserID, Read: true, Update: true, Download: true, Rename: true, History: true, Copy: true, Print: true, Comment: true,
	}, nil
}

func (o *office) Users(_ context.Context, _ preview.Request, userIDs []string) ([]preview.User, error) {
	var users []preview.User
	for _, id := range []string{"ann", "bob", "eve"} {
		if slices.Contains(userIDs, id) {
			users = append(users, preview.User{ID: id, Name: strings.ToUpper(id), AvatarURL: "https://office.example/" + id})
		}
	}
	return users, nil
}

func (o *office) Rename(ctx context.Context, r preview.Request, name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, err := o.reader(ctx, r)
	if err != nil {
		return err
	}
	for id, other := range o.docs {
		if other.name == name && id != r.FileID {
			return preview.ErrNameConflict
		}
	}
	d.name = name
	return nil
}

func (o *office) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, err := o.reader(ctx, r)
	if err != nil {
		return nil, err
	}
	var all []preview.File
	for v := len(d.contents); v > 0; v-- {
		all = append(all, describe(r.FileID, d, v))
	}
	all = all[min(p.Offset, len(all)):]
	return all[:min(cmp.Or(p.Limit, len(all)), len(all))], nil
}

func (o *office) Version(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, err := o.reader(ctx, r)
	if err != nil {
		return preview.File{}, err
	}
	if version < 1 || int64(version) > int64(len(d.contents)) {
		return preview.File{}, preview.ErrVersionNotFound
	}
	return describe(r.FileID, d, int(version)), nil
}

func (o *office) DownloadVersion(ctx context.Context, r preview.Request, version uint32) (preview.Download, error) {
	if _, err := o.Version(ctx, r, version); err != nil {
		return preview.Download{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return preview.Download{
		URL:    fmt.Sprintf("https://office.example/%s/%d?signature=CANARY&user=%s", r.FileID, version, r.UserID),
		Digest: preview.SHA1Sum(sha1.Sum(o.docs[r.FileID].contents[version-1])),
		Header: map[string]string{"Referer": "https://office.example/"},
	}, nil
}

func (o *office) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.reader(ctx, r); err != nil {
		return nil, err
	}
	return []preview.DigestType{preview.SHA1, preview.SHA256}, nil
}

func (o *office) UploadAddress(ctx context.Context, r preview.Request, _ preview.Upload) (preview.UploadAddress, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.reader(ctx, r); err != nil {
		return preview.UploadAddress{}, err
	}
	o.uploads++ // not the number of puts: several may be announced before the first arrives
	upload := strconv.Itoa(o.uploads)
	if o.nextID != nil {
		upload = o.nextID()
	}
	return preview.UploadAddress{
		URL: "https://office.example/uploads/" + upload + "?signature=CANARY", Method: http.MethodPut,
		SendBack: map[string]string{"upload": upload},
	}, nil
}

func (o *office) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.complete(ctx, r, u, got, math.MaxInt)
}

// complete keeps as many versions as it is told, below the new one.
func (o *office) complete(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult, keep int) (preview.File, error) {
	d, err := o.reader(ctx, r)
	if err != nil {
		return preview.File{}, err
	}
	upload := got.SendBack["upload"]
	if f, saved := o.saves[upload]; saved {
		return f, nil
	}
	body, there := o.puts[upload]
	if !there || int64(len(body)) != u.Size || u.Digests[0] != preview.SHA1Sum(sha1.Sum(body)) {
		return preview.File{}, preview.ErrNotUploaded
	}
	d.contents = d.contents[:min(len(d.contents), keep)]
	d.save(body, r.UserID)
	o.saves[upload] = describe(r.FileID, d, len(d.contents))
	return o.saves[upload], nil
}

// through gives a Viewer of the office for ann, all in memory.
func (o *office) through(cfg preview.Config) (*previewtest.Viewer, error) {
	h, err := preview.NewHandler(cfg)
	if err != nil {
		return nil, err
	}
	return previewtest.NewViewer(previewtest.ViewerConfig{
		Handler: h, WebOfficeToken: signing.NewSecret("ann"), UserQuery: url.Values{"from": {"test"}},
		HTTPClient: previewtest.HTTPClient(o),
	})
}
