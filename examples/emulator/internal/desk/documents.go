package desk

import (
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/filehost"
)

// How long and how many dropped documents are served.
const (
	documentLife     = time.Hour
	maxDocuments     = 200
	maxDocumentBytes = 512 << 20
)

// documents are those that were dropped, at addresses that cannot be guessed and that
// expire.
type documents struct {
	dir  string
	now  func() time.Time
	host *filehost.Host

	mu    sync.Mutex
	made  int
	held  int64
	files []droppedFile // Oldest first.
}

type droppedFile struct {
	path, address string
	size          int64
}

func newDocuments(dir, base string, now func() time.Time) *documents {
	d := &documents{dir: dir, now: now, host: filehost.New(base)}
	d.host.Now = now
	return d
}

// publish serves a document, and returns its address.
func (d *documents) publish(content []byte, name string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made++
	path := filepath.Join(d.dir, "document-"+strconv.Itoa(d.made))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", err
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\?#%`, r) {
			return '_'
		}
		return r
	}, name)
	address := d.host.PublishUntil(path, "_"+cut(name, 200), d.now().Add(documentLife))
	d.files = append(d.files, droppedFile{path, address, int64(len(content))})
	d.held += int64(len(content))
	for len(d.files) > maxDocuments || d.held > maxDocumentBytes && len(d.files) > 1 {
		d.drop()
	}
	return address, nil
}

func (d *documents) drop() {
	d.host.Withdraw(d.files[0].address)
	_ = os.Remove(d.files[0].path)
	d.held -= d.files[0].size
	d.files = d.files[1:]
}

func (d *documents) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.files) > 0 {
		d.drop()
	}
}

// ServeHTTP serves documents as bytes to save: a browser shows none of them.
func (d *documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	d.host.ServeHTTP(w, r)
}

// attachment is a Content-Disposition with a name, in any language.
func attachment(name string) string {
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": cut(name, 240)}); value != "" {
		return value
	}
	return "attachment"
}
