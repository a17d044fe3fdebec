package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// settings are what flags and environment variables say.
type settings struct {
	addr, internalAddr   string
	public               string
	internalURL          string // where internalAddr is reached; not a setting
	data                 string
	temporary            bool // data goes at the end; not a setting
	drain, drainDelay    time.Duration
	logFormat            string
	logLevel             slog.Level
	otlpURL              string
	apiToken, linkKey    signing.Secret
	service              string
	allowHTTP            bool
	appID, scheme        string
	appKey               signing.Secret
	proxyStrips          string
	callsPerSecond       int
	poll                 time.Duration
	deadline, jobTimeout time.Duration
	keep                 time.Duration

	robotURL, robotSecret, robotPath signing.Secret
	messagesPerMinute                int
	tokenURL                         string
	tokenSecret                      signing.Secret

	bucket, bucketPrefix         string
	s3Endpoint, s3PublicEndpoint string
	s3PathStyle                  bool
	redisURL, postgresURL        signing.Secret
}

// environment is what the name of every variable begins with.
const environment = "WEBOFFICE_"

// define makes the flags. A secret has none: it is in its variable, or in the file that
// its flag names.
func (s *settings) define(flags *flag.FlagSet) (secrets []secret) {
	secretVar := func(p *signing.Secret, name, usage string) {
		file := flags.String(name+"-file", "", "`file` with "+usage)
		secrets = append(secrets, secret{p, name, file})
	}
	flags.StringVar(&s.addr, "addr", "127.0.0.1:8080", "`address` for the callbacks of the service")
	flags.StringVar(&s.internalAddr, "internal-addr", "127.0.0.1:8081", "`address` for the API, metrics and health, which only your own network should reach")
	flags.StringVar(&s.public, "public", "", "`URL` under which the service reaches -addr (default: http:// and the address)")
	flags.StringVar(&s.proxyStrips, "proxy-strips", "", "path `prefix` of -public that a proxy in front removes")
	flags.StringVar(&s.data, "data", "", "`folder` for documents, results, jobs and keys that have no other place (default: a temporary one, removed at the end)")
	flags.DurationVar(&s.drain, "drain", 30*time.Second, "how long the end may take: requests and jobs that were begun are finished")
	flags.DurationVar(&s.drainDelay, "drain-delay", 0, "how long /readyz says no before connections are refused, for proxies that ask it")
	flags.StringVar(&s.logFormat, "log-format", "text", "text or json")
	flags.TextVar(&s.logLevel, "log-level", slog.LevelInfo, "lowest `level` that is logged: debug, info, warn or error")
	flags.StringVar(&s.otlpURL, "otlp-url", "", "`URL` of the collector that gets spans by OTLP over HTTP, such as http://localhost:4318 (default: no spans)")
	secretVar(&s.apiToken, "api-token", "the bearer token of the API, at least 16 bytes (default: one in -data)")
	secretVar(&s.linkKey, "link-key", "the key of links and viewer tokens, at least 16 bytes, the same for all replicas (default: one in -data)")

	flags.StringVar(&s.service, "service", "", "base `URL` of the service (default: this process plays the service)")
	flags.BoolVar(&s.allowHTTP, "allow-http", false, "permit http:// to other machines, which sends keys and links unencrypted")
	flags.StringVar(&s.appID, "app-id", "", "app `id`")
	secretVar(&s.appKey, "app-key", "the app key")
	flags.StringVar(&s.scheme, "scheme", signing.SchemeSVC2, "first `word` of Authorization, such as WPS-2")
	flags.IntVar(&s.callsPerSecond, "calls-per-second", convert.DefaultCallsPerSecond, "calls that the service permits the app in any second")
	flags.DurationVar(&s.poll, "poll", 2*time.Second, "first pause between two looks at a conversion")
	flags.DurationVar(&s.deadline, "deadline", time.Hour, "how long a conversion or a message may take before it fails")
	flags.DurationVar(&s.jobTimeout, "job-timeout", 2*time.Minute, "how long one step of a job may take; the jobs of a replica that died go on at another one after 1.25 times that")
	flags.DurationVar(&s.keep, "keep", 7*24*time.Hour, "how long jobs that have ended, and results, are kept")
	secretVar(&s.robotURL, "robot-url", "the webhook URL of the robot, as the chat client shows it (default: no robot)")
	secretVar(&s.robotSecret, "robot-secret", "the signing secret of the robot, if it has one")
	secretVar(&s.robotPath, "robot-path", "the path of the robot's callback, which nobody can guess (default: one in -data)")
	flags.IntVar(&s.messagesPerMinute, "messages-per-minute", webhook.MessagesPerMinute, "messages that the robot may post in any minute")
	flags.StringVar(&s.tokenURL, "token-url", "", "`URL` of the token endpoint (default: the token callback is not served)")
	secretVar(&s.tokenSecret, "token-secret", "the client secret at the token endpoint (default: the app key)")

	flags.StringVar(&s.bucket, "bucket", "", "S3 `bucket` for documents and results; credentials and region are those of the AWS SDK, such as AWS_ACCESS_KEY_ID (default: folders in -data)")
	flags.StringVar(&s.bucketPrefix, "bucket-prefix", "", "`prefix` of every key in the bucket, such as office/")
	flags.StringVar(&s.s3Endpoint, "s3-endpoint", "", "`URL` of a storage that is not AWS")
	flags.StringVar(&s.s3PublicEndpoint, "s3-public-endpoint", "", "`URL` under which the service reaches the storage (default: -s3-endpoint)")
	flags.BoolVar(&s.s3PathStyle, "s3-path-style", false, "put the bucket into the path of URLs, not into the host name")
	secretVar(&s.redisURL, "redis-url", "the URL of Redis, for limits, events and tokens of all replicas (default: in memory, for one process)")
	secretVar(&s.postgresURL, "postgres-url", "the URL of PostgreSQL, for the jobs of all replicas (default: a SQLite file in -data, for one process)")
	return secrets
}

// secret is a setting that is not shown on a command line.
type secret struct {
	value *signing.Secret
	name  string
	file  *string
}

// read takes the secret from its variable or its file.
func (v secret) read(getenv func(string) string) error {
	name := variable(v.name)
	direct := getenv(name)
	switch {
	case direct != "" && *v.file != "":
		return fmt.Errorf("%s and -%s-file are both set: choose one", name, v.name)
	case direct != "":
		*v.value = signing.NewSecret(strings.TrimSpace(direct))
	case *v.file != "":
		text, err := os.ReadFile(*v.file)
		if err != nil {
			return fmt.Errorf("-%s-file: %w", v.name, err)
		}
		*v.value = signing.NewSecret(strings.TrimSpace(string(text)))
		if v.value.IsZero() {
			return fmt.Errorf("-%s-file: %s is empty", v.name, *v.file)
		}
	}
	return nil
}

func variable(name string) string {
	return environment + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// readSettings reports every problem at once. A flag outranks its variable.
func readSettings(args []string, getenv func(string) string, out io.Writer) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(out)
	secrets := s.define(flags)
	flags.Usage = func() { usage(flags, secrets) }
	var problems []error
	flags.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
		if value := getenv(name); value != "" {
			if err := f.Value.Set(value); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
			}
		}
	})
	if err := cli.ParseAll(flags, args); err != nil {
		return nil, err
	}
	for _, v := range secrets {
		problems = append(problems, v.read(getenv))
	}
	problems = slices.DeleteFunc(append(problems, s.check()...), func(err error) bool { return err == nil })
	slices.SortFunc(problems, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	if err := errors.Join(problems...); err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return s, nil
}

// usage explains the settings.
func usage(flags *flag.FlagSet, secrets []secret) {
	out := flags.Output()
	fmt.Fprint(out, `Usage: server [flags]

Documents in the viewer and editor, access tokens, a robot and conversions, in one
program. Without a flag it needs nothing else, and plays the service itself.

To run several replicas, give all of them the same -bucket, WEBOFFICE_REDIS_URL,
WEBOFFICE_POSTGRES_URL, WEBOFFICE_LINK_KEY, WEBOFFICE_API_TOKEN and WEBOFFICE_ROBOT_PATH.

Every flag is also an environment variable: -app-id is WEBOFFICE_APP_ID. A flag outranks
its variable. Secrets have no flag, because other users of a machine can read its command
lines; they are in a variable, or in the file that a flag or a variable ending in _FILE
names:

`)
	for _, v := range secrets {
		fmt.Fprintf(out, "  %s\n", variable(v.name))
	}
	fmt.Fprint(out, "\nFlags:\n\n")
	flags.PrintDefaults()
}
