package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
)

// options are what the command was called with.
type options struct {
	documents []*document

	target         convert.Target
	pages          convert.Pages // nil: all
	merge          bool
	keepLineBreaks bool
	comments       bool
	password       signing.Secret

	out         string
	json, quiet bool
	concurrency int
	maxWait     time.Duration

	baseURL, appID, scheme string
	appKey                 signing.Secret
	demo                   bool
	serve, publicURL       string
}

const usage = `convert [flags] [URL or path...]

Converts office documents to text or PDF. Documents are URLs that the service
can fetch, files of this machine, folders and patterns such as '*.docx' (-file, or
without it), or lines of a list (-list). What -json says of an interrupted run has
the tasks to carry on with (-task).

  convert -demo -file report.docx
  convert -demo -to pdf -out pdfs *.docx
  convert -base-url https://office.example -app-id my-app -to pdf https://files.example/report.docx
  find . -name '*.docx' | convert -demo -list - -out texts

Prints the paths of the files that it wrote. If there are several documents, each
path is followed by a tab and its document.

Ends with 0 when all documents were converted, 1 when some were not, 2 when it was
called wrongly, and 130 when it was interrupted.`

// demoConcurrency is how many documents this machine converts at once.
const demoConcurrency = 2

// parseOptions reads flags, environment and lists. Its error is for the user.
func parseOptions(args []string, env environment) (*options, error) {
	o := &options{password: signing.NewSecret(env.getenv("WEBOFFICE_PASSWORD"))}
	flags := cli.Flags(env.stdout, usage,
		"WEBOFFICE_APP_KEY   key of the app, if not in -app-key-file",
		"WEBOFFICE_PASSWORD  password of encrypted documents")
	var in inputs
	var p pageFlags
	var keyFile string
	in.register(flags)
	p.register(flags)
	o.register(flags, env)
	flags.StringVar(&keyFile, "app-key-file", env.getenv("WEBOFFICE_APP_KEY_FILE"), "`file` that holds the app key [WEBOFFICE_APP_KEY_FILE]")
	if err := cli.Parse(flags, args); err != nil {
		return nil, err
	}
	in.operands = flags.Args()
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if o.demo && !given["concurrency"] {
		o.concurrency = demoConcurrency
	}
	var documents, pages, key error
	o.documents, documents = in.read(env.stdin, o.target)
	o.pages, pages = p.read(o.target)
	o.appKey, key = readKey(keyFile, env)
	if given["keep-line-breaks"] && o.target != convert.Text {
		pages = errors.Join(pages, errors.New("-keep-line-breaks is for -to txt"))
	}
	if err := errors.Join(documents, pages, key, o.check()); err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return o, nil
}

func (o *options) register(flags *flag.FlagSet, env environment) {
	o.target = convert.Text
	flags.Func("to", "`target`: txt or pdf (default txt)", func(s string) error {
		o.target = convert.Target(s)
		if o.target != convert.Text && o.target != convert.PDF {
			return errors.New("it is neither txt nor pdf")
		}
		return nil
	})
	flags.BoolVar(&o.merge, "merge", false, "txt: one text, not one for each page")
	flags.BoolVar(&o.keepLineBreaks, "keep-line-breaks", true, "txt: keep the line breaks of the document; =false joins its lines")
	flags.BoolVar(&o.comments, "comments", false, "pdf: show comments")
	flags.StringVar(&o.out, "out", ".", "`folder` to write into; files of the same name are replaced")
	flags.BoolVar(&o.json, "json", false, "print a summary in JSON instead of paths")
	flags.BoolVar(&o.quiet, "quiet", false, "show no progress")
	flags.IntVar(&o.concurrency, "concurrency", convert.DefaultConcurrency, "documents in progress at the same time; with -demo, 2 unless given")
	flags.DurationVar(&o.maxWait, "max-wait", convert.DefaultMaxWait, "longest wait for one document")
	flags.StringVar(&o.baseURL, "base-url", env.getenv("WEBOFFICE_BASE_URL"), "`URL` of the conversion service [WEBOFFICE_BASE_URL]")
	flags.StringVar(&o.appID, "app-id", env.getenv("WEBOFFICE_APP_ID"), "`id` of the app [WEBOFFICE_APP_ID]")
	flags.StringVar(&o.scheme, "scheme", cmp.Or(env.getenv("WEBOFFICE_SCHEME"), signing.SchemeSVC2), "first `word` of Authorization, such as WPS-2 [WEBOFFICE_SCHEME]")
	flags.BoolVar(&o.demo, "demo", false, "run the service in this process, with real work behind it")
	flags.StringVar(&o.serve, "serve", env.getenv("WEBOFFICE_SERVE"), "`address` to listen on, such as :8080, where the service fetches files of this machine [WEBOFFICE_SERVE]")
	flags.StringVar(&o.publicURL, "public", "", "`URL` under which the service reaches -serve; not needed if both are on this machine")
	flags.StringVar(&o.publicURL, "public-url", "", "former `name` of -public")
}

// readKey takes the app key from the file, or from the environment.
func readKey(file string, env environment) (signing.Secret, error) {
	if file == "" {
		return signing.NewSecret(env.getenv("WEBOFFICE_APP_KEY")), nil
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return signing.Secret{}, fmt.Errorf("-app-key-file: %w", err)
	}
	return signing.NewSecret(strings.TrimSpace(string(key))), nil
}

// check finds what does not go together.
func (o *options) check() error {
	var errs []error
	bad := func(is bool, text string) {
		if is {
			errs = append(errs, errors.New(text))
		}
	}
	local, tasks := false, false
	for _, d := range o.documents {
		local, tasks = local || d.file != "", tasks || d.task != ""
	}
	bad(!o.demo && o.baseURL == "", "-base-url is missing; -demo needs none")
	bad(o.baseURL != "" && !isURL(o.baseURL), "-base-url must be an address such as https://office.example")
	bad(!o.demo && o.appID == "", "-app-id is missing; -demo needs none")
	bad(!o.demo && o.appKey.IsZero(), "the app key is missing: set WEBOFFICE_APP_KEY or -app-key-file; -demo needs none")
	bad(o.serve == "" && o.publicURL != "", "-public needs -serve")
	bad(o.serve != "" && o.publicURL == "" && !onThisMachine(o.serve), "-serve and -public go together, unless both are on this machine: the service has to reach what is served")
	bad(o.publicURL != "" && !isURL(o.publicURL), "-public must be an address such as http://files.example:8080")
	bad(!o.demo && local && o.serve == "", "the service cannot fetch a file of this machine: give its URL, or -serve and -public")
	bad(o.demo && tasks, "-task needs a deployment: no task outlives -demo")
	bad(o.target != convert.Text && o.merge, "-merge is for -to txt")
	bad(o.target != convert.PDF && o.comments, "-comments is for -to pdf")
	bad(o.concurrency < 1, "-concurrency must be at least 1")
	bad(o.maxWait <= 0, "-max-wait must be positive")
	return errors.Join(errs...)
}

// onThisMachine reports whether only this machine reaches an address.
func onThisMachine(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
