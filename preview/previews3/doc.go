// Package previews3 keeps documents in an S3 bucket, and lets the online viewer
// open, edit, rename and roll them back. It needs no database and no lock server,
// and any number of processes may serve one bucket.
//
//	cfg, err := config.LoadDefaultConfig(ctx) // github.com/aws/aws-sdk-go-v2/config
//	...
//	store, err := previews3.New(previews3.Config{
//		Client: s3.NewFromConfig(cfg),
//		Bucket: "company-documents",
//		Allow:  previews3.Edit,
//	})
//	...
//	err = store.Check(ctx) // once, when the program starts
//	...
//	handler, err := preview.NewHandler(preview.Config{
//		Store: store, Users: store, Saver: store, Renamer: store, History: store,
//		Auth: verifier.VerifyRequest, Identify: identify,
//	})
//
// The service downloads and uploads the bytes itself, by presigned URLs of the
// storage, so documents of any size pass this process by. [Store.Create] stores a
// new document, [Store.IDs] lists and [Store.Delete] removes them. Permissions, users and
// names come from your own system where Config names it.
//
// # Storage
//
// Any storage with the API of S3 works if it refuses to replace an object on demand
// (If-None-Match, or a header of its own in Config.CreateOnly), also for a presigned
// upload, compares an upload with its Content-MD5, and lists an object as soon as it
// is stored. [Store.Check] tests that, except the last, and returns [ErrUnsupported]
// with a sentence that says what is missing. The first save and the first Create do the
// same, so that no document gets into a storage that would lose it.
//
// # Rights
//
// The credentials need s3:GetObject, s3:PutObject and s3:DeleteObject on the objects
// below Config.Prefix, and s3:ListBucket on the bucket:
//
//	{"Version": "2012-10-17", "Statement": [
//		{"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
//		 "Resource": "arn:aws:s3:::company-documents/office/*"},
//		{"Effect": "Allow", "Action": "s3:ListBucket",
//		 "Resource": "arn:aws:s3:::company-documents"}
//	]}
//
// Without s3:ListBucket a storage answers 403 for an object that is missing. A condition
// on the prefix may have the same effect; Check finds out. s3:DeleteObject is used by
// Check, Sweep and Delete only.
// Where the bucket encrypts with a key of KMS, they need kms:GenerateDataKey and
// kms:Decrypt on it.
//
// A presigned URL acts with the rights of the credentials that signed it. Nothing needs
// public access to the bucket, but a policy that admits some networks only must admit the
// service.
//
// # Objects
//
// A person can read the bucket. The newest version comes first in a listing:
//
//	office/plan/versions/4294967288-v7.json   version 7: size, digest, user, time, and the name of its bytes
//	office/plan/versions/4294967289-v6.json
//	office/plan/data/0000000006-RANDOM        bytes that were announced when version 6 was the newest
//	office/plan/name.json                     the name, after a rename
//
// A save puts its bytes under a new key, and then creates the object of the next
// version, which succeeds for one process only. The others take the number after it.
// Neither object is ever changed. A process that dies between the two steps leaves an
// upload without a version, and the repeated call completes it. A call that is
// repeated, also at another process, finds the version that it made before.
//
// There is no pointer to the newest version that would have to be swapped with
// If-Match: the first key of a listing is that pointer, and cannot be stale. The
// name is the only object that changes. Renames and saves cannot undo each other.
//
// # Cost
//
// Opening a document is three listings of one key, two reads of the version and one of
// the name. A save is three listings, one HEAD, one small write and two reads, and a read
// or two and a write more for each version that others saved meanwhile. A page of versions
// is one listing, another for each 1000 versions up to its end, and one read for each
// version of the page. AWS bills a listing like a write, about twelve times a read.
// Nothing is cached.
//
// # Sweeping
//
// Run [Store.Sweep] once a day, in one or all processes. It removes the uploads that
// were never completed and, if you ask for it, old versions. It costs one listing for
// each 1000 objects of the whole prefix. It reads the versions of a document only where
// it has something to remove.
//
// Of the lifecycle rules of a bucket,
//
//   - one that expires objects below the prefix loses documents: it cannot tell an old
//     version that is still the newest;
//   - one for noncurrent versions and expired delete markers is needed if the bucket has
//     versioning switched on, because Sweep and Delete then only hide objects;
//   - one that moves objects to a class with immediate access, such as infrequent access,
//     does no harm, and one that archives them makes versions unreadable;
//   - one for incomplete multipart uploads does nothing: there are none.
//
// # Moving from a folder
//
// [Store.Import] copies a folder. Let it take ids and version numbers from the store
// that served the folder, because viewers cache by both:
//
//	err := store.Import(ctx, os.DirFS(root), func(path string) (previews3.Document, error) {
//		id := folder.ID(path) // folder is a dirstore.Store
//		f, err := folder.File(ctx, preview.Request{FileID: id})
//		if errors.Is(err, preview.ErrNotFound) {
//			return previews3.Document{}, nil // Not a document.
//		}
//		return previews3.Document{ID: id, Name: f.Name, Version: f.Version, Creator: f.CreatorID}, err
//	})
//
// The folder must have the state file that it had, and Editing if it had that. Stop
// saving to it first. Import can be repeated, and leaves documents that are in the bucket
// as they are. Only the newest version moves. examples/preview does this with -s3 and -dir.
//
// # Errors
//
// The methods return the errors of package preview; that of a storage that answers 507 is
// preview.ErrStorageFull. All others are internal errors,
// which hold the HTTP status, the error code and the request id of the storage, and
// neither URLs nor any other text of it. [Store.CompleteUpload] returns
// preview.ErrNotUploaded if the bytes did not arrive as announced, or arrived more than
// [UploadLife] ago.
//
// # Concurrency
//
// A [Store] is safe for concurrent use, and keeps nothing between two calls but that
// Check has passed. It starts no goroutine that outlives a call. Times are those of the
// storage, and none goes back with its clock. The clocks of the processes only matter for
// signatures: where one is wrong by more than about fifteen minutes, the storage refuses
// its URLs, and saves fail without a loss.
//
// # Security
//
// A presigned URL works for everyone who has it until it expires; it gives or takes
// the bytes of one version. The signature of an upload covers the key, the size, the
// MD5 and the header that forbids replacing, so a URL cannot change a version. MD5 finds
// damage, not malice: the service chooses the bytes and the digest. Downloads are sent
// as attachments, so that no browser runs a document as a page of the storage.
//
// # Limits
//
// A document has up to 5 GiB, what S3 takes in one PUT. A URL lives up to seven days,
// and no longer than the credentials that signed it. SHA-1 and SHA-256 that the service
// announces are not checked.
package previews3
