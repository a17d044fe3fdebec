// Package dirstore makes a preview.Store of a folder: every file below it is a
// document. It also serves the bytes, by links that are signed and expire. With
// Config.Editing, users can save and rename documents, and go back to earlier versions.
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
// To edit, set Editing, let Allow return Update, Rename and History for those who may,
// and give the Store to preview.Config four times more:
//
//	preview.Config{Store: store, Users: store, Saver: store, Renamer: store, History: store, ...}
//
// # Documents
//
// A document is a regular file below Root, unless its name or that of a folder on
// the way starts with a dot, or its name with "~$", as the lock files of office programs
// do. A symbolic link counts if it leads to such a file; it opens, and cannot be edited.
// Linked folders are not entered. New files are found when they are asked for: an
// unknown id makes the store look at each folder, and read those that have changed.
//
// The id of a document is made of its path. A file that other programs move gets another
// id; one that is renamed through the Store keeps its own. preview.CleanName cleans the
// names that the service sees, also names that are not UTF-8. A folder knows no time of
// creation: that is the time of modification which the store saw first.
//
// # Versions
//
// A file gets the next version when its bytes differ from those that were seen before,
// whoever wrote them. They are compared by their SHA-1, which is computed once for each
// version: a file whose size and time of modification are as they were is not read
// again, unless it had been changed less than two seconds before it was read. Files are
// read in the background, so that a file that takes longer than a callback may take
// opens some callbacks later.
//
// Versions and digests are kept in a state file, one line for each. What the store has
// answered stays true while it runs, even if the file is removed or restored from a
// backup. A store that starts without it starts all versions at 1 again, those in
// the history aside, and a viewer that caches by version shows old content.
//
// # The history
//
// With Editing, HistoryFolderName in Root has a folder for each document that was
// opened, with its versions as ordinary files:
//
//	.weboffice-versions                  the state file
//	.weboffice-history/
//	    plan.docx.gnigrzsrj7tkod35uj4…/  the name when it was first opened, and the id
//	        1.docx
//	        2.docx
//	    .uploads/                        saves that are not complete
//	plan.docx                            the document: the bytes of version 2
//
// A version is copied when it is seen, so that what was there before another program
// changes a document is in the history if the store was asked for it. File systems that
// can share blocks between files, such as Btrfs and XFS, do so; on others the history
// costs as much room as the versions have bytes. Copies are never hard links, since a
// program may write to a document in its place.
//
// A save goes this way, and may be interrupted at any moment:
//
//  1. The upload is written to a folder in .uploads, twice: for the history and for the
//     document. Both are synced before the folder gets its name.
//  2. A line in the state file gives it a number, and is synced. From here on it is the
//     newest version. The line is added with the file locked, so that a number is
//     claimed once, by whatever process.
//  3. One file moves into the history, the other in the document's place, and both
//     folders are synced. Then the save is acknowledged.
//
// If the process or the machine stops before step 2, the upload is swept an hour after
// its link has expired, and the document is as it was. If it stops after it, the next
// look at the document, or the next start, does step 3. If another program has changed
// the document in between, it is not overwritten: its bytes are the version after.
//
// # Errors
//
// An unknown document is preview.ErrNotFound, and users whom Config.Allow does not let
// do something get preview.ErrForbidden. A full disk is preview.ErrStorageFull. Errors of
// Allow are passed on. All others come from the file system or from the context.
//
// # Concurrency
//
// A [Store] is safe for concurrent use. Several processes may serve one folder with one
// state file, on Unix and Windows: they agree, as they lock it. New fails on a file
// system that cannot lock files.
//
// # Security
//
// The folder is opened as an os.Root: neither ".." nor a symbolic link leads out of
// it. Anyone who has a link can fetch that version of that document until the link
// expires, whatever Allow says by then, or upload the one save it was made for; changing
// LinkKey ends all links. Bytes are served as attachments and never interpreted here.
//
// # Limits
//
// The state file grows by about 150 bytes for each version, 250 if a user saved it. Ids,
// paths and the latest versions are held in memory: about 0.5 KB for each document. Root
// must be on one file system to be edited. A saved file has the mode of the one before,
// and belongs to the user of the process. Two programs that save a document in the same
// moment may each overwrite what the other wrote and nobody has seen yet.
package dirstore
