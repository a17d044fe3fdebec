// Package tokentest tests the access token callback without an account: [Plugin] calls it
// as the service does, [Endpoint] plays the token endpoint, [Source] is a store of tokens.
//
//	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{
//		Handler:     handler,
//		Credentials: signingtest.Credentials(),
//	})
//	...
//	t, err := plugin.Token(ctx, token.Request{
//		AppID: "test-app", FileID: "report", WebOfficeToken: signing.NewSecret("alice"),
//	})
//
// [Run] checks a whole handler, including your Authorize, against the contract; [RunSource]
// does so for a Source of yours. Comments cite sections of the [protocol] and the
// [public reference].
//
// Plugin, Endpoint and Source work in memory, also in a testing/synctest bubble; Run and
// RunSource make subtests, which a bubble does not allow. A backend connects to an Endpoint
// by its [Endpoint.Config], or over HTTP at [EndpointPath].
//
// [protocol]: https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md
// [public reference]: https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md
package tokentest
