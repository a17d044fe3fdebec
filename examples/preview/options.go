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
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/signing"
)

const defaultAddr = "127.0.0.1:8080"

// options are what the command line and the environment say.
type options struct {
	dir, state, addr string
	s3               bucketOptions
	public           string // the gateway address
	proxyStrips      string
	scheme           string // of signatures
	unsigned         bool
	view, edit       bool
	credentials      signing.Credentials
}

// bucketOptions are those of -s3.
type bucketOptions struct {
	bucket, endpoint, region string
	prefix                   string // empty, or with a slash at the end
	createOnly               previews3.Header
}

func (o *bucketOptions) flags(flags *flag.FlagSet) {
	flags.StringVar(&o.bucket, "s3", "", "the `bucket` with the documents; -dir is then a folder whose documents are copied into it")
	flags.StringVar(&o.endpoint, "s3-endpoint", "", "the `URL` of a storage other than AWS, which the service must reach too")
	flags.StringVar(&o.region, "s3-region", "", "the `region` of the bucket (default: that of AWS_REGION or ~/.aws)")
	flags.StringVar(&o.prefix, "s3-prefix", "", "the `folder` of the bucket that this program owns (default: the whole bucket)")
	flags.Func("s3-create-only", "the `header` with which the storage refuses to replace an object, if not If-None-Match: \"x-kss-forbid-overwrite: true\"", func(text string) error {
		name, value, ok := strings.Cut(text, ":")
		o.createOnly = previews3.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}
		if !ok || o.createOnly.Name == "" || o.createOnly.Value == "" {
			return errors.New("it must be NAME: VALUE")
		}
		return nil
	})
}

// check also completes the prefix.
func (o *bucketOptions) check() error {
	switch {
	case o.bucket == "" && *o != bucketOptions{}:
		return cli.Usagef("-s3 is required with the other flags of S3")
	case o.endpoint != "" && !isURL(o.endpoint):
		return cli.Usagef("-s3-endpoint must be a URL such as https://storage.example.com")
	}
	if o.prefix = strings.Trim(o.prefix, "/"); o.prefix != "" {
		o.prefix += "/"
	}
	return nil
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

func readOptions(args []string, getenv func(string) string, out io.Writer) (o options, err error) {
	flags := cli.Flags(out, "preview [flags]",
		"WEBOFFICE_APP_ID   id of the app, whose calls are let in",
		"WEBOFFICE_APP_KEY  key of the app",
		"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and others of the AWS SDK, for -s3")
	flags.StringVar(&o.dir, "dir", "", "the `folder` with the documents (required without -s3)")
	flags.StringVar(&o.state, "state", "", "the `folder` for versions, and for the key of links and guests (default: that of -dir, and with -view or -s3 none)")
	flags.StringVar(&o.addr, "addr", "", "the `address` to listen on (default: "+defaultAddr+", with -view a free port)")
	flags.StringVar(&o.public, "public", "", "the `URL` under which the service reaches this program (default: http:// and the address)")
	flags.StringVar(&o.proxyStrips, "proxy-strips", "", "the path `prefix` that a proxy in front takes away")
	flags.StringVar(&o.scheme, "scheme", signing.SchemeSVC2, "first `word` of Authorization, such as WPS-2")
	flags.BoolVar(&o.unsigned, "unsigned", false, "let everybody call: for a deployment that does not sign")
	flags.BoolVar(&o.view, "view", false, "open every document as the service would, print what it sees, and end")
	flags.BoolVar(&o.edit, "edit", false, "let users save, rename and see earlier versions, which are kept beside the documents")
	o.s3.flags(flags)
	if err := cli.FromEnvironment(flags, "WEBOFFICE_", getenv); err != nil {
		return o, err
	}
	if err := cli.ParseAll(flags, args); err != nil {
		return o, err
	}
	if o.state == "" && !o.view && o.s3.bucket == "" {
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

// check finds what cannot work, before anything is begun.
func (o *options) check() error {
	if err := o.s3.check(); err != nil {
		return err
	}
	if o.dir == "" && o.s3.bucket == "" {
		return cli.Usagef("-dir is required, or a bucket with -s3")
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
	if o.public != "" && !isURL(o.public) {
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
