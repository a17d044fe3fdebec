// Package webhooktest plays the messaging service, to test against and to run without a
// group chat.
//
//	s := webhooktest.NewServer(nil)
//	robot, err := webhook.NewRobot(s.Config(webhooktest.TestKey()))
//	...
//	err = robot.Send(ctx, webhook.Text{Content: "deployed"})
//	fmt.Println(s.Sent()[0].Message)
//
// The [Server] enforces what the protocol says of a robot; [Refusal] lists it. It keeps
// everything that arrives, refused or not. In the other direction,
// [Server.RegisterHandler] or [Server.Register] checks a callback as the chat client
// does when it is saved, and [Server.Mention] delivers a message that mentions the robot
// (protocol 6).
//
// [RunSeen] and [RunLimiter] test an integrator's own webhook.SeenStore and
// webhook.Limiter.
//
// [Server.Config] reaches a Server in memory, also in a testing/synctest bubble, where a
// minute takes no time, and [Server.Address] on a net/http server.
package webhooktest
