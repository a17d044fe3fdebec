// Package weboffice is the root of a Go SDK for backends that work with an
// online-office service. It contains the [Observer] that all packages share.
//
// Your backend calls the service:
//
//   - convert converts office documents to text and PDF.
//   - webhook posts into group chats through a robot; webhook/webhooklog posts what a
//     program logs.
//
// The service calls your backend:
//
//   - preview is the http.Handler that lets the online viewer open and edit documents in
//     your storage. preview/dirstore stores them in a folder, and the module
//     preview/previews3 in S3.
//   - token is the http.Handler that gives access tokens to the presentation plugin.
//   - webhook also receives the messages that mention the robot.
//
// Several processes share limits, events and tokens by the modules webhook/webhookredis
// and token/tokenredis.
//
// They share:
//
//   - signing, which signs and verifies requests, and keeps secrets from being printed.
//   - markdown, which writes chat messages with text from users escaped, and
//     markdown/commonmark, which converts ordinary Markdown.
//
// To run and test everything without an account, use the fakes that enforce the
// protocol: converttest, previewtest, webhooktest, tokentest and signingtest. The
// programs in examples start with them:
//
//	go run ./examples/quickstart
//
// Guides, in English and Chinese, are at
// https://github.com/weboffice-go/weboffice/blob/main/docs/README.md. Comments cite
// sections: "protocol 2.6" is in docs/protocol.md, and "public reference 3.3" in
// docs/public-reference.md.
package weboffice
