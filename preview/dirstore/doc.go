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
// A document is a regular file below Root, unless its name or that of a folder on
// the way starts with a dot. A symbolic link counts if it leads to such a file;
// linked folders are not entered. Files that come and go are noticed when they
// are asked for: an unknown id makes the store look through the folder once.
//
// A file that is moved gets another id. Its name goes out as preview.CleanName
// makes it. A folder knows no users, so Config.Owner counts as the creator and
// modifier of all files. It knows no time of creation either: that is the time of
// modification which the store saw first.
//
// # Versions
//
// A file gets the next version when its bytes differ from those that were seen
// before. They are compared by their SHA-1, which is computed once for each
// version: a file whose size and time of modification are as they were is not
// read again, unless it had been changed less than two seconds before it was
// read. A second change could hide in that time.
//
// Versions and digests are kept in a state file, one line for each, so that they
// outlast a restart. Several processes may serve one folder with one state file.
// Without its state file a store starts all versions at 1 again, and a viewer
// that caches by version shows old content.
//
// # Errors
//
// An unknown document is preview.ErrNotFound, and Download refuses a user whom
// Config.Allow does not let read with preview.ErrForbidden. Errors of Allow are
// passed on. All others come from the file system or from the context.
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
