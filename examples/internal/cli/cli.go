// Package cli has what the commands of this module share: flags, signals, exit codes
// and error messages.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// Main runs a command and exits with the code that it returns. Ctrl-C, SIGTERM, the end of
// the terminal and that of a pipe which it writes to, as to "| head", end its context; a
// second Ctrl-C ends the process immediately.
func Main(run func(ctx context.Context) (code int)) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // As under nohup.
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	if !signal.Ignored(syscall.SIGPIPE) { // As convert does, which says what it could not print.
		// It stays until the end: another line must not end the process while it cleans up.
		ctx, _ = signal.NotifyContext(ctx, syscall.SIGPIPE)
	}
	code := run(ctx)
	stop()
	os.Exit(code)
}

// UsageError is a mistake in how a command was called.
type UsageError struct{ cause error }

// Error returns what is wrong.
func (e *UsageError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.cause }

// Usagef makes a [UsageError], in the form of fmt.Errorf.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Parse reads the flags, and leaves operands to the caller. For -h it prints the usage
// and returns flag.ErrHelp. A mistake is a [UsageError]; the usage is not printed then,
// since the message would be lost above it.
func Parse(flags *flag.FlagSet, args []string) error {
	out := flags.Output()
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	flags.SetOutput(out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.Usage()
		return err
	case err != nil:
		return &UsageError{err}
	default:
		return nil
	}
}

// Flags makes the flags of a command. -h prints on out, which is what the command was asked
// for, so stdout: the usage, which begins with the name of the command, then the flags,
// and the environment variables, one a line.
func Flags(out io.Writer, usage string, environment ...string) *flag.FlagSet {
	name, _, _ := strings.Cut(usage, " ")
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "Usage: %s\n\nFlags:\n", usage)
		flags.PrintDefaults()
		if len(environment) > 0 {
			fmt.Fprintf(flags.Output(), "\nEnvironment:\n  %s\n", strings.Join(environment, "\n  "))
		}
	}
	return flags
}

// FromEnvironment gives each flag the value of its environment variable, whose name is that
// of the flag after a prefix, in capitals. -h names it. Call it before Parse, so that
// flags win.
func FromEnvironment(flags *flag.FlagSet, prefix string, getenv func(string) string) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		name := prefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		f.Usage += " [" + name + "]"
		if value := getenv(name); value != "" {
			if setErr := f.Value.Set(value); setErr != nil {
				err = errors.Join(err, Usagef("%s: %w", name, setErr))
			}
		}
	})
	return err
}

// ParseAll is [Parse] for a command without operands.
func ParseAll(flags *flag.FlagSet, args []string) error {
	if err := Parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return Usagef("unexpected argument %q", flags.Arg(0))
	}
	return nil
}

// Words splits a comma-separated list.
func Words(list string) (words []string) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Code prints err on errOut, each line after the name of the command, and returns the
// exit code.
func Code(errOut io.Writer, name string, err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return ExitOK
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(errOut, "%s: %s\n", name, strings.TrimPrefix(line, name+": ")) // which a package of that name has put there
	}
	var usage *UsageError
	if errors.As(err, &usage) {
		fmt.Fprintln(errOut, "Try -h.")
		return ExitUsage
	}
	return ExitFailed
}
