// Package preview answers the callbacks by which the service's online viewer
// opens documents in your own storage (protocol 2.4 to 2.6, 4.2), and with more
// capabilities also edits, renames and rolls them back (public reference 4, 5).
//
// You implement the three methods of [Store], and mount one [Handler] anywhere:
//
//	handler, err := preview.NewHandler(preview.Config{
//		Store: store,                  // yours
//		Auth:  verifier.VerifyRequest, // a signing.Verifier with your app's credentials
//	})
//	...
//	http.Handle(preview.PathPrefix, handler)
//
// Then enter the address of your server in the management console, without
// [PathPrefix]: https://example.com where the callbacks arrive at
// https://example.com/v3/3rd/files/…. A [Config] field such as Users or Saver adds
// the callbacks of a capability, which also has to be switched on in the console.
//
// # Mounting
//
// The Handler is an http.Handler that finds PathPrefix by itself, so it works
// below any prefix, with or without http.StripPrefix, on http.ServeMux and on
// routers such as chi, gin and echo. What it cannot see is a prefix that a proxy
// took away before the request arrived; callers have signed it, and so the
// Verifier needs it as its PublicPrefix. An http.ServeMux in front answers paths
// with double slashes by itself, with a redirect.
//
// # Errors
//
// A Store returns [ErrNotFound], [ErrForbidden] and the other errors of this
// package, alone or wrapped, or a [Reply] with a message for the user. Everything
// else is an internal error: the caller gets code 50001 and the id of the
// request, and only the log gets the text. The same goes for an answer that
// breaks a rule, which is a [RuleError] in the log: what a Store answers is
// checked against the protocol before it leaves, because the viewer reports a
// malformed answer as 'permission denied' or not at all. Rules that the protocol
// gives as advice, and things that are allowed but will not work, such as a
// private download address, are logged once for each kind at level info, and at
// debug level after that.
//
// Answers are JSON always: failures have the form {"code":40004,"message":"…"},
// with an HTTP status that [DefaultReply] chooses and Config.MapError may change.
// Package previewtest checks a Store against all of this.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use and starts no goroutine. A Store is called
// in the goroutine of the request, by many requests at once. Its context carries
// the values of the request, ends when the caller goes away, and has the deadline
// of Config.Timeout; the Handler waits for a Store that does not obey it.
//
// # Security
//
// Who may call is an explicit choice, Config.Auth, and comes before all else;
// read what a signature does not cover in package signing. Request.AppID is the
// app that signed. Who the user is, only Request.WebOfficeToken can say, and only
// you can verify it: that is what Config.Identify is for. Nothing makes a caller
// ask for the permission before the download, so the Store has to refuse in both.
//
// File ids are checked before anything else sees them, and no Store is ever called
// with one that is empty, longer than 47 characters, or refused by Config.CheckID.
// Neither tokens, signatures, the user's query, the query of an address nor the
// values of headers appear in errors and logs.
//
// # Limits
//
// A file id has up to [MaxFileIDLength] characters and a file name up to
// [MaxFileNameLength] (protocol 8), counted as Unicode code points. A request's body
// is read up to [DefaultMaxBody], and a callback may take [DefaultTimeout].
package preview
