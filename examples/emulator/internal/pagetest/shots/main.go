// Shots makes the screenshots of the emulator's page: every view in both languages, light
// and dark, and on a phone, of emulators that it starts and fills. With -docs it makes
// those of the documentation, with few colours:
//
//	go run ./examples/emulator/internal/pagetest/shots -out DIR
//	go run ./examples/emulator/internal/pagetest/shots -docs docs/images
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "shots", run(ctx, os.Args[1:], os.Stderr))
	})
}

// options are the command line.
type options struct {
	out, docs, document, only string
}

func run(ctx context.Context, args []string, log io.Writer) (err error) {
	var o options
	flags := flag.NewFlagSet("shots", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&o.out, "out", "", "`folder` for the screenshots of everything")
	flags.StringVar(&o.docs, "docs", "", "`folder` for those of the documentation")
	flags.StringVar(&o.document, "document", "examples/quickstart/document/handbook.docx", "`file` to convert")
	flags.StringVar(&o.only, "only", "", "`part` of the names of the screenshots to make, such as chat or zh-CN")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	if o.out == "" && o.docs == "" {
		return cli.Usagef("give -out or -docs")
	}
	profile, err := os.MkdirTemp("", "shots-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(profile)) }()
	browser, stop, err := pagetest.Browser(ctx, profile)
	if err != nil {
		return err
	}
	defer stop()
	for _, language := range []string{"en", "zh-CN"} {
		if err := take(ctx, browser, language, o); err != nil {
			return err
		}
	}
	return nil
}

// take makes all screenshots of one language.
func take(ctx, browser context.Context, language string, o options) (err error) {
	emulator, err := pagetest.Start(ctx, "127.0.0.1:0", office.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, emulator.Close()) }()
	scene := &pagetest.Scene{URL: emulator.URL, Language: language, Document: o.document}
	defer scene.Close()
	places, err := scene.Fill(ctx)
	if err != nil {
		return err
	}
	for _, p := range pictures(o, places, language) {
		if err := shoot(browser, emulator.URL, places[p.view], language, p); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
	}
	return nil
}
