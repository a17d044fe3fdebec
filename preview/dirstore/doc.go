// Package dirstore makes a preview.Store of a folder: every file below it is a
// document, under an id that is made of its path. It also serves the bytes, by
// links that are signed and expire.
//
//	store, err := dirstore.New(dirstore.Config{
//		Root:      "/srv/documents",
//		PublicURL: "https://office.example.com/files",
//		LinkKey:   signing.NewSecret(os.Getenv("LINK_KEY")),
//		Allow:     dirstore.ReadOnly,
//	})
//	...
//	handler, err := preview.NewHandler(preview.Config{Store: store, Auth: verifier.VerifyRequest})
//	...
//	mux.Handle("/v3/3rd/", handler)
//	mux.Handle("/files", store)
//
// # Documents
//
// A document is a regular file below Root, none of whose names on the way starts
// with a dot. A symbolic link counts where it leads to such a file, and not to one
// that is hidden or outside of Root; linked folders are not entered. Files that come and go are noticed when they are
// asked for: an unknown id makes the store look through the folder once.
//
// A file that is moved gets another id. Its name goes out as preview.CleanName
// makes it. A folder knows nothing of users, so Config.Owner is creator and
// modifier of all files, and nothing of creation, so that a file counts as created
// when it was last modified before the store first saw it.
//
// # Versions
//
// A version is counted up when the bytes of a file differ from those that were
// seen before, whatever its times say. They are compared by their SHA-1, which is
// computed once for each version: a file whose size and time of modification are
// as they were is not read again, unless it was changed less than two seconds
// before it was read, since another change may then hide in the same time.
//
// Versions and digests are kept in a state file, one line for each, so that they
// outlast a restart. Several processes may serve one folder with one state file.
// Removing the state file starts all versions anew at 1, which a viewer that
// caches by version takes for old content.
//
// # Errors
//
// A document that is not there is preview.ErrNotFound, and Download refuses a user
// whom Config.Allow does not let read with preview.ErrForbidden. The errors of Allow
// are passed on. All others are of the file system or of the context.
//
// # Concurrency
//
// A [Store] is safe for concurrent use. Its methods end with their context, also
// while they read a large file.
//
// # Security
//
// The folder is opened as an os.Root: neither ".." nor a symbolic link leads out of
// it. Whoever has a link can fetch that version of that document until the link
// expires, whatever Allow says by then; changing LinkKey ends all links. Bytes are
// served as attachments and never interpreted here.
//
// # Limits
//
// The first question about a version reads the whole file, within the time that the
// handler has for a callback. The state file grows by about 150 bytes for each
// version. Ids, paths and the latest digests are held in memory.
package dirstore
