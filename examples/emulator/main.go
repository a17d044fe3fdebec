// Emulator plays the whole service at one address of this machine: conversions, a group
// chat with robots, the online viewer, the presentation plugin and the token endpoint, as
// strictly as the fakes of this module. A page shows what happened and why; an HTTP API,
// described at /_emulator/openapi.yaml, lets tests in any language seed, wait, assert,
// and switch faults on. It needs no account and nothing but Go:
//
//	go run ./examples/emulator
//
// It prints the address of the page, and a curl command that sends a message. The
// credentials are for development, and are the same on every machine. In another shell,
// the other examples find them:
//
//	eval "$(go run ./examples/emulator env)"
//	go run ./examples/convert examples/quickstart/document/handbook.docx
//	go run ./examples/robot "Hello **world**"
//
// With LibreOffice and poppler, documents become PDFs that are shown page by page; without,
// the text of docx, pptx and xlsx is read.
//
// A file of seeds such as seeds.yaml (-seed) starts it in a known state, -data keeps the
// state over a restart, and -scheme WPS-2 lets it sign as the public service does. It only
// listens on this machine, unless -expose is given, and answers only to
// the names that it knows (-host), so that no page on the internet can reach it.
package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
)

// defaultAddr is where the emulator listens, and where "emulator env" looks for it.
const defaultAddr = "127.0.0.1:7070"

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "emulator", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

// options are the command line.
type options struct {
	addr, public, scheme, seed, data string
	hosts                            []string
	expose, verbose, plain           bool
}

// run is the command: "env", or nothing to play the service.
func run(ctx context.Context, args []string, getenv func(string) string, out, log io.Writer) error {
	if len(args) > 0 && args[0] == "env" {
		return printEnvironment(ctx, args[1:], getenv, out)
	}
	var o options
	var hosts string
	flags := cli.Flags(out, "emulator [flags]          plays the service\n       emulator env [-url URL]   prints its environment variables for a shell")
	flags.StringVar(&o.addr, "addr", defaultAddr, "`address` to listen on")
	flags.StringVar(&o.public, "public", "", "`URL` under which others reach it (default: http:// and the address)")
	flags.StringVar(&o.scheme, "scheme", signing.SchemeSVC2, "first `word` of Authorization, such as WPS-2")
	flags.StringVar(&o.seed, "seed", "", "`file` of seeds, in YAML or JSON; see Seed in /_emulator/openapi.yaml")
	flags.StringVar(&o.data, "data", "", "`folder` that keeps the state over a restart; if it has one, -seed waits for a reset (default: in memory)")
	flags.StringVar(&hosts, "host", "", "comma-separated `names` by which others call it, such as host.docker.internal")
	flags.BoolVar(&o.expose, "expose", false, "let other machines reach it: everyone who can may then see and change everything")
	flags.BoolVar(&o.plain, "no-office", false, "use no LibreOffice and no poppler, even if they are installed")
	flags.BoolVar(&o.verbose, "verbose", false, "log what is refused")
	if err := cli.FromEnvironment(flags, "WEBOFFICE_EMULATOR_", getenv); err != nil {
		return err
	}
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	o.hosts = cli.Words(hosts)
	if host, _, err := net.SplitHostPort(o.addr); !o.expose && (err != nil || !local(host)) {
		return cli.Usagef("-addr %s is not only on this machine: use an address such as %s, or -expose", o.addr, defaultAddr)
	}
	logger := slog.New(slog.DiscardHandler)
	if o.verbose {
		logger = slog.New(slog.NewTextHandler(log, nil))
	}
	return play(ctx, o, logger, out)
}

// local reports whether only this machine reaches a host.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// printEnvironment asks a running emulator for its variables.
func printEnvironment(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	flags := cli.Flags(out, "emulator env [flags]")
	url := flags.String("url", "http://"+defaultAddr, "`URL` of the emulator")
	if err := cli.FromEnvironment(flags, "WEBOFFICE_EMULATOR_", getenv); err != nil {
		return err
	}
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	text, err := ask(ctx, &http.Client{}, strings.TrimSuffix(*url, "/"))
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
