package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
)

const defaultAddr = "127.0.0.1:8080"

// options are what the command line and the environment say.
type options struct {
	dir, state, addr string
	public           string // the gateway address
	proxyStrips      string
	scheme           string // of signatures
	unsigned         bool
	view, edit       bool
	credentials      signing.Credentials
}

func readOptions(args []string, getenv func(string) string, out io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("preview", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.dir, "dir", "", "the `folder` with the documents (required)")
	flags.StringVar(&o.state, "state", "", "the `folder` for versions and the key of links (default: that of -dir, and with -view none)")
	flags.StringVar(&o.addr, "addr", "", "the `address` to listen on (default: "+defaultAddr+", with -view a free port)")
	flags.StringVar(&o.public, "public", "", "the `URL` under which the service reaches this program (default: http:// and the address)")
	flags.StringVar(&o.proxyStrips, "proxy-strips", "", "the path `prefix` that a proxy in front takes away")
	flags.StringVar(&o.scheme, "scheme", signing.SchemeSVC2, "the first `word` of Authorization, where a deployment uses another one")
	flags.BoolVar(&o.unsigned, "unsigned", false, "let everybody call: for a deployment that does not sign")
	flags.BoolVar(&o.view, "view", false, "open every document as the service would, print what it sees, and end")
	flags.BoolVar(&o.edit, "edit", false, "let users save, rename and see earlier versions, which are kept in the folder")
	if err := fromEnvironment(flags, getenv); err != nil {
		return o, err
	}
	if err := cli.ParseAll(flags, args); err != nil {
		return o, err
	}
	if o.state == "" && !o.view {
		o.state = o.dir
	}
	if o.addr == "" && o.view {
		o.addr = "127.0.0.1:0"
	} else if o.addr == "" {
		o.addr = defaultAddr
	}
	if err := o.check(); err != nil {
		return o, err
	}
	o.credentials, err = credentials(getenv("WEBOFFICE_APP_ID"), getenv("WEBOFFICE_APP_KEY"), o)
	return o, err
}

// fromEnvironment gives each flag the value of its environment variable, which -h names.
func fromEnvironment(flags *flag.FlagSet, getenv func(string) string) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		name := "WEBOFFICE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		f.Usage += " [" + name + "]"
		if value := getenv(name); value != "" {
			if setErr := f.Value.Set(value); setErr != nil {
				err = errors.Join(err, cli.Usagef("%s: %w", name, setErr))
			}
		}
	})
	return err
}

// check finds what cannot work, before anything is begun.
func (o options) check() error {
	if o.dir == "" {
		return cli.Usagef("-dir is required")
	}
	for _, dir := range []struct{ flag, name string }{{"-dir", o.dir}, {"-state", o.state}} {
		if dir.name == "" {
			continue
		}
		info, err := os.Stat(dir.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return cli.Usagef("%s: there is no folder %s: create it", dir.flag, dir.name)
		case err != nil:
			return fmt.Errorf("%s: %w", dir.flag, err)
		case !info.IsDir():
			return cli.Usagef("%s: %s is not a folder", dir.flag, dir.name)
		}
	}
	if o.public != "" && !strings.HasPrefix(o.public, "http://") && !strings.HasPrefix(o.public, "https://") {
		return cli.Usagef("-public must be an address such as https://office.example.com/docs")
	}
	return nil
}

// credentials are those of the calls that are let in. Letting everybody in is
// never what happens by omission.
func credentials(id, key string, o options) (signing.Credentials, error) {
	switch {
	case o.unsigned && id+key != "":
		return signing.Credentials{}, cli.Usagef("WEBOFFICE_APP_ID or WEBOFFICE_APP_KEY is set, and -unsigned lets everybody call: choose one")
	case o.unsigned:
		return signing.Credentials{}, nil
	case o.view && id+key == "":
		return signing.AppWithScheme(o.scheme, "built-in-viewer", signing.NewSecret(rand.Text())), nil
	case id == "" || key == "":
		return signing.Credentials{}, cli.Usagef("set WEBOFFICE_APP_ID and WEBOFFICE_APP_KEY, or let everybody call with -unsigned")
	default:
		return signing.AppWithScheme(o.scheme, id, signing.NewSecret(key)), nil
	}
}

// callers says who may call.
func (o options) callers() string {
	if o.credentials.IsZero() {
		return "everybody"
	}
	return o.credentials.String()
}
