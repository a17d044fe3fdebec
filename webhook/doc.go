// Package webhook posts messages into a group chat through a robot, and takes the
// messages that mention it (protocol 2.7 to 2.10, 4.4, 6).
//
//	robot, err := webhook.NewRobot(webhook.Config{
//		URL: signing.NewSecret(os.Getenv("ROBOT_URL")), // as the chat client shows it
//	})
//	...
//	err = robot.Send(ctx, webhook.Text{Content: "Backup done."})
//
// A robot is made, and its keywords, allow list, signature check and callback
// address are set, in the chat client alone; only the group's owner, administrators
// and whoever added the robot may change or remove it (protocol 4.4).
//
// # Messages
//
// [Text], [Markdown], [Link] and [Card] are what the protocol shows, and [Raw] is
// for the rest. Package markdown writes their texts so that nobody who is quoted in
// them can mention everyone. [Encode] gives the bytes of a message without sending
// it, [Decode] reads them back, and [Robot.Check] says what Send would refuse it for.
// [Split] cuts a long text into pieces for [Robot.SendAll].
//
// # Limits
//
// A robot takes 20 messages in any minute, and each may have 5000 characters
// (protocol 8). A [Robot] waits for its turn before every message: 20 at once, then
// as many as the last minute leaves room for. Where the context would end sooner,
// [Robot.Send] says so at once. The limit is the Robot's own, for nothing here is
// global: a new Robot for every message would have a new minute every time, and
// exceed the service's. Make one per address and keep it; where several are needed,
// give them one [Window]. Thirty pieces of a report need more than a minute, and
// alerts through the same robot wait behind them: reports are better off with a
// robot of their own.
//
// Several machines that post through one robot share a limit by a [Limiter] of
// their own. On Redis it is a sorted set of the times of the last messages and a
// script: drop what is older than 61 seconds, add the time and go on if fewer than
// 20 are left, else return when the oldest leaves, and wait until then. The 61st
// second is the margin for messages that overtake each other; a Window has it too.
// When Redis cannot be reached, Wait returns the error, and nothing is sent; who
// would rather go on falls back to a Window of 20 by the number of machines.
//
// # Mentions
//
// A [Receiver] is the http.Handler behind a robot's callback address. It proves
// itself to the service, which asks by GET before it accepts the address, and hands
// every message that mentions the robot to Handle:
//
//	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
//		RobotKeys:  []signing.Secret{key},
//		Background: 16, // answer first, work afterwards
//		Handle: func(ctx context.Context, e webhook.Event) error {
//			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
//		},
//	})
//
// How long the service waits for an answer, and whether it delivers an event again,
// is not shown (protocol 6). With Background the answer does not wait for Handle, and
// [Receiver.Shutdown] waits for what is under way. [Event.ID] tells repeats, and
// [Seen] remembers them. A request's body has to arrive within ten seconds.
//
// # Errors
//
// Before a message goes out: a [*FieldError] of a rule that it breaks, with
// [ErrTooLong] or [ErrNoKeyword] where it is one of these, and a [*LimitError] of a
// turn that comes too late. These are [ErrNotSent]. Afterwards: an [*APIError] of an
// answer that does not prove success, which may be [ErrRateLimited],
// [ErrNotAllowed], [ErrNoKeyword], signing.ErrTimestamp or signing.ErrSignature; a
// status of 500 or more may come from a proxy in between, and leave open what the
// service did. Any other error, such as a broken connection, leaves open whether the
// message arrived. Only what was refused for rate is sent again.
//
// # Concurrency
//
// [Robot], [Receiver], [Window] and [Seen] are safe for concurrent use. Messages and
// events are plain values. The only goroutines are those of events in the background,
// which Shutdown waits for.
//
// # Security
//
// The webhook address holds the robot key, and who has the key can post. No error, log
// or printed value of this package holds the address, the key or the signing secret,
// also where the service repeats them in an answer. Redirects are not followed.
//
// An event is proven by nothing but the robot key in its body (protocol 2.10), which
// is compared in constant time: use TLS and an address that nobody guesses. What an
// event says is a stranger's text. It is not logged, and an [Event] logs as where it
// comes from.
package webhook
