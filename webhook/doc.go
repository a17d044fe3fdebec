// Package webhook posts messages into a group chat through a robot, and receives
// the messages that mention it (protocol 2.7 to 2.10, 4.4, 6).
//
//	robot, err := webhook.NewRobot(webhook.Config{
//		URL: signing.NewSecret(os.Getenv("ROBOT_URL")), // as the chat client shows it
//	})
//	...
//	err = robot.Send(ctx, webhook.Text{Content: "Backup done."})
//
// [Text], [Markdown], [Link] and [Card] are what the protocol shows, and [Raw] is
// for the rest. Package markdown writes their texts so that a quoted text cannot
// mention everyone. [Robot.SendLong] sends what is too long for one message.
// Package webhook/webhooklog posts what a program logs.
//
// Robots are made in the chat client. Their keywords, allow list, signature check
// and callback URL are set there (protocol 4.4).
//
// # Limits
//
// A robot takes 20 messages in any minute, and each may have 5000 characters
// (protocol 8). A Robot waits for a slot before every message; if the context would
// end sooner, Send says so immediately. Make one Robot per URL and keep it, or give
// several one [Window]. Thirty pieces of a report take more than a minute, and
// alerts through the same robot wait for them: give reports a robot of their own.
//
// Several machines that post through one robot need a [Limiter] that they share:
// on Redis, a sorted set of the times of the last messages and a script that drops
// those older than 61 seconds and, if fewer than 20 are left, adds one. If Redis
// cannot be reached, return the error, and nothing is sent; or fall back to a
// Window of 20 divided by the number of machines.
//
// # Mentions
//
// A [Receiver] is the http.Handler of a robot's callback URL. It answers the GET by
// which the service checks the URL, and passes every message that mentions the
// robot to Handle:
//
//	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
//		RobotKeys:  []signing.Secret{robot.Key()},
//		Background: 16, // answer first, work afterwards
//		Handle: func(ctx context.Context, e webhook.Event) error {
//			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
//		},
//	})
//
// How long the service waits for an answer, and whether it delivers an event
// again, is not known (protocol 6). An event that is delivered again is not handled
// again, unless Handle failed; several processes need a [SeenStore] that they
// share. A request's body has to arrive within ten seconds.
//
// # Errors
//
// An error of Send is [ErrNotAccepted] if the message is certainly not in the chat.
// After any other error it is unknown whether it arrived. Details are in a
// [*FieldError], [*LimitError] or [*APIError].
//
// # Observation
//
// Config.Observe and ReceiverConfig.Observe are told of webhook.send, once per
// attempt, webhook.event and webhook.check.
//
// # Concurrency
//
// Robot, Receiver, Window and Seen are safe for concurrent use. The only goroutines
// are those of events in the background.
//
// # Security
//
// The webhook URL holds the robot key, and anyone who has the key can post.
// No error, log, observation or printed value of this package shows it, or the
// signing secret. Redirects are not followed.
//
// Only the robot key in its body proves where an event comes from (protocol 2.10):
// use TLS and a URL that cannot be guessed. What an event says is a stranger's
// text. It is never logged.
package webhook
