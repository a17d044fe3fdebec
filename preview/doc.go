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
// Then enter the URL of your server in the management console, without [PathPrefix]. Users,
// Saver and others of [Config] add capabilities, which the console must also switch on.
// Package previewtest checks a Store.
//
// # Mounting
//
// The Handler works below any prefix, with or without http.StripPrefix, on any router. A
// prefix that a proxy removes has been signed: give it to the Verifier as PublicPrefix.
//
// A route has to match all that follows PathPrefix:
//
//	mux.Handle(preview.PathPrefix, handler)                    // net/http
//	router.Handle(preview.PathPrefix+"*", handler)             // chi
//	engine.Any(preview.PathPrefix+"*path", gin.WrapH(handler)) // gin
//
// # Errors
//
// A Store returns the errors of this package, or a [Reply]. All else, also an answer that
// breaks a rule of the protocol ([RuleError]), is code 50001 for the caller, and only the
// log says why. A private download URL and the like is logged once.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use. It waits for a Store that ignores its context.
//
// # Security
//
// The user is known from Request.WebOfficeToken alone: verify it in Config.Identify. Errors
// and logs hold no token, signature, user query, query of a URL or value of a header.
//
// # Observation
//
// The operations are preview.file, preview.download, preview.permission, preview.users,
// preview.rename, preview.versions, preview.version, preview.version_download,
// preview.upload_prepare, preview.upload_address, preview.upload_complete, and
// preview.unknown for any other path.
//
// # Limits
//
// Session notices and watermarks (public reference 5) are not served: a router can give
// their paths to a handler of your own.
package preview
