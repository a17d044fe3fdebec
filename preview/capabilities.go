package preview

import (
	"context"
	"net/http"
)

// UserStore answers the lookup of users, GET /v3/3rd/users (public reference 4).
// Editing, printing and export as image need it (protocol 2.6 rules 1, 2, 6).
// What [Store] says of calls, contexts and errors holds here as well.
type UserStore interface {
	// Users gives those of userIDs that exist, each once and in any order. Nobody
	// else may be among them, and nobody at all is no error. r.FileID is empty.
	Users(ctx context.Context, r Request, userIDs []string) ([]User, error)
}

// User is what the viewer shows of a user.
type User struct {
	ID        string // Required. As in Permission.UserID.
	Name      string // Required. Shown to others.
	AvatarURL string // Absolute, https. Empty: left out.
}

// Renamer answers PUT /v3/3rd/files/{id}/name (public reference 5; protocol 2.6
// rule 3). What [Store] says of calls, contexts and errors holds here as well.
type Renamer interface {
	// Rename gives r.FileID the name, which [CheckName] has accepted. A name that
	// is taken is [ErrNameConflict]; a user who may not rename is [ErrForbidden].
	Rename(ctx context.Context, r Request, name string) error
}

// HistoryStore answers GET /v3/3rd/files/{id}/versions and below (public
// reference 5; protocol 2.6 rule 4). What [Store] says of calls, contexts and
// errors holds here as well.
type HistoryStore interface {
	// Versions gives a page of the versions of r.FileID, the newest first.
	Versions(ctx context.Context, r Request, p Page) ([]File, error)

	// Version describes one version. One that there is not is [ErrVersionNotFound].
	Version(ctx context.Context, r Request, version uint32) (File, error)

	// DownloadVersion says where the bytes of one version are.
	DownloadVersion(ctx context.Context, r Request, version uint32) (Download, error)
}

// Page is a part of a list.
type Page struct {
	Offset int // How many to pass over, not negative.
	Limit  int // How many to give at most. Zero: the caller named no limit.
}

// Saver answers the three callbacks of a save (public reference 5; protocol 2.6
// rule 1). Between the second and the third the service uploads the bytes by
// itself, to the address that it was given. What [Store] says of calls, contexts
// and errors holds here as well; each method refuses a user who may not edit.
type Saver interface {
	// PrepareUpload says which digests the store can check. None is an answer too.
	PrepareUpload(ctx context.Context, r Request) ([]DigestType, error)

	// UploadAddress says where the bytes of u go. No room is [ErrStorageFull].
	UploadAddress(ctx context.Context, r Request, u Upload) (UploadAddress, error)

	// CompleteUpload makes the uploaded bytes the newest version and describes it,
	// with a version one higher than before. Bytes that did not arrive, or not as
	// u announced them, are [ErrNotUploaded]. Called again for the same upload it
	// gives the same File: nothing says that the service does not repeat it.
	CompleteUpload(ctx context.Context, r Request, u Upload, got UploadResult) (File, error)
}

// Upload is a save to come, as the service announces it.
type Upload struct {
	_              [0]func()
	Name           string   // Of the document. CheckName has accepted it.
	Size           int64    // In bytes, not negative.
	Digests        []Digest // Of the bytes, well-formed, each type once, in the order MD5, SHA1, SHA256.
	Manual         bool     // The user asked for it; otherwise it is an automatic save.
	AttachmentSize int64    // Zero: not given.
	ContentType    string   // Of the bytes. Empty: not given.
}

// UploadAddress is where the service uploads the bytes of a save. It prints and
// logs without the query of URL and without the values of its maps.
type UploadAddress struct {
	_        [0]func()
	URL      string            // Required. Absolute, http or https, and reachable from the public network.
	Method   string            // PUT or POST. If empty, PUT.
	Header   map[string]string // What to send along. Empty: left out.
	Params   map[string]string // More parameters of the upload ("params"). Empty: left out.
	SendBack map[string]string // Comes back in UploadResult.SendBack, such as your id of the upload. Empty: left out.
}

// UploadResult is how the upload went, as the service reports it. Nothing but
// the signature of the request proves it, so look at your storage. It prints and
// logs without the values of its maps and without Body.
type UploadResult struct {
	_          [0]func()
	StatusCode int               // HTTP status of the upload's answer.
	Header     http.Header       // Of the upload's answer.
	Body       []byte            // Of the upload's answer.
	SendBack   map[string]string // As in UploadAddress. Never nil.
}
