// Package markdown writes the markdown that group messages may hold, so that text
// from users can do no harm in it, and reads back what such a message says.
//
//	var b markdown.Builder
//	b.Heading(2, "Build ", build.Name)
//	b.Paragraph("Failed on ", markdown.Bold(branch), ", see ", markdown.Link("the log", build.URL))
//	b.List(markdown.Each(build.Failures)...)
//	b.Paragraph(markdown.MentionUser(build.AuthorID, ""), " please have a look.")
//	robot.Send(ctx, webhook.Markdown{Text: b.String()})
//
// The subset is that of protocol 2.8 with the at tags of protocol 2.7. Reports that are
// written in ordinary Markdown go through the package commonmark below this one.
//
// # Errors
//
// No function fails. What cannot be written, such as a link to a javascript address,
// falls back to its text. [Check] names what in a hand-written message the subset does
// not have.
//
// # Concurrency
//
// An [Inline] does not change and may be shared, also over goroutines. A [Builder] is for
// one goroutine at a time. There is no package-level state.
//
// # Security
//
// Every string is escaped, and [Raw] is the one way around it, so a search for Raw
// audits a program. Escaped text is inert in two ways at once, since it is not known in
// which order the service looks for tags, entities and backslashes:
//
//   - For a reader of CommonMark everything is literal: backslashes stand before
//     punctuation that could begin something where it stands.
//   - For a reader that merely looks for tags there are none: "<" is written as "&lt;",
//     not as "\<", in which such a reader would still find "<at". And should entities be
//     decoded before tags are looked for, then the attribute is user\_id, which no tag has.
//
// Addresses in text (https://…, www.…, a@b.c) do not become links either. A chat client
// may still underline an address that it shows; what a link says and where it leads is
// then the same.
//
// Control characters, byte order marks and the characters that turn the direction of
// writing around are left out; bytes that are no UTF-8 become U+FFFD.
//
// In a plain text message there is no escape, so [Plain] puts U+2060, which has no width,
// between "<" and what would make it an at tag. It reads the same. A search for "<at"
// finds nothing; only a service that first strips such characters would, and none is known to.
//
// # Limits
//
// Nothing is cut. [Builder.Len] counts characters as protocol 8 does; a message that is
// too long is split by the package webhook.
package markdown
