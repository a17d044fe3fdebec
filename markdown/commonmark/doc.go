// Package commonmark converts CommonMark with the tables, task lists, strikethrough and bare
// addresses of GFM into the subset that group messages may contain (protocol 2.8). [Check]
// checks messages that are written by hand.
//
//	report, err := os.ReadFile("report.md")
//	err = robot.Send(ctx, webhook.Markdown{Text: commonmark.Convert(string(report), nil)})
//
// # Conversion
//
// Headings, paragraphs, emphasis, links, images, and lists and quotes of the first level
// are kept. The rest becomes text that says the same:
//
//   - code blocks are quotes without their language, code spans are text
//   - tables have a line for each row, " │ " between cells, and a bold first line
//   - task boxes are ☐ and ☑
//   - lists within lists, and blocks within items or quotes, are indented lines, with "◦" or
//     "(1)" before an item and "│" before a quote
//   - thematic breaks are a line of "─"
//   - HTML is what it shows: b, i, s, a, img, br and font as in Markdown; headings, lists,
//     quotes and tables as above; powers as "²" or after a "^"; videos and frames as links.
//     The text in other tags is kept; comments, scripts and style sheets are dropped
//   - what only looks like a tag is text, as in List<string> and "cp <source>"
//   - alternative text follows its image; a title follows its link, in parentheses
//   - a link that is not an absolute http or https URL is text, with its address in
//     parentheses; see [Options].BaseURL
//
// References are resolved. A line feed within a paragraph is a space.
//
// # Security
//
// Text is escaped as in the package markdown. The source cannot mention anyone unless
// [Options].KeepMentions is set. Its author decides where links and images lead.
//
// # Limits
//
// Nothing is cut; the package webhook splits long messages. Time grows in proportion to the
// length: marks of blocks more than about 100 deep are text, as are marks of emphasis after
// the first 1000 of a paragraph and references after 100,000 characters of addresses, or more
// in a longer source; a paragraph that is slow to parse, such as one of open links, is a block
// of code. Lists and quotes are indented up to eight levels.
package commonmark
