package preview

import (
	"context"
	"net/http"
)

// UserStore answers GET /v3/3rd/users (public reference 4).
type UserStore interface {
	// Users returns those of userIDs that exist, each once, in any order.
	Users(ctx context.Context, r Request, userIDs []string) ([]User, error)
}

// User is a user whom the viewer shows.
type User struct {
	ID        string // Required. As in Permission.UserID.
	Name      string // Required. Shown to others.
	AvatarURL string // Absolute, https. Empty: left out.
}

// Renamer serves PUT /v3/3rd/files/{id}/name (public reference 5).
type Renamer interface {
	// Rename gives r.FileID a new name, which [CheckName] has accepted: "..", control
	// characters and marks that turn the direction of text pass. For a name that is taken
	// return [ErrNameConflict], for a user who may not rename [ErrForbidden].
	Rename(ctx context.Context, r Request, name string) error
}

// HistoryStore serves GET /v3/3rd/files/{id}/versions and the paths below it (public
// reference 5).
type HistoryStore interface {
	// Versions returns page p of the versions of r.FileID, the newest first.
	Versions(ctx context.Context, r Request, p Page) ([]File, error)

	// Version describes one version. An unknown one is [ErrVersionNotFound].
	Version(ctx context.Context, r Request, version uint32) (File, error)

	// DownloadVersion is [Store.Download] for one version.
	DownloadVersion(ctx context.Context, r Request, version uint32) (Download, error)
}

// Page is a part of a list.
type Page struct {
	Offset int // Items to skip.
	Limit  int // Items to return at most. Zero: no limit.
}

// Saver serves the three callbacks of a save (public reference 5). Each method refuses a
// user who may not edit. Some saves are never completed: remove their uploads after a time.
type Saver interface {
	// PrepareUpload lists the digests that the storage can verify; it may list none.
	PrepareUpload(ctx context.Context, r Request) ([]DigestType, error)

	// UploadAddress returns where to upload the bytes of u. Each save has an address of its
	// own: using it after CompleteUpload changes no version. If there is no room, return
	// [ErrStorageFull].
	UploadAddress(ctx context.Context, r Request, u Upload) (UploadAddress, error)

	// CompleteUpload turns the uploaded bytes into the newest version and describes it.
	// Its number is one higher than the last: two saves at the same time get two. If the
	// bytes are not as u announced them, return [ErrNotUploaded]. A repeated call, also
	// while the first is in progress, gives the same File.
	CompleteUpload(ctx context.Context, r Request, u Upload, got UploadResult) (File, error)
}

// Upload is a document that the service is about to save.
type Upload struct {
	_              [0]func()
	Name           string   // CheckName has accepted it.
	Size           int64    // In bytes, not negative.
	Digests        []Digest // Each type once, in the order MD5, SHA1, SHA256.
	Manual         bool     // Not an automatic save.
	AttachmentSize int64    // Zero: not given.
	ContentType    string   // Of the bytes. Empty: not given.
}

// UploadAddress is where the service uploads the bytes of a save.
type UploadAddress struct {
	_        [0]func()
	URL      string            // Required. Absolute, http or https, public.
	Method   string            // PUT or POST. If empty, PUT.
	Header   map[string]string // To be sent along.
	Params   map[string]string // More parameters of the upload.
	SendBack map[string]string // Comes back in UploadResult.
}

// UploadResult is how the upload went, as the service reports it; look at your storage.
type UploadResult struct {
	_          [0]func()
	StatusCode int // HTTP status.
	Header     http.Header
	Body       []byte
	SendBack   map[string]string // As in UploadAddress. Never nil.
}
