package main

import (
	"cmp"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
)

// options are the flags and the environment.
type options struct {
	base        string
	files       []string
	credentials signing.Credentials // zero: unsigned
	scheme      string
	token       signing.Secret
	userQuery   url.Values
	timeout     time.Duration
	json        bool
	save        bool
}

func parse(args []string, getenv func(string) string, stdout io.Writer) (*options, error) {
	opts := &options{token: signing.NewSecret(getenv("WEBOFFICE_TOKEN"))}
	flags := cli.Flags(stdout, "callback-doctor -base URL -file id [flags]",
		"WEBOFFICE_APP_KEY  key of the app",
		"WEBOFFICE_TOKEN    X-WebOffice-Token of a user")
	flags.StringVar(&opts.base, "base", "", "gateway `URL`, as it is entered in the console")
	flags.Func("file", "`id` of an existing document; may be repeated", func(id string) error {
		opts.files = append(opts.files, id)
		return nil
	})
	var appID string
	flags.StringVar(&appID, "app-id", getenv("WEBOFFICE_APP_ID"), "`id` of the app [WEBOFFICE_APP_ID]")
	flags.StringVar(&appID, "app", getenv("WEBOFFICE_APP_ID"), "former `name` of -app-id")
	flags.StringVar(&opts.scheme, "scheme", cmp.Or(getenv("WEBOFFICE_SCHEME"), signing.SchemeSVC2), "first `word` of Authorization, such as WPS-2 [WEBOFFICE_SCHEME]")
	unsigned := flags.Bool("unsigned", false, "do not sign, and do not check that signatures are verified")
	query := flags.String("user-query", "", "X-User-Query, as your front end makes it")
	flags.BoolVar(&opts.save, "save", false, "also save the first document that may be edited, with the bytes that it has: this makes a version")
	flags.DurationVar(&opts.timeout, "timeout", time.Minute, "for everything together")
	flags.BoolVar(&opts.json, "json", false, "print the report as JSON")
	if err := cli.ParseAll(flags, args); err != nil {
		return nil, err
	}
	var err error
	if opts.userQuery, err = url.ParseQuery(*query); err != nil {
		return nil, cli.Usagef("-user-query must be a query, such as a=1&b=2")
	}
	if !*unsigned {
		opts.credentials = signing.AppWithScheme(opts.scheme, appID, signing.NewSecret(getenv("WEBOFFICE_APP_KEY")))
	}
	switch {
	case opts.base == "" || len(opts.files) == 0 || slices.Contains(opts.files, ""):
		return nil, cli.Usagef("-base and at least one -file are required")
	case !strings.HasPrefix(opts.base, "http://") && !strings.HasPrefix(opts.base, "https://"):
		return nil, cli.Usagef("-base must be a URL such as https://office.example.com/gateway")
	case !*unsigned && (appID == "" || getenv("WEBOFFICE_APP_KEY") == ""):
		return nil, cli.Usagef("WEBOFFICE_APP_ID and WEBOFFICE_APP_KEY are required, unless -unsigned is given")
	}
	return opts, nil
}
