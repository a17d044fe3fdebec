// Package webhook posts messages into a group chat through a robot, and receives
// the messages that mention it (protocol 2.7 to 2.10, 4.4, 6).
//
//	robot, err := webhook.NewRobot(webhook.Config{
//		URL: signing.NewSecret(os.Getenv("ROBOT_URL")), // as the chat client shows it
//	})
//	...
//	err = robot.Send(ctx, webhook.Text{Content: "Backup done."})
//
// Package markdown writes texts in which a quoted text cannot mention everyone.
// [Robot.SendLong] sends what is too long for one message. Package
// webhook/webhooklog posts what a program logs.
//
// # Limits
//
// A robot takes 20 messages in any minute, of 5000 characters each (protocol 8). A
// Robot waits for a slot before every message. Make one per URL and keep it, or give
// several one [Window]; several machines need a [Limiter] that they share. Alerts wait
// behind a long report: give reports a robot of their own.
//
// # Mentions
//
// A [Receiver] is the http.Handler of a robot's callback URL:
//
//	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
//		RobotKeys:  []signing.Secret{robot.Key()},
//		Background: 16, // answer first, work afterwards
//		Handle: func(ctx context.Context, e webhook.Event) error {
//			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
//		},
//	})
//
// It is not known how long the service waits for an answer, or whether it delivers an
// event again (protocol 6).
//
// # Errors
//
// An error of [Robot.Send] is [ErrNotAccepted] if the message is certainly not in the
// chat. After any other it is unknown whether it arrived.
//
// # Concurrency
//
// Robot, Receiver, Window and Seen are safe for concurrent use. The only goroutines
// are those of events in the background.
//
// # Security
//
// Anyone who has the robot key in the webhook URL can post. No error, log, observation
// or printed value shows it, or the signing secret. Redirects are not followed.
//
// Only the robot key in its body proves where an event comes from (protocol 2.10):
// use TLS and a callback URL that cannot be guessed. What an event says is a stranger's
// text, and is never logged.
package webhook
