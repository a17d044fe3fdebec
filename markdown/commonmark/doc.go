// Package commonmark turns ordinary Markdown, that is CommonMark with the tables, task
// lists, strikethrough and bare addresses of GFM, into the subset that group messages may
// hold (protocol 2.8).
//
//	report, err := os.ReadFile("report.md")
//	robot.Send(ctx, webhook.Markdown{Text: commonmark.Convert(string(report), nil)})
//
// # What becomes of what
//
// Headings, paragraphs, emphasis, links, images, and the lists and quotes of the first
// level stay what they are. What the subset does not have becomes text that says the same:
//
//   - code blocks are quotes, line by line, with their indentation; spans of code are text.
//     The language of a fence is left out: a page does not show it but by colours, which a
//     message does not have, and diagrams and diffs say in their own lines what they are
//   - tables have a line for each row, with " │ " between cells and a bold first line
//   - boxes of task lists are ☐ and ☑
//   - lists within lists and blocks within items or quotes are lines of their item or
//     quote, indented, with "◦" or "(1)" before an item and "│" before a quote
//   - thematic breaks are a line of "─"
//   - HTML is what it shows: b, i, s, a, img, br and font are what they are in Markdown, and
//     headings, lists, quotes and tables are as above. Powers are characters such as "²",
//     or stand behind a "^"; boxes and bars are "☑" and "3/10"; films and frames are links;
//     the title of an abbreviation stands behind it. Other tags, comments, scripts and style
//     sheets are left out
//   - what looks like a tag and is none is text, such as List<string> and <your-name>. So is
//     an element of HTML with neither a value nor an end, as in "cp <source> <target>"
//   - alternative text stands behind its image, a title in parentheses behind its link
//   - links that are not absolute http or https addresses are text, with the address in
//     parentheses
//
// References are resolved. Line feeds within a paragraph are spaces, as CommonMark has it.
//
// # Security
//
// All text is escaped as by the package markdown, so the source cannot mention anyone, not
// with at tags either, unless [Options].KeepMentions is set. Links and images of the source
// are kept: whoever writes the source decides where they lead.
//
// # Limits
//
// Nothing is cut; the package webhook splits long messages. Lists and quotes may be nested
// as deep as they like, but are indented up to eight levels only.
package commonmark
