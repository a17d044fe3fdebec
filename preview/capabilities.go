package preview

import (
	"context"
	"net/http"
)

// UserStore answers the lookup of users, GET /v3/3rd/users (public reference 4).
// Editing, printing and export as image need it (protocol 2.6 rules 1, 2, 6).
// What [Store] says of calls, contexts and errors holds here as well.
type UserStore interface {
	// Users returns those of userIDs that exist: each once, in any order, and
	// nobody else. No user at all is not an error. r.FileID is empty.
	Users(ctx context.Context, r Request, userIDs []string) ([]User, error)
}

// User is somebody whom the viewer shows, such as an author or a collaborator.
type User struct {
	ID        string // Required. As in Permission.UserID.
	Name      string // Required. Shown to others.
	AvatarURL string // Absolute, https. Empty: left out.
}

// Renamer serves the rename callback, PUT /v3/3rd/files/{id}/name (public
// reference 5; protocol 2.6 rule 3). What [Store] says of calls, contexts and
// errors holds here as well.
type Renamer interface {
	// Rename gives r.FileID a new name, which [CheckName] has accepted. If the
	// name is taken, return [ErrNameConflict]; if the user may not rename,
	// [ErrForbidden].
	Rename(ctx context.Context, r Request, name string) error
}

// HistoryStore serves the callbacks of earlier versions, GET
// /v3/3rd/files/{id}/versions and the paths below it (public reference 5;
// protocol 2.6 rule 4). What [Store] says of calls, contexts and errors holds
// here as well.
type HistoryStore interface {
	// Versions returns page p of the versions of r.FileID, sorted from the newest
	// to the oldest.
	Versions(ctx context.Context, r Request, p Page) ([]File, error)

	// Version describes one version. An unknown one is [ErrVersionNotFound].
	Version(ctx context.Context, r Request, version uint32) (File, error)

	// DownloadVersion is [Store.Download] for one version.
	DownloadVersion(ctx context.Context, r Request, version uint32) (Download, error)
}

// Page is a part of a list.
type Page struct {
	Offset int // How many items to skip; not negative.
	Limit  int // How many items to return at most. Zero: the caller named no limit.
}

// Saver serves the three callbacks of a save (public reference 5; protocol 2.6
// rule 1). Between the second and the third the service itself uploads the bytes,
// to the address that it was given. What [Store] says of calls, contexts and
// errors holds here as well; each method refuses a user who may not edit.
type Saver interface {
	// PrepareUpload lists the digests that the storage can verify; the list may be
	// empty.
	PrepareUpload(ctx context.Context, r Request) ([]DigestType, error)

	// UploadAddress tells the service where to upload the bytes of u. If there is
	// no room for them, return [ErrStorageFull].
	UploadAddress(ctx context.Context, r Request, u Upload) (UploadAddress, error)

	// CompleteUpload turns the uploaded bytes into the newest version, whose
	// number is one higher than the last, and describes it. If the bytes did not
	// arrive, or not as u announced them, return [ErrNotUploaded]. The service may
	// repeat the call, for all that is known: the same upload must then give the
	// same File, and no further version.
	CompleteUpload(ctx context.Context, r Request, u Upload, got UploadResult) (File, error)
}

// Upload is a document that the service is about to save.
type Upload struct {
	_              [0]func()
	Name           string   // Of the document. CheckName has accepted it.
	Size           int64    // In bytes, not negative.
	Digests        []Digest // Of the bytes, well-formed, each type once, in the order MD5, SHA1, SHA256.
	Manual         bool     // The user asked for it; otherwise it is an automatic save.
	AttachmentSize int64    // Zero: not given.
	ContentType    string   // Of the bytes. Empty: not given.
}

// UploadAddress is where the service uploads the bytes of a save. Printed or
// logged, it shows neither the query of URL nor the values of its maps.
type UploadAddress struct {
	_        [0]func()
	URL      string            // Required. Absolute, http or https, and reachable from the public network.
	Method   string            // PUT or POST. If empty, PUT.
	Header   map[string]string // What to send along. Empty: left out.
	Params   map[string]string // More parameters of the upload ("params"). Empty: left out.
	SendBack map[string]string // Comes back in UploadResult.SendBack, such as your id of the upload. Empty: left out.
}

// UploadResult is how the upload went, as the service reports it. Nothing but the
// signature of the request proves it, so look at your storage. Printed or logged,
// it shows neither Body nor the values of its maps.
type UploadResult struct {
	_          [0]func()
	StatusCode int               // HTTP status of the upload's answer.
	Header     http.Header       // Of the upload's answer.
	Body       []byte            // Of the upload's answer.
	SendBack   map[string]string // As in UploadAddress. Never nil.
}
