// Package token answers the access token callback: the presentation plugin asks your
// backend for an OAuth access token, for a user of yours who has a document open.
//
// You decide who may have a token. The package reads and answers the callback, gets
// tokens from the token endpoint, and keeps them:
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
// only then is Config.Source asked.
//
// Tests need no account: package tokentest plays the plugin and the endpoint, and checks a
// whole handler. Comments cite sections of the [protocol] and the [public reference].
//
// # Errors
//
// Every answer is JSON with a code, and only code 0 is a success. What Authorize and a
// Source return chooses the code: [ErrUnauthorized], [ErrForbidden], [ErrNotFound],
// [ErrInvalid], [ErrUnknownApp], or a [Reply], which is sent unchanged. Every other error,
// a panic and an expired token are an internal error to the caller, code 50001, and the log
// has the reason. Config.MapError changes any of it. A failure of the token endpoint is an
// [*EndpointError].
//
// A request that cannot be read is code 40005, with a message that names each wrong field,
// and HTTP status 400, 405, 408, 413 or 415.
//
// # Observation
//
// Config.Observe is told of "token.access_token", each callback, and
// ClientCredentialsConfig.Observe of "token.fetch", each attempt at the endpoint.
//
// # Concurrency
//
// [Handler], [Cache] and [ClientCredentials] are safe for concurrent use. Nothing runs in
// the background but the fetches of a Cache, and there is nothing to close.
//
// # Security
//
// A signature proves which app calls. Only weboffice_token says which user, and for which
// document is not proven at all: Authorize must check both, and is called for every request.
// Use TLS.
//
// Access tokens, weboffice_token and client secrets are in no error and no log. Do not put
// them into your own errors and panics: those are logged, without the user's token and the
// queries of URLs.
//
// # Limits
//
// A request is read up to [DefaultMaxBody] bytes and answered within [DefaultTimeout], if
// your code obeys its context. A token is usually valid for 7199 seconds (protocol 8);
// expires_in is the time that is left, rounded down, and a token with less than a second
// left is not given out.
//
// [protocol]: https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md
// [public reference]: https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md
package token
