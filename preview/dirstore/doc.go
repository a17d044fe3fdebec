// Package dirstore makes a [preview.Store] of a folder: every file below it is a
// document. It also serves the bytes, by links that are signed and expire. With
// [Config].Editing, users can save and rename documents, and go back to earlier
// versions.
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
// To edit, set Editing, let Allow return Update, Rename and History, and add to
// preview.Config:
//
//	Users: store, Saver: store, Renamer: store, History: store,
//
// # Documents
//
// A document is a regular file below Root, unless its name or that of a folder on the
// way starts with a dot, or its name with "~$". A symbolic link to such a file opens,
// and cannot be edited or renamed; linked folders are not entered.
//
// The id of a document is made of its path: a file that other programs move gets
// another id, one that is renamed through the Store keeps its own. [preview.CleanName]
// cleans names, also those that are not UTF-8.
//
// # Versions
//
// A file gets the next version when its bytes have changed, whoever wrote them. It is read
// again if its size or time of modification has changed, or was younger than two seconds.
// Files are read in the background, so one that takes longer than a callback may take
// opens some callbacks later.
//
// A Store that starts without its state file starts at 1 again, history aside, and a
// viewer that caches by version shows old content.
//
// # The history
//
// With Editing, Root has a folder with the versions of each document that was opened:
//
//	.weboffice-versions                  the state file
//	.weboffice-history/
//	    plan.docx.gnigrzsrj7tkod35uj4…/  the name when it was first opened, and the id
//	        1.docx
//	        2.docx
//	    .uploads/                        saves that are not complete
//	plan.docx                            the document: the bytes of version 2
//
// A version is copied when it is seen, also one that another program wrote. It takes no
// more room on file systems that can share blocks between files.
//
// A save is acknowledged when its bytes and its number are on the disk. If the disk is
// full, or the document's folder cannot be written to, it is refused before it gets a
// number. A crash or an error after that cannot undo it: the version is served from the
// history, and takes the document's place later, unless another program has changed the
// document: those bytes are the version after. An upload that was not completed is removed
// an hour after its link has expired.
//
// # Errors
//
// An unknown document is [preview.ErrNotFound], what [Config].Allow does not permit
// [preview.ErrForbidden], a full disk [preview.ErrStorageFull]. All others come from
// Allow, the file system or the context.
//
// # Concurrency
//
// A Store is safe for concurrent use. On Unix and Windows, several processes may serve one
// folder with one state file: they lock it, and New fails if it cannot be locked.
//
// # Security
//
// Neither ".." nor a symbolic link leads out of Root. Anyone who has a link can fetch that
// version, or upload that one save, until the link expires, whatever Allow says by then;
// changing LinkKey ends all links. Bytes are served as attachments.
//
// # Limits
//
// A version takes 150 to 250 bytes of the state file, a document about 0.5 KB of memory.
// A document on another file system than Root cannot be edited. A saved file has the mode
// of the one before, and belongs to the user of the process. What another program writes
// in the moment of a save may be overwritten.
package dirstore
