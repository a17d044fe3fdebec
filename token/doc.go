// Package token answers the access token callback: the presentation plugin asks your
// backend for an OAuth access token, for a user of yours who has a document open.
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
// A request passes Config.Auth, is read, passes Config.AppMatch and Config.Authorize, and
// only then is Config.Source asked. Package tokentest plays the plugin and the endpoint, and
// checks a whole handler. Comments cite the [protocol] and the [public reference].
//
// # Errors
//
// Every answer is JSON with a code, and only code 0 is a success. [DefaultReply] has the
// codes for errors of Authorize and of a Source; only the log has the reason of code 50001. A
// caller that Auth refuses gets code 40002. A request that cannot be read is code 40005, with
// a message that names each wrong field, and HTTP status 400, 405, 408, 413 or 415.
// Config.MapError changes any of it.
//
// # Concurrency
//
// [Handler], [Cache] and [ClientCredentials] are safe for concurrent use. Only the fetches
// of a Cache run in the background.
//
// # Security
//
// A signature proves which app calls, not which user or document: Authorize must check
// both. Use TLS.
//
// No error and no log has access tokens, weboffice_token or client secrets. Your own errors
// and panics are logged, without the user's token and the queries of URLs.
//
// [protocol]: https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md
// [public reference]: https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md
package token
