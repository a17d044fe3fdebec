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
// [Run] checks a whole handler, including your Authorize; [RunSource] checks a Source of
// yours. Comments cite the [protocol] and the [public reference].
//
// All work in memory, and are safe for concurrent use. Plugin, Endpoint and Source also work in a testing/synctest bubble,
// which does not allow the subtests of Run and RunSource.
//
// [protocol]: https://github.com/weboffice-go/weboffice/blob/main/docs/protocol.md
// [public reference]: https://github.com/weboffice-go/weboffice/blob/main/docs/public-reference.md
package tokentest
