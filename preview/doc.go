// Package preview answers the callbacks by which the service's online viewer opens
// documents in your storage (protocol 2.4 to 2.6, 4.2), and edits, renames and rolls
// them back (public reference 4, 5).
//
// Implement the three methods of [Store], and mount a [Handler]:
//
//	handler, err := preview.NewHandler(preview.Config{
//		Store: store,                  // yours
//		Auth:  verifier.VerifyRequest, // a signing.Verifier with your app's credentials
//	})
//	...
//	http.Handle(preview.PathPrefix, handler)
//
// Then enter the URL of your server in the management console, without [PathPrefix]:
// https://example.com if the callbacks arrive at https://example.com/v3/3rd/files/….
// Fields of [Config] such as Users and Saver add capabilities, which also have to be
// switched on in the console. Package previewtest checks a Store.
//
// # Mounting
//
// The Handler works below any prefix, with or without http.StripPrefix, on any router. A
// prefix that a proxy removes has been signed: give it to the Verifier as PublicPrefix.
//
// # Errors
//
// A Store returns [ErrNotFound] and the other errors of this package, alone or wrapped,
// or a [Reply] with a message for the user. Everything else is an internal error, and so
// is an answer that breaks a rule of the protocol ([RuleError]): the caller gets code 50001
// and the request id, and only the log says why. What is allowed but will not work, such
// as a private download URL, is logged once.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use and starts no goroutine. It waits for a Store that
// ignores its context.
//
// # Security
//
// Config.Auth decides who may call, before anything else. The user is known from
// Request.WebOfficeToken alone, which only you can verify, in Config.Identify. A caller may
// ask for the download without the permission, so the Store refuses in both.
//
// A Store never sees a file id that is empty, longer than 47 characters, not UTF-8, or
// refused by Config.CheckID. Errors and logs hold no token, signature, user query, query of
// a URL or value of a header.
//
// # Observation
//
// Config.Observe is told of preview.file, preview.download, preview.permission,
// preview.users, preview.rename, preview.versions, preview.version,
// preview.version_download, preview.upload_prepare, preview.upload_address,
// preview.upload_complete, and preview.unknown for any other path.
//
// # Limits
//
// Session notices (POST /v3/3rd/notify) and watermarks are not served: what is known of
// them is in public reference 5.
package preview
