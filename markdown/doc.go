// Package markdown writes the markdown of group messages. Text from users is escaped, so it
// cannot mention anyone, hide a link or change the layout.
//
//	var b markdown.Builder
//	b.Heading(2, "Build ", build.Name)
//	b.Paragraph("Failed on ", markdown.Bold(branch), ", see ", markdown.Link("the log", build.URL))
//	b.List(markdown.Each(build.Failures)...)
//	b.Paragraph(markdown.MentionUser(build.AuthorID, ""), " please have a look.")
//	err := robot.Send(ctx, webhook.Markdown{Text: b.String()})
//
// [Plain] writes plain text messages. The package commonmark converts ordinary Markdown.
//
// # Errors
//
// Functions do not fail. What cannot be written becomes its text, such as a link to a
// javascript address.
//
// # Concurrency
//
// An [Inline] is immutable and may be shared. A [Builder] must be used by one goroutine at
// a time.
//
// # Security
//
// Every string is escaped, except by [Raw], so a search for Raw audits a program.
//
// Escaped text is inert in whatever order the service reads tags, entities and backslashes:
// "<" is written as "&lt;", and U+2060, which is not visible, keeps it from beginning an at
// tag. Addresses in text do not become links, but a client may underline them.
//
// Control characters, byte order marks and characters that change the direction of writing
// are removed; invalid UTF-8 becomes U+FFFD.
//
// # Limits
//
// Nothing is cut; the package webhook splits long messages.
package markdown
