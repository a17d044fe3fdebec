// Robot posts a message into a group chat from the command line. To try it without a
// chat, with a messaging service in this process:
//
//	go run ./examples/robot -demo "Deployed **checkout** to production"
//	go run ./examples/robot -dry-run -type text "Disk is full on web-1"
//
// For a real chat, put the webhook URL of the robot, as the chat client shows it, into the
// environment. Other users could read it on the command line.
//
//	export WEBOFFICE_ROBOT_URL='https://…/api/v1/webhook/send?key=…'
//	export WEBOFFICE_ROBOT_SECRET='…'   # if the robot checks signatures
//	make report | go run ./examples/robot -type commonmark -label "Report"
//
// The exit code is 0 if the whole message was accepted, 1 if it was not, and 2 for wrong
// arguments.
package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/weboffice-go/weboffice/examples/internal/chat"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	})
}

// options are the command line.
type options struct {
	kind     string // text, markdown or commonmark
	title    string // not empty: a link
	url      string
	button   string
	label    string
	keywords []string
	demo     bool
	dryRun   bool
	message  string
}

func run(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	opts, err := parse(args, in, out)
	if err == nil {
		err = post(ctx, opts, getenv, out)
	}
	return cli.Code(errOut, "robot", err)
}

// parse reads the command line, and the message from in where it has none.
func parse(args []string, in io.Reader, out io.Writer) (options, error) {
	var o options
	var keywords string
	flags := cli.Flags(out, "robot [flags] [message]\n\nWithout a message, it is read from standard input.", chat.Environment()...)
	flags.StringVar(&o.kind, "type", "markdown", "`kind` of message: text, markdown (the robot's own subset) or commonmark (ordinary Markdown)")
	flags.StringVar(&o.title, "title", "", "send a link with this `title`; the message is its text")
	flags.StringVar(&o.url, "url", "", "`URL` that the button of a link opens")
	flags.StringVar(&o.button, "button", "", "`text` on the button, at most 12 characters")
	flags.StringVar(&o.label, "label", "", "`text` before each piece of a message that is too long for one")
	flags.StringVar(&keywords, "keywords", "", "comma-separated `words` of which the robot demands one")
	flags.BoolVar(&o.demo, "demo", false, "post to a messaging service inside this process and show what arrives")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be posted, and post nothing")
	if err := cli.Parse(flags, args); err != nil {
		return o, err
	}
	switch {
	case o.kind != "text" && o.kind != "markdown" && o.kind != "commonmark":
		return o, cli.Usagef("-type must be text, markdown or commonmark, not %q", o.kind)
	case o.title == "" && (o.url != "" || o.button != ""):
		return o, cli.Usagef("-url and -button are for a link, which needs -title")
	}
	o.keywords = cli.Words(keywords)
	o.message = strings.Join(flags.Args(), " ")
	if o.message == "" {
		text, err := io.ReadAll(in)
		if err != nil {
			return o, err
		}
		o.message = string(text)
	}
	if strings.TrimSpace(o.message) == "" {
		return o, cli.Usagef("there is no message: give it after the flags, or on standard input")
	}
	return o, nil
}
