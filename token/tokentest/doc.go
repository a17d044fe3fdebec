// Package tokentest is the other side of the access token callback, to test with
// and to run without an account: [Plugin] plays the caller, [Endpoint] the token
// endpoint behind your backend, [Source] a store of tokens.
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
// [Run] checks a whole handler, your Authorize included, against the sentences of
// the contract, one subtest each; [RunSource] does so for a Source of yours.
//
// Everything here works in memory and in a testing/synctest bubble. Endpoint is a
// plain http.Handler at [EndpointPath], for a mux with other fakes.
package tokentest
