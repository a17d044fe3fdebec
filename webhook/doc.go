// Package webhook posts messages into a group chat through a robot, and takes the
// messages that mention it (protocol 2.7 to 2.10, 4.4, 6).
//
//	robot, err := webhook.NewRobot(webhook.Config{
//		URL: signing.NewSecret(os.Getenv("ROBOT_URL")), // as the chat client shows it
//	})
//	...
//	err = robot.Send(ctx, webhook.Text{Content: "Backup done."})
//
// Robots are made in the chat client, and nowhere else are their keywords, allow
// list, signature check and callback address set. Only the group's owner, its
// administrators and whoever added the robot may change or remove it (protocol
// 4.4).
//
// # Messages
//
// [Text], [Markdown], [Link] and [Card] are what the protocol shows, and [Raw] is
// for the rest. Package markdown writes their texts so that nobody who is quoted
// in them can mention everyone. [Encode] gives the bytes of a message without
// sending it, [Decode] reads them back, and [Robot.Check] says what Send would
// refuse it for. [Split] cuts a long text into pieces for [Robot.SendAll]. A
// [LogHandler] posts what a program logs.
//
// # Limits
//
// A robot takes 20 messages in any minute, and each may have 5000 characters
// (protocol 8). A [Robot] waits for its turn before every message: 20 go out at
// once, then as many as the last minute leaves room for. If the context ends
// sooner, [Robot.Send] says so at once. Nothing here is global, so each Robot
// keeps to the limit on its own: make one per address and keep it, since a new
// one for every message would count from zero every time. Where several are
// needed, give them one [Window]. Thirty pieces of a report take more than a
// minute, and alerts through the same robot wait behind them: give reports a
// robot of their own.
//
// Several machines that post through one robot need a [Limiter] that they share.
// On Redis it takes a sorted set of the times of the last messages and a script:
// drop what is older than 61 seconds; if fewer than 20 are left, add the present
// time and go on; else return when the oldest leaves, and wait until then. The
// 61st second is the margin for messages that overtake each other; a Window has
// it too. If Redis cannot be reached, let Wait return the error, and nothing is
// sent; or fall back to a Window of 20 divided by the number of machines.
//
// # Mentions
//
// A [Receiver] is the http.Handler behind a robot's callback address. It answers
// the GET by which the service checks the address, and hands every message that
// mentions the robot to Handle:
//
//	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
//		RobotKeys:  []signing.Secret{key},
//		Background: 16, // answer first, work afterwards
//		Handle: func(ctx context.Context, e webhook.Event) error {
//			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
//		},
//	})
//
// How long the service waits for an answer, and whether it delivers an event
// again, is not known (protocol 6). With Background the answer does not wait for
// Handle, and [Receiver.Shutdown] waits for what is under way. [Event.ID] is the
// same for a repeat, and [Seen] remembers ids. A request's body has to arrive
// within ten seconds.
//
// # Errors
//
// Before a message goes out, it is a [*FieldError] for each rule that the message
// breaks, [ErrTooLong] and [ErrNoKeyword] among them, or a [*LimitError] if its
// turn comes too late. All of these are [ErrNotSent]. Afterwards it is an
// [*APIError] where the answer does not prove success, which may be
// [ErrRateLimited], [ErrNotAllowed], [ErrNoKeyword], signing.ErrTimestamp or
// signing.ErrSignature; a status of 500 or more may come from a proxy in between,
// and leave open what the service did. Any other error, such as a broken
// connection, leaves open whether the message arrived. Only what was refused for
// rate is sent again.
//
// # Concurrency
//
// [Robot], [Receiver], [Window], [Seen] and [LogHandler] are safe for concurrent
// use. Messages and events are plain values. The only goroutines are those of
// events in the background and of a [LogHandler]; the Shutdown of each waits for
// them.
//
// # Security
//
// The webhook address holds the robot key, and whoever has the key can post. No
// error, log or printed value of this package shows the address, the key or the
// signing secret, even if the service repeats them in an answer. Redirects are
// not followed.
//
// Nothing proves an event but the robot key in its body (protocol 2.10), which is
// compared in constant time: use TLS and an address that nobody guesses. What an
// event says is a stranger's text. It is never logged: an [Event] logs where it
// comes from, and no more.
package webhook
