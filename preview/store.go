package preview

import (
	"context"
	"time"
)

// Store is the integrator's storage, as far as the viewer has to know it. Its
// three methods answer the callbacks that every integrator has to implement
// (protocol 4.2).
//
// What the Handler promises: FileID has passed Config.CheckID, Config.Identify
// has run, and ctx carries the values of the request, ends when the caller goes
// away, and ends after Config.Timeout.
//
// What the Handler expects:
//
//   - The methods are called by any number of goroutines at once.
//   - They return soon after ctx has ended. The Handler waits for them.
//   - An error is one of those of this package, alone or wrapped, a [Reply], or
//     anything else. Config.MapError makes an answer of it; anything else is
//     answered as the same internal error, and only the log has its text.
//   - A user who may not read a file is refused by Download with [ErrForbidden],
//     whatever Permission says: nothing makes the caller ask for both.
//   - An answer obeys the rules of its type. One that does not becomes an internal
//     error, and the log says which rule it breaks.
//   - Maps in an answer are not changed after they were returned.
type Store interface {
	// File describes the newest version of r.FileID. An unknown id is
	// [ErrNotFound].
	File(ctx context.Context, r Request) (File, error)

	// Download gives the address of the bytes that File describes. Make a new one
	// for every call: the service may ask again long after the document was
	// opened.
	Download(ctx context.Context, r Request) (Download, error)

	// Permission lists what the user of r may do with r.FileID. For a user who may
	// not even read, return [ErrForbidden] or the zero Permission; for a token
	// that is not valid, [ErrUnauthorized].
	Permission(ctx context.Context, r Request) (Permission, error)
}

const (
	// MaxFileIDLength is how many characters File.ID may have (protocol 8).
	MaxFileIDLength = 47
	// MaxFileNameLength is how many characters File.Name may have (protocol 8).
	MaxFileNameLength = 240
)

// File is what the viewer knows of a document (protocol 2.4). Every field is
// required, ID aside.
type File struct {
	ID                    string    // The id that was asked for, or empty, which stands for it. Any other breaks a rule.
	Name                  string    // With its extension. [CheckName] checks the rules, and [CleanName] makes a text obey them.
	Version               uint32    // From 1, one more after each save. The viewer caches by it.
	Size                  int64     // In bytes, not negative.
	CreatedAt, ModifiedAt time.Time // Neither zero nor before 1970. Whole seconds go out.
	CreatorID, ModifierID string    // User ids, as in User.ID. Not empty.
}

// Download tells the service where to fetch the bytes of a document (protocol
// 2.5). Printed or logged, it shows neither the query of URL nor the values of
// Header, which are often signatures.
type Download struct {
	_      [0]func()
	URL    string            // Required. Absolute, http or https, and reachable from the public network.
	Digest Digest            // Of the bytes. Zero: left out. MD5 or SHA1.
	Header map[string]string // Request headers that URL demands, such as Referer or a signature. Empty: left out.
}

// Digest is a checksum of a document's bytes. The zero Digest is none.
type Digest struct {
	Type DigestType
	Hex  string // As many lowercase hexadecimal digits as Type has.
}

// DigestType is the algorithm of a [Digest].
type DigestType string

// The algorithms. A Download may carry MD5 or SHA1 (protocol 2.5); SHA256 only
// occurs with an [Upload] (public reference 5).
const (
	MD5    DigestType = "md5"
	SHA1   DigestType = "sha1"
	SHA256 DigestType = "sha256"
)

// Permission is what the current user may do with a document (protocol 2.6).
// Each flag goes out as 1 or 0: the protocol calls them optional, but does not
// say what a missing one means. The zero Permission allows nothing.
type Permission struct {
	// Id of the current user. If empty, the one that Config.Identify found. It is
	// required with Update and with Print (rules 1 and 2), and export as image
	// needs it too (rule 6).
	UserID string

	// May preview.
	Read bool

	// May edit. Needs the callbacks of users and of saving, served here or
	// elsewhere, and both of them switched on in the management console (rule 1).
	Update bool

	// May download. Together with Read it also allows export as image, as long as
	// UserID is one that the users callback finds (rule 6).
	Download bool

	// May rename. Needs the callback of renaming (rule 3).
	Rename bool

	// May see earlier versions. Needs the callbacks of history (rule 4). Whether
	// the entry is shown also depends on a console setting (history and
	// collaboration records in read-only mode), and on the front end, which can
	// hide or disable the button HeaderHistoryMenuBtn of the command bar.
	History bool

	// May copy content. Reading the document as HTML and the format painter need
	// it as well (rules 7 and 8).
	Copy bool

	// May print. Needs the callback of users, switched on in the management
	// console (rule 2).
	Print bool

	// May save under another name. The viewer has no entry for it at present.
	SaveAs bool

	// May comment. Without Update, true does not allow comments; with Update,
	// false does not forbid them. Both are settings of the console (rule 5).
	Comment bool
}
