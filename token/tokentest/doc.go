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
// Plugin, Endpoint and Source work in memory, also in a testing/synctest bubble;
// Run and RunSource make subtests, which a bubble does not allow. A backend reaches
// an Endpoint through its [Endpoint.Config], or over HTTP: it is a plain
// http.Handler at [EndpointPath], for a mux with other fakes.
package tokentest
