// Package token answers the access token callback: the presentation plugin asks
// your backend for an OAuth access token, on behalf of a user of yours who has a
// document open (protocol 2.11, 4.3).
//
// You say who may have one; the package says it on the wire, gets tokens from the
// token endpoint, and asks that endpoint as seldom as it can:
//
//	endpoint, err := token.NewClientCredentials(token.ClientCredentialsConfig{
//		URL:     authURL,
//		Clients: map[string]token.Client{"SX2024": {Secret: signing.NewSecret(appKey)}},
//	})
//	...
//	handler, err := token.NewHandler(token.Config{
//		Auth:      verifier.VerifyRequest,
//		Authorize: func(ctx context.Context, r token.Request) error { return users.MayOpen(ctx, r) },
//		Source:    token.NewCache(endpoint, nil),
//	})
//	...
//	mux.Handle(token.Path, handler)
//
// A request passes Config.Auth, is read, passes Config.AppMatch and
// Config.Authorize, and only then is Config.Source asked. The Source is told the
// app and nothing else, so that what it keeps cannot get to the wrong user.
//
// Tests need no account: package tokentest plays the plugin and the endpoint, and
// checks a whole handler against the protocol.
//
// # Errors
//
// Every answer is JSON with a code, and code 0 is the only success (protocol 7
// rule 1). What Authorize and a Source return chooses the code: [ErrUnauthorized],
// [ErrForbidden], [ErrNotFound], [ErrInvalid], [ErrUnknownApp], or a [Reply] that
// goes out word for word. Every other error, a panic and a token that has ended
// are one internal error on the wire, code 50001, and the log says what happened.
// Config.MapError changes any of it. The token endpoint's own failures are
// [*EndpointError].
//
// A request that cannot be read is code 40005, with a message that names every
// field that is wrong, and HTTP status 400, 405, 408, 413 or 415.
//
// # Concurrency
//
// [Handler], [Cache] and [ClientCredentials] are safe for concurrent use. A Cache
// lets one fetch per app outlive its callers, up to CacheOptions.FetchTimeout;
// nothing else runs in the background, and there is nothing to close.
//
// # Security
//
// A signature says which app calls, and only weboffice_token says which user:
// Authorize runs for every request and has to verify it. Nothing ties that token
// to the document either; that is Authorize's question too. Use TLS.
//
// Access tokens, weboffice_token and client_secret are in no error and no log. Do
// not put them into the errors that your own code returns: those are logged, less
// the user's token and the queries of addresses.
//
// # Limits
//
// A request is read up to [DefaultMaxBody] bytes and answered within
// [DefaultTimeout], as far as your code obeys its context; a body that trickles in
// is cut off then, where the ResponseWriter has read deadlines, as that of
// net/http does. A token is usually good for 7199 seconds (protocol 8); expires_in
// is what is left of that, rounded down, and a token with less than a second left
// is not handed out.
package token
