// Package weboffice is the map of this module: a Go SDK for a backend that works
// with an online-office service. It exports nothing itself.
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
// Comments cite the protocol by section ("protocol 2.6") and what public material
// says where it is silent ("public reference 3.3"); both are in internal/docs.
package weboffice
