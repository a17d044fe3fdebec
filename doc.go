// Package weboffice is the map of this module, a Go SDK for backends that work with
// an online-office service. It exports what all packages share: the [Observer].
//
// Your backend calls the service:
//
//   - convert turns office documents into txt and pdf: submit, wait, download.
//   - webhook posts into group chats through a robot.
//
// The service calls your backend:
//
//   - preview is the http.Handler that lets the online viewer open documents of
//     your own storage.
//   - token is the http.Handler that hands out access tokens to the presentation
//     plugin.
//   - webhook also takes the messages that mention the robot.
//
// Both directions rest on:
//
//   - signing, which signs and verifies, and keeps secrets from being printed.
//   - markdown, which writes what a chat message may say, with user text inert.
//
// Beside each package lies the other side of its wire: converttest, previewtest,
// webhooktest, tokentest and signingtest hold fakes that enforce the protocol, so
// that everything runs without an account, in tests and by hand. The programs in
// examples start from there:
//
//	go run ./examples/quickstart
//
// Comments name the section that they rest on: "protocol 2.6" is in
// docs/protocol.md, "public reference 3.3" in
// docs/public-reference.md, which fills the gaps of the protocol with
// what is publicly known.
package weboffice
