// Package webhooktest is the other side of package webhook: a server that plays
// the messaging service, to test against and to run without a group chat.
//
//	s := webhooktest.NewServer(nil)
//	robot, err := webhook.NewRobot(s.Config(webhooktest.TestKey()))
//	...
//	err = robot.Send(ctx, webhook.Text{Content: "deployed"})
//	fmt.Println(s.Sent()[0].Message)
//
// The [Server] enforces what the protocol says of a robot: its key, the allow list
// and the keywords of its creator, the signature check (protocol 5.2), the shapes
// of messages (protocol 2.7, 2.9), their length, and 20 messages in any 60 seconds
// (protocol 8). It keeps everything that arrives, refused or not. It also plays the
// other direction: [Server.RegisterHandler] or [Server.Register] checks a callback
// as the chat client does when it is saved, and [Server.Mention] delivers a message
// that mentions the robot (protocol 6).
//
// [RunSeen] and [RunLimiter] test an integrator's own webhook.SeenStore and
// webhook.Limiter.
//
// A Server is a plain http.Handler, at any path that ends in [webhook.SendPath].
// [Server.Config] reaches it in memory, also in a testing/synctest bubble, where a
// minute takes no time; a net/http server and [Server.Address] make it a service
// on a real port.
//
// # Errors
//
// A refusal is the HTTP status and body that Options.Refuse gives. The protocol
// shows none; where real traffic was recorded (public reference 6.1), the texts
// are those.
//
// # Concurrency
//
// A Server is safe for concurrent use and starts no goroutines.
package webhooktest
