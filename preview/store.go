package preview

import (
	"context"
	"encoding/hex"
	"net/url"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Store is your storage, as far as the viewer has to know it (protocol 4.2).
//
// ctx ends when the caller goes away and after Config.Timeout; a method returns soon after.
// Many goroutines call at the same time. Download refuses a user who may not read with
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

// Request says which document a callback is about, and who asks.
type Request struct {
	_              [0]func()
	FileID         string         // It has passed Config.CheckID. Empty in the users callback.
	AppID          string         // The app that signed. If Config.Auth does not say, X-App-Id, which proves nothing.
	UserID         string         // What Config.Identify found.
	WebOfficeToken signing.Secret // X-WebOffice-Token, from your front end, not signed: verify it.
	RequestID      string         // X-Request-Id, for the service's support.
	UserQuery      string         // X-User-Query, from your front end, not signed.
}

// Query reads UserQuery. It leaves out what it cannot read.
func (r Request) Query() url.Values {
	values, _ := url.ParseQuery(r.UserQuery) // it returns what it could read
	return values
}

// The longest id and name of a [File], in Unicode code points (protocol 8).
const (
	MaxFileIDLength   = 47
	MaxFileNameLength = 240
)

// File describes a document (protocol 2.4). Every field but ID is required.
type File struct {
	ID                    string    // The requested id, or empty.
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

// Digest is a checksum of a document's bytes.
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

// MD5Sum is the Digest for md5.Sum.
func MD5Sum(sum [16]byte) Digest { return Digest{Type: MD5, Hex: hex.EncodeToString(sum[:])} }

// SHA1Sum is the Digest for sha1.Sum.
func SHA1Sum(sum [20]byte) Digest { return Digest{Type: SHA1, Hex: hex.EncodeToString(sum[:])} }

// SHA256Sum is the Digest for sha256.Sum256.
func SHA256Sum(sum [32]byte) Digest { return Digest{Type: SHA256, Hex: hex.EncodeToString(sum[:])} }

// Bytes decodes Hex, or returns nil.
func (g Digest) Bytes() []byte {
	sum, err := hex.DecodeString(g.Hex)
	if err != nil {
		return nil
	}
	return sum
}

// Digest returns the digest of a type, or the zero Digest.
func (u Upload) Digest(t DigestType) Digest {
	for _, g := range u.Digests {
		if g.Type == t {
			return g
		}
	}
	return Digest{}
}

// digits is how many hexadecimal digits a digest of each type has.
var digits = map[DigestType]int{MD5: 32, SHA1: 40, SHA256: 64}

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
