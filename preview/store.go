package preview

import (
	"context"
	"time"
)

// Store is your storage, as far as the viewer has to know it (protocol 4.2).
//
// FileID has passed Config.CheckID, Config.Identify has run, and ctx ends when the caller
// goes away and after Config.Timeout. Many goroutines call at the same time. A method
// returns soon after ctx has ended. Download refuses a user who may not read with
// [ErrForbidden], whatever Permission says. The maps of an answer do not change later.
type Store interface {
	// File describes the newest version of r.FileID. An unknown id is [ErrNotFound].
	File(ctx context.Context, r Request) (File, error)

	// Download returns the URL of the bytes that File describes: a fresh one, since the
	// service may ask long after the document was opened.
	Download(ctx context.Context, r Request) (Download, error)

	// Permission lists what the user may do. For a user who may not read, return
	// [ErrForbidden] or the zero Permission; for an invalid token [ErrUnauthorized].
	Permission(ctx context.Context, r Request) (Permission, error)
}

// The longest id and name of a [File], in Unicode code points (protocol 8).
const (
	MaxFileIDLength   = 47
	MaxFileNameLength = 240
)

// File describes a document (protocol 2.4). Every field but ID is required.
type File struct {
	ID                    string    // The requested id. Empty stands for it.
	Name                  string    // With its extension. See [CheckName] and [CleanName].
	Version               uint32    // From 1, one more after each save. The viewer caches by it.
	Size                  int64     // In bytes, not negative.
	CreatedAt, ModifiedAt time.Time // After the start of 1970. Sent in whole seconds.
	CreatorID, ModifierID string    // User ids, as in User.ID.
}

// Download tells the service where to fetch the bytes of a document (protocol 2.5).
type Download struct {
	_      [0]func()
	URL    string            // Required. Absolute, http or https, public.
	Digest Digest            // Of the bytes: MD5 or SHA1. Zero: left out.
	Header map[string]string // Request headers that URL demands. Empty: left out.
}

// Digest is a checksum of a document's bytes. The zero Digest means "no digest".
type Digest struct {
	Type DigestType
	Hex  string // Lowercase.
}

// DigestType is the algorithm of a [Digest].
type DigestType string

// The algorithms. SHA256 is for an [Upload] only (public reference 5).
const (
	MD5    DigestType = "md5"
	SHA1   DigestType = "sha1"
	SHA256 DigestType = "sha256"
)

// Permission is what the current user may do with a document (protocol 2.6).
type Permission struct {
	UserID   string // If empty, what Config.Identify found. Required with Update and Print (rules 1, 2).
	Read     bool   // May preview.
	Update   bool   // May edit. Needs Users and Saver (rule 1).
	Download bool   // May download, and with Read export as image if Users finds UserID (rule 6).
	Rename   bool   // Needs Renamer (rule 3).
	History  bool   // May see earlier versions. Needs History (rule 4).
	Copy     bool   // Also for reading as HTML and for the format painter (rules 7, 8).
	Print    bool   // Needs Users (rule 2).
	SaveAs   bool   // The viewer has no entry for it.
	Comment  bool   // Follows Update, unless the console says otherwise (rule 5).
}
